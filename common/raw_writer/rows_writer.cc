#include <algorithm>
#include <cstring>
#include <limits>

#include "common/raw_writer/container_writers.h"
#include "common/raw_writer/stored_row.h"

namespace trellis::raw_writer {
namespace {

constexpr size_t kStartBytes = 4;  // of a row's start or size, and of a chunk's number of rows
constexpr uint32_t kHugeFlag = 0x80000000;
constexpr uint64_t kRowBytesMax = std::numeric_limits<int32_t>::max();

Status RowTooLong(uint64_t bytes, uint64_t bytes_max) {
  return Status::InvalidArgument("a row of {} bytes, at most {} were planned", bytes, bytes_max);
}

class RowsWriter : public ContainerWriter {
 public:
  using ContainerWriter::ContainerWriter;

 private:
  Status AddValues(const ColumnVector& values) final {
    const bool carry = layout().rows_carry_count;
    for (size_t row = 0; row < values.size(); ++row) {
      if (values.is_multi_value()) {
        const uint64_t bytes = StoredRowBytes(values, row, carry);
        if (bytes > kRowBytesMax) return RowTooLong(bytes, kRowBytesMax);
      }
      TRELLIS_RETURN_IF_ERROR(AddRow(StoredRow(values, row, carry, scratch_)));
    }
    return {};
  }

  std::vector<uint8_t> scratch_;
};

// docs_per_chunk rows a chunk behind as many starts, big-endian (format notes 5.3).
class ChunkedRowsWriter final : public RowsWriter {
 public:
  using RowsWriter::RowsWriter;

 private:
  size_t starts_bytes() const { return layout().docs_per_chunk * kStartBytes; }

  Status AddRow(ByteView row) override {
    if (row.size() > layout().entry_size_bytes)
      return RowTooLong(row.size(), layout().entry_size_bytes);
    GrowingBytes& chunk = pipeline().filling();
    if (rows_ == 0) end_ = starts_bytes();
    chunk.Reserve(end_ + row.size(), rows_ == 0 ? 0 : end_, layout().ChunkBytesMax());
    StoreBigEndian(static_cast<uint32_t>(end_), chunk.data() + rows_ * kStartBytes);
    if (!row.empty()) std::memcpy(chunk.data() + end_, row.data(), row.size());
    end_ += row.size();
    ++rows_;
    return rows_ < layout().docs_per_chunk ? Status() : CloseChunk();
  }

  Status CloseChunk() override {
    if (rows_ == 0) return {};
    uint8_t* data = pipeline().filling().data();
    std::memset(data + rows_ * kStartBytes, 0, starts_bytes() - rows_ * kStartBytes);
    rows_ = 0;
    return pipeline().Submit({data, end_}, 0);
  }

  size_t rows_ = 0;  // in the open chunk
  size_t end_ = 0;   // of the open chunk
};

// As many rows as fit a chunk, behind their number and their starts or sizes, little-endian; rows
// too large for any are chunks of their own (format notes 5.4, 5.6). How many rows a chunk has is
// known when it is full: the rows stand behind some room, at whose end their head is then written.
class SizedRowsWriter final : public RowsWriter {
 public:
  using RowsWriter::RowsWriter;

 private:
  // The size that the chunk has with `rows` rows of `bytes` bytes.
  static uint64_t SizeWith(uint64_t rows, uint64_t bytes) {
    return kStartBytes * (rows + 1) + bytes;
  }
  size_t slack_bytes() const { return std::max<size_t>(layout().chunk_size_bytes / 8, 64); }
  size_t rows_bytes() const { return end_ - room_; }

  Status AddRow(ByteView row) override {
    if (row.size() > kRowBytesMax) return RowTooLong(row.size(), kRowBytesMax);
    const uint64_t target = layout().chunk_size_bytes;
    if (SizeWith(starts_.size() + 1, rows_bytes() + row.size()) > target) {
      TRELLIS_RETURN_IF_ERROR(CloseChunk());
      if (SizeWith(1, row.size()) > target) {
        const uint32_t doc = next_doc_++;
        return pipeline().WriteHuge(row, doc | kHugeFlag);
      }
    }
    GrowingBytes& chunk = pipeline().filling();
    const size_t capacity_max = target + slack_bytes();
    if (kStartBytes * (starts_.size() + 2) > room_ || end_ + row.size() > capacity_max)
      MoveRows(chunk);
    chunk.Reserve(end_ + row.size(), rows_bytes() == 0 ? 0 : end_, capacity_max);
    starts_.push_back(static_cast<uint32_t>(rows_bytes()));
    if (!row.empty()) std::memcpy(chunk.data() + end_, row.data(), row.size());
    end_ += row.size();
    ++next_doc_;
    return {};
  }

  // Makes the room in front right for the rows that are there and some more. Rows seldom move: a
  // new chunk starts with the room that the one before it needed.
  void MoveRows(GrowingBytes& chunk) {
    const size_t bytes = rows_bytes();
    const size_t room = kStartBytes * (starts_.size() + 2) + slack_bytes() / 2;
    if (bytes > 0) {
      chunk.Reserve(room + bytes, end_, layout().chunk_size_bytes + slack_bytes());
      std::memmove(chunk.data() + room, chunk.data() + room_, bytes);
    }
    room_ = room;
    end_ = room + bytes;
  }

  Status CloseChunk() override {
    if (starts_.empty()) return {};
    const auto count = static_cast<uint32_t>(starts_.size());
    const auto head_bytes = static_cast<uint32_t>(kStartBytes * (count + 1));
    const bool sizes =
        layout().version == 6 && layout().compression != codec::Compression::kPassThrough;
    uint8_t* head = pipeline().filling().data() + room_ - head_bytes;
    std::memcpy(head, &count, kStartBytes);
    for (uint32_t row = 0; row < count; ++row) {
      const auto next = row + 1 < count ? starts_[row + 1] : static_cast<uint32_t>(rows_bytes());
      const uint32_t field = sizes ? next - starts_[row] : head_bytes + starts_[row];
      std::memcpy(head + kStartBytes * (row + 1), &field, kStartBytes);
    }
    const ByteView chunk(head, head_bytes + rows_bytes());
    room_ = end_ = head_bytes + head_bytes / 8 + kStartBytes;
    starts_.clear();
    return pipeline().Submit(chunk, next_doc_ - count);
  }

  std::vector<uint32_t> starts_;  // of the open chunk's rows, from the first of them
  size_t room_ = 0;               // where the first of them stands in filling()
  size_t end_ = 0;                // of the last of them
  uint32_t next_doc_ = 0;
};

}  // namespace

std::unique_ptr<RawForwardIndexWriter> NewRowsWriter(const RawLayout& layout, ValueType type,
                                                     const RawWriterOptions& options,
                                                     output::OutputFile& file) {
  if (layout.container == Container::kChunkedRows)
    return std::make_unique<ChunkedRowsWriter>(layout, type, options, file);
  return std::make_unique<SizedRowsWriter>(layout, type, options, file);
}

}  // namespace trellis::raw_writer
