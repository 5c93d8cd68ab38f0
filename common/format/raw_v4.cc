#include "common/format/raw_v4.h"

#include "common/format/row_slices.h"

namespace trellis::format {
namespace {

constexpr size_t kHeaderSizeBytes = 16;
constexpr size_t kTableEntrySizeBytes = 8;
constexpr uint32_t kHugeFlag = 0x80000000;

}  // namespace

Result<RawV4File> RawV4File::Open(ByteView bytes, uint32_t document_count) {
  if (bytes.size() < kHeaderSizeBytes) {
    return Status::Corrupt("raw V4 container is shorter than its header: {} < {} bytes",
                           bytes.size(), kHeaderSizeBytes);
  }
  const auto field = [&](size_t at) { return LoadBigEndian<int32_t>(bytes.data() + at); };
  const int32_t target = field(4), chunks_start = field(12);
  if (target < 0) return Status::Corrupt("raw V4 container has a target chunk size of {}", target);
  if (chunks_start < static_cast<int32_t>(kHeaderSizeBytes) ||
      (chunks_start - kHeaderSizeBytes) % 8 != 0 ||
      static_cast<size_t>(chunks_start) > bytes.size()) {
    return Status::Corrupt("raw V4 container of {} bytes has its chunks at {}", bytes.size(),
                           chunks_start);
  }
  RawV4File file;
  file.bytes_ = bytes;
  file.version_ = field(0);
  file.target_size_bytes_ = static_cast<uint32_t>(target);
  file.document_count_ = document_count;
  TRELLIS_ASSIGN_OR_RETURN(file.compression_, codec::ParseCompression(field(8)));
  file.table_ = bytes.subspan(kHeaderSizeBytes, chunks_start - kHeaderSizeBytes);
  file.data_ = bytes.subspan(static_cast<size_t>(chunks_start));
  file.chunk_count_ = static_cast<uint32_t>(file.table_.size() / kTableEntrySizeBytes);
  TRELLIS_RETURN_IF_ERROR(file.CheckTable());
  return file;
}

Status RawV4File::CheckTable() const {
  if ((chunk_count_ == 0) != (document_count_ == 0)) {
    return Status::Corrupt("raw V4 container has {} chunks for {} documents", chunk_count_,
                           document_count_);
  }
  for (uint32_t chunk = 0; chunk < chunk_count_; ++chunk) {
    const uint32_t first = DocInfo(chunk) & ~kHugeFlag;
    const uint64_t offset = Offset(chunk);
    const bool starts_right =
        chunk == 0 ? first == 0 && offset == 0
                   : first > (DocInfo(chunk - 1) & ~kHugeFlag) && offset >= Offset(chunk - 1);
    if (!starts_right || first >= document_count_ || offset > data_.size()) {
      return Status::Corrupt("chunk {} starts at document {} of {} and at byte {} of {}", chunk,
                             first, document_count_, offset, data_.size());
    }
    const uint32_t end =
        chunk + 1 < chunk_count_ ? DocInfo(chunk + 1) & ~kHugeFlag : document_count_;
    if ((DocInfo(chunk) & kHugeFlag) && end != first + 1) {
      return Status::Corrupt("huge chunk {} holds the documents [{}, {})", chunk, first, end);
    }
  }
  return {};
}

uint32_t RawV4File::DocInfo(uint32_t chunk) const {
  return LoadLittleEndian<uint32_t>(table_.data() + size_t{chunk} * kTableEntrySizeBytes);
}

uint32_t RawV4File::Offset(uint32_t chunk) const {
  return LoadLittleEndian<uint32_t>(table_.data() + size_t{chunk} * kTableEntrySizeBytes + 4);
}

uint32_t RawV4File::ChunkNumberOf(uint32_t doc) const {
  uint32_t low = 0;  // the last chunk that is known to start at or before doc
  for (uint32_t high = chunk_count_; high - low > 1;) {
    const uint32_t middle = low + (high - low) / 2;
    ((DocInfo(middle) & ~kHugeFlag) <= doc ? low : high) = middle;
  }
  return low;
}

Result<RawV4File::Chunk> RawV4File::ChunkOf(uint32_t doc) const {
  const uint32_t number = ChunkNumberOf(doc);
  const bool last = number + 1 == chunk_count_;
  const uint32_t info = DocInfo(number), first_doc = info & ~kHugeFlag;
  const uint32_t end_doc = last ? document_count_ : DocInfo(number + 1) & ~kHugeFlag;
  const uint64_t start = Offset(number), end = last ? data_.size() : Offset(number + 1);
  const bool huge = (info & kHugeFlag) != 0;
  if (doc < first_doc || doc >= end_doc || end_doc > document_count_ ||
      (huge && end_doc - first_doc != 1) || start > end || end > data_.size()) {
    return Status::Corrupt(
        "chunk {} holds the documents [{}, {}) at [{}, {}) of {} bytes, looked up for document {}",
        number, first_doc, end_doc, start, end, data_.size(), doc);
  }
  return Chunk{.number = number,
               .first_doc = first_doc,
               .end_doc = end_doc,
               .huge = huge,
               .bytes = data_.subspan(start, end - start)};
}

Status SizesToStarts(std::span<uint8_t> chunk, uint32_t docs) {
  uint64_t start = 4 * (uint64_t{docs} + 1);
  if (chunk.size() < start) {
    return Status::Corrupt("chunk of {} bytes is too short for {} documents", chunk.size(), docs);
  }
  for (uint32_t row = 0; row < docs; ++row) {
    uint8_t* at = chunk.data() + 4 + size_t{row} * 4;
    const uint32_t size = LoadLittleEndian<uint32_t>(at);
    if (size > chunk.size() - start) {
      return Status::Corrupt("row {} of a chunk of {} bytes has {} bytes at {}", row, chunk.size(),
                             size, start);
    }
    const auto start32 = static_cast<uint32_t>(start);
    std::memcpy(at, &start32, sizeof(start32));
    start += size;
  }
  if (start != chunk.size())
    return Status::Corrupt("{} bytes follow the rows of a chunk", chunk.size() - start);
  return {};
}

Result<RawV4Rows> RawV4Rows::Open(ByteView chunk, uint32_t docs) {
  const uint64_t head_size = 4 * (uint64_t{docs} + 1);
  if (chunk.size() < head_size) {
    return Status::Corrupt("chunk of {} bytes is too short for {} documents", chunk.size(), docs);
  }
  const uint32_t stored = LoadLittleEndian<uint32_t>(chunk.data());
  if (stored != docs)
    return Status::Corrupt("chunk holds {} documents, its table says {}", stored, docs);
  if (docs > 0 && LoadLittleEndian<uint32_t>(chunk.data() + 4) != head_size) {
    return Status::Corrupt("the first row starts at {}, not behind the row offsets at {}",
                           LoadLittleEndian<uint32_t>(chunk.data() + 4), head_size);
  }
  return RawV4Rows(chunk, docs);
}

Result<ByteView> RawV4Rows::Row(uint32_t row) const {
  const uint8_t* at = chunk_.data() + 4 + size_t{row} * 4;
  const uint64_t start = LoadLittleEndian<uint32_t>(at);
  const uint64_t end = row + 1 < docs_ ? LoadLittleEndian<uint32_t>(at + 4) : chunk_.size();
  if (start > end || end > chunk_.size() || start < 4 * (uint64_t{docs_} + 1)) {
    return Status::Corrupt("row {} of a chunk of {} bytes lies at [{}, {})", row, chunk_.size(),
                           start, end);
  }
  return chunk_.subspan(start, end - start);
}

bool RawV4Rows::Slice(uint32_t first, std::span<std::string_view> to) const {
  return SliceRows<std::endian::little>(chunk_, chunk_.data() + 4, docs_, first,
                                        4 * (uint64_t{docs_} + 1), to);
}

}  // namespace trellis::format
