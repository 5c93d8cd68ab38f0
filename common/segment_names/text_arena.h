#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/segment_names/value_text.h"

namespace trellis::segment_names {

// The text of unpacked names, in a few large pieces that never move. Counts towards a limit. Not
// thread-safe.
class TextArena {
 public:
  explicit TextArena(size_t text_bytes_max)
      : pieces_(std::make_shared<std::vector<std::unique_ptr<char[]>>>()),
        text_bytes_max_(text_bytes_max) {
    pieces_->reserve(kPiecesExpected);
  }

  // Where the next name may be written: `size_max` bytes and kTextSlack behind them. `names_left`
  // of about this size are still to come: a hint.
  char* Reserve(size_t size_max, size_t names_left) {
    if (static_cast<size_t>(end_ - at_) < size_max + kTextSlack) [[unlikely]] {
      Grow(size_max, names_left);
    }
    return at_;
  }
  // Keeps the `size` bytes written at what Reserve returned.
  std::string_view Keep(size_t size) {
    const std::string_view text(at_, size);
    at_ += size;
    return text;
  }
  size_t text_bytes() const { return pieces_bytes_ - static_cast<size_t>(end_ - at_); }

  // ResourceExhausted when more text is kept than allowed.
  Status Check(size_t offset) const {
    if (text_bytes() <= text_bytes_max_) return {};
    return Status::ResourceExhausted("names of more than {} bytes of text at offset {}",
                                     text_bytes_max_, offset);
  }
  std::shared_ptr<const void> owner() const { return pieces_; }

 private:
  static constexpr size_t kPieceBytesMax = size_t{1} << 20;
  static constexpr size_t kPiecesExpected = 8;

  void Grow(size_t size_max, size_t names_left) {
    const size_t wanted =
        names_left > kPieceBytesMax / size_max ? kPieceBytesMax : size_max * names_left;
    const size_t size = std::max(wanted, size_max) + kTextSlack;
    pieces_bytes_ -= static_cast<size_t>(end_ - at_);
    pieces_->push_back(std::make_unique_for_overwrite<char[]>(size));
    at_ = pieces_->back().get();
    end_ = at_ + size;
    pieces_bytes_ += size;
  }

  std::shared_ptr<std::vector<std::unique_ptr<char[]>>> pieces_;
  char* at_ = nullptr;
  char* end_ = nullptr;
  size_t pieces_bytes_ = 0;  // all of the last piece, of the others what is kept in them
  size_t text_bytes_max_;
};

}  // namespace trellis::segment_names
