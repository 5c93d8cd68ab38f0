#include "common/encode/forward_writers.h"

#include <algorithm>
#include <limits>

#include "common/base/bits.h"
#include "common/base/bytes.h"

namespace trellis::encode {
namespace {

constexpr uint32_t kDocumentsMax = std::numeric_limits<int32_t>::max();

}  // namespace

int BitsPerElement(uint32_t cardinality) {
  return BitsFor(cardinality == 0 ? 0 : uint64_t{cardinality} - 1);
}

Status BitStreamWriter::AppendGroups(std::span<const uint32_t> ids) {
  constexpr size_t kGroupsAtOnce = 32;
  std::array<uint8_t, kGroupsAtOnce * 8 * 31> packed;
  while (!ids.empty()) {
    const auto piece = ids.first(std::min(ids.size(), kGroupsAtOnce * kPackGroup));
    if (!AllFit(bits_, piece)) {
      return Status::InvalidArgument("dictId {} does not fit {} bits",
                                     *std::max_element(piece.begin(), piece.end()), bits_);
    }
    PackGroups(bits_, piece, packed.data());
    const size_t size = piece.size() / 8 * static_cast<size_t>(bits_);
    TRELLIS_RETURN_IF_ERROR(file_.Append(ByteView(packed).first(size)));
    ids = ids.subspan(piece.size());
  }
  return {};
}

Status BitStreamWriter::Append(std::span<const uint32_t> ids) {
  if (pending_count_ > 0) {
    const size_t count = std::min(ids.size(), kPackGroup - pending_count_);
    std::copy_n(ids.begin(), count, pending_.begin() + static_cast<ptrdiff_t>(pending_count_));
    pending_count_ += count;
    ids = ids.subspan(count);
    if (pending_count_ < kPackGroup) return {};
    TRELLIS_RETURN_IF_ERROR(AppendGroups(pending_));
    pending_count_ = 0;
  }
  const size_t whole = ids.size() / kPackGroup * kPackGroup;
  TRELLIS_RETURN_IF_ERROR(AppendGroups(ids.first(whole)));
  pending_count_ = ids.size() - whole;
  std::copy_n(ids.begin() + static_cast<ptrdiff_t>(whole), pending_count_, pending_.begin());
  return {};
}

Status BitStreamWriter::Finish() {
  const auto pending = std::span(pending_);
  std::fill(pending.begin() + static_cast<ptrdiff_t>(pending_count_), pending.end(), 0);
  if (!AllFit(bits_, pending))
    return Status::InvalidArgument("a dictId does not fit {} bits", bits_);
  std::array<uint8_t, 8 * 31> packed;
  PackGroups(bits_, pending, packed.data());
  const uint64_t size = CeilDivide(pending_count_ * static_cast<uint64_t>(bits_), 8);
  return file_.Append(ByteView(packed).first(size));
}

Status SortedIndexWriter::AppendPair() {
  uint8_t pair[8];
  StoreBigEndian<uint32_t>(first_doc_, pair);
  StoreBigEndian<uint32_t>(documents_ - 1, pair + 4);
  return file_.Append(pair);
}

Status SortedIndexWriter::Append(std::span<const uint32_t> ids) {
  if (ids.size() > kDocumentsMax - documents_) {
    return Status::ResourceExhausted("{} documents, a segment has {} at most",
                                     uint64_t{documents_} + ids.size(), kDocumentsMax);
  }
  for (const uint32_t id : ids) {
    if (id != current_) {
      if (id != current_ + 1 || id >= cardinality_) {
        return Status::InvalidArgument(
            "document {} of a sorted column of {} values has dictId {} after {}", documents_,
            cardinality_, id, current_);
      }
      if (current_ >= 0) TRELLIS_RETURN_IF_ERROR(AppendPair());
      current_ = id;
      first_doc_ = documents_;
    }
    ++documents_;
  }
  return {};
}

Status SortedIndexWriter::Finish() {
  if (current_ + 1 != cardinality_) {
    return Status::InvalidArgument("a sorted column ends with dictId {}, it has {} values",
                                   current_, cardinality_);
  }
  return cardinality_ == 0 ? Status() : AppendPair();
}

}  // namespace trellis::encode
