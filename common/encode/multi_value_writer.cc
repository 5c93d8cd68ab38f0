#include <limits>
#include <vector>

#include "common/base/bits.h"
#include "common/base/bytes.h"
#include "common/encode/forward_writers.h"

// Format notes 4.4: an i32 for every docs_per_chunk documents, the number of values before them; a
// bit for each value, set where a row starts; the ids. Where each part lies is known from the
// start, so ids are appended at once and the first two parts written over zeros.

namespace trellis::encode {
namespace {

constexpr uint64_t kSizeBytesMax = std::numeric_limits<int32_t>::max();
constexpr size_t kPieceSizeBytes = 32 * 1024;

// Bytes of a part that lies before the end of the file, gathered and written over it in pieces.
class PartWriter {
 public:
  PartWriter(uint64_t offset, output::OutputFile& file) : offset_(offset), file_(file) {}
  Status Append(uint8_t byte) {
    piece_.push_back(byte);
    return piece_.size() < kPieceSizeBytes ? Status() : Flush();
  }
  Status Flush() {
    if (piece_.empty()) return {};
    TRELLIS_RETURN_IF_ERROR(file_.WriteAt(offset_, piece_));
    offset_ += piece_.size();
    piece_.clear();
    return {};
  }

 private:
  uint64_t offset_;
  output::OutputFile& file_;
  std::vector<uint8_t> piece_;
};

struct Layout {
  uint32_t docs_per_chunk = 1;
  uint64_t starts_offset = 0;
  uint64_t ids_offset = 0;
  uint64_t size_bytes = 0;
};

Layout LayOut(uint32_t documents, uint64_t entries, int bits) {
  constexpr uint64_t kValuesPerChunk = 2048;
  Layout layout;
  if (documents == 0 || entries < documents) return layout;
  layout.docs_per_chunk = static_cast<uint32_t>(CeilDivide(kValuesPerChunk, entries / documents));
  layout.starts_offset = 4 * CeilDivide(documents, layout.docs_per_chunk);
  layout.ids_offset = layout.starts_offset + CeilDivide(entries, 8);
  layout.size_bytes = layout.ids_offset + CeilDivide(entries * static_cast<uint64_t>(bits), 8);
  return layout;
}

class BitPackedWriter final : public MultiValueWriter {
 public:
  BitPackedWriter(uint32_t documents, uint64_t entries, int bits, const Layout& layout,
                  output::OutputFile& file)
      : documents_(documents),
        entries_(entries),
        layout_(layout),
        file_(file),
        chunk_offsets_(0, file),
        starts_(layout.starts_offset, file),
        ids_(bits, file) {}

  Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets) override {
    if (offsets.size() < 2) return {};
    TRELLIS_RETURN_IF_ERROR(Begin());
    const std::span<const uint32_t> values =
        ids.subspan(offsets.front(), offsets.back() - offsets.front());
    if (offsets.size() - 1 > documents_ - document_ || values.size() > entries_ - entry_)
      return NotMet(uint64_t{document_} + offsets.size() - 1, entry_ + values.size());
    for (size_t row = 0; row + 1 < offsets.size(); ++row) {
      const uint32_t size = offsets[row + 1] - offsets[row];
      if (size == 0) {
        return Status::InvalidArgument(
            "document {} has no value, and this multi-value forward index cannot say so",
            document_);
      }
      if (document_ % layout_.docs_per_chunk == 0) TRELLIS_RETURN_IF_ERROR(AppendChunkOffset());
      TRELLIS_RETURN_IF_ERROR(MarkRow(size));
      ++document_;
    }
    return ids_.Append(values);
  }

  Status Finish() override {
    TRELLIS_RETURN_IF_ERROR(Begin());
    if (document_ != documents_ || entry_ != entries_) return NotMet(document_, entry_);
    if (start_count_ > 0) TRELLIS_RETURN_IF_ERROR(starts_.Append(start_byte_));
    TRELLIS_RETURN_IF_ERROR(starts_.Flush());
    TRELLIS_RETURN_IF_ERROR(chunk_offsets_.Flush());
    return ids_.Finish();
  }

 private:
  // Makes room for the parts before the ids; refuses numbers that make no index.
  Status Begin() {
    if (!begun_) begin_ = MakeRoom();
    begun_ = true;
    return begin_;
  }

  Status MakeRoom() {
    if (entries_ < documents_ || (documents_ == 0 && entries_ > 0)) {
      return Status::InvalidArgument("a multi-value column of {} values in {} documents", entries_,
                                     documents_);
    }
    if (entries_ > kSizeBytesMax || layout_.size_bytes > kSizeBytesMax) {
      return Status::ResourceExhausted(
          "a multi-value forward index of {} values and {} bytes, it may have {} at most", entries_,
          layout_.size_bytes, kSizeBytesMax);
    }
    const std::vector<uint8_t> zeros(std::min<uint64_t>(kPieceSizeBytes, layout_.ids_offset));
    for (uint64_t left = layout_.ids_offset; left > 0;) {
      const size_t count = std::min<uint64_t>(left, zeros.size());
      TRELLIS_RETURN_IF_ERROR(file_.Append(ByteView(zeros).first(count)));
      left -= count;
    }
    return {};
  }

  Status AppendChunkOffset() {
    uint8_t word[4];
    StoreBigEndian<uint32_t>(static_cast<uint32_t>(entry_), word);
    for (const uint8_t byte : word) TRELLIS_RETURN_IF_ERROR(chunk_offsets_.Append(byte));
    return {};
  }

  // A one and size - 1 zeros.
  Status MarkRow(uint32_t size) {
    start_byte_ |= static_cast<uint8_t>(0x80 >> start_count_);
    uint64_t bits = uint64_t{start_count_} + size;
    for (; bits >= 8; bits -= 8) {
      TRELLIS_RETURN_IF_ERROR(starts_.Append(start_byte_));
      start_byte_ = 0;
    }
    start_count_ = static_cast<uint8_t>(bits);
    entry_ += size;
    return {};
  }

  Status NotMet(uint64_t documents, uint64_t entries) const {
    return Status::InvalidArgument("{} values in {} documents, {} in {} were announced", entries,
                                   documents, entries_, documents_);
  }

  uint32_t documents_;
  uint64_t entries_;
  Layout layout_;
  output::OutputFile& file_;
  PartWriter chunk_offsets_;
  PartWriter starts_;
  BitStreamWriter ids_;
  bool begun_ = false;
  Status begin_;
  uint32_t document_ = 0;
  uint64_t entry_ = 0;
  uint8_t start_byte_ = 0;   // bits of starts_ that make no byte yet
  uint8_t start_count_ = 0;  // their number
};

}  // namespace

std::unique_ptr<MultiValueWriter> NewBitPackedMultiValueWriter(uint32_t documents,
                                                               uint64_t total_entries, int bits,
                                                               output::OutputFile& file) {
  return std::make_unique<BitPackedWriter>(documents, total_entries, bits,
                                           LayOut(documents, total_entries, bits), file);
}

}  // namespace trellis::encode
