#include "common/format/raw_chunk.h"

#include <algorithm>

#include "common/base/bits.h"
#include "common/format/row_slices.h"

namespace trellis::format {
namespace {

constexpr size_t kHeaderSizeBytes = 28;
constexpr size_t kVersion1HeaderSizeBytes = 16;

uint64_t OffsetWidth(int32_t version) { return version <= 2 ? 4 : 8; }
size_t HeaderSize(int32_t version) {
  return version == 1 ? kVersion1HeaderSizeBytes : kHeaderSizeBytes;
}

}  // namespace

Result<RawChunkFile> RawChunkFile::Open(ByteView bytes, uint32_t document_count) {
  if (bytes.size() < 4)
    return Status::Corrupt("raw forward index of {} bytes has no version", bytes.size());
  RawChunkFile file;
  file.bytes_ = bytes;
  file.document_count_ = document_count;
  file.version_ = LoadBigEndian<int32_t>(bytes.data());
  if (file.version_ < 1)
    return Status::Corrupt("raw chunk container has version {}", file.version_);
  const size_t header_size = HeaderSize(file.version_);
  if (bytes.size() < header_size) {
    return Status::Corrupt("raw chunk container is shorter than its header: {} < {} bytes",
                           bytes.size(), header_size);
  }
  const auto field = [&](size_t at) { return LoadBigEndian<int32_t>(bytes.data() + at); };
  const int32_t chunks = field(4), docs_per_chunk = field(8), entry_size = field(12);
  int64_t documents = document_count, offsets_start = kVersion1HeaderSizeBytes;
  file.compression_ = codec::Compression::kSnappy;
  if (file.version_ > 1) {
    documents = field(16);
    offsets_start = field(24);
    TRELLIS_ASSIGN_OR_RETURN(file.compression_, codec::ParseCompression(field(20)));
  }
  if (chunks < 0 || docs_per_chunk <= 0 || entry_size < 0 ||
      offsets_start < static_cast<int64_t>(header_size)) {
    return Status::Corrupt(
        "raw chunk header: {} chunks of {} documents, entry size {}, offsets at {}", chunks,
        docs_per_chunk, entry_size, offsets_start);
  }
  if (documents != document_count) {
    return Status::Corrupt("raw chunk header says {} documents, the segment has {}", documents,
                           document_count);
  }
  if (CeilDivide(document_count, docs_per_chunk) != static_cast<uint64_t>(chunks)) {
    return Status::Corrupt("{} documents do not make {} chunks of {}", documents, chunks,
                           docs_per_chunk);
  }
  file.chunk_count_ = static_cast<uint32_t>(chunks);
  file.docs_per_chunk_ = static_cast<uint32_t>(docs_per_chunk);
  file.entry_size_bytes_ = static_cast<uint32_t>(entry_size);
  file.offsets_start_ = static_cast<uint64_t>(offsets_start);
  file.chunks_start_ = file.offsets_start_ + OffsetWidth(file.version_) * file.chunk_count_;
  if (file.chunks_start_ > bytes.size()) {
    return Status::Corrupt("chunk offsets [{}, {}) lie outside {} bytes", file.offsets_start_,
                           file.chunks_start_, bytes.size());
  }
  return file;
}

uint32_t RawChunkFile::DocsIn(uint32_t chunk) const {
  const uint64_t first = uint64_t{chunk} * docs_per_chunk_;
  return static_cast<uint32_t>(std::min<uint64_t>(docs_per_chunk_, document_count_ - first));
}

uint64_t RawChunkFile::OffsetAt(uint32_t chunk) const {
  if (chunk == chunk_count_) return bytes_.size();
  const uint64_t width = OffsetWidth(version_);
  const uint8_t* at = bytes_.data() + offsets_start_ + width * chunk;
  // A negative i32 must stay out of range, so it is widened with its sign.
  return width == 4 ? static_cast<uint64_t>(int64_t{LoadBigEndian<int32_t>(at)})
                    : LoadBigEndian<uint64_t>(at);
}

Result<ByteView> RawChunkFile::Chunk(uint32_t chunk) const {
  const uint64_t start = OffsetAt(chunk);
  const uint64_t end = OffsetAt(chunk + 1);
  if (start < chunks_start_ || start > end || end > bytes_.size()) {
    return Status::Corrupt("chunk {} lies at [{}, {}), the chunk area is [{}, {})", chunk, start,
                           end, chunks_start_, bytes_.size());
  }
  return bytes_.subspan(start, end - start);
}

Result<RawChunkRows> RawChunkRows::Open(ByteView chunk, uint32_t docs_per_chunk, uint32_t docs) {
  const uint64_t slots_size = uint64_t{docs_per_chunk} * 4;
  if (chunk.size() < slots_size) {
    return Status::Corrupt("chunk of {} bytes is shorter than its {} row offsets", chunk.size(),
                           docs_per_chunk);
  }
  if (docs > 0 && LoadBigEndian<uint32_t>(chunk.data()) != slots_size) {
    return Status::Corrupt("the first row starts at {}, not behind the row offsets at {}",
                           LoadBigEndian<uint32_t>(chunk.data()), slots_size);
  }
  if (docs < docs_per_chunk && LoadBigEndian<uint32_t>(chunk.data() + size_t{docs} * 4) != 0) {
    return Status::Corrupt("the chunk has a row behind its {} documents, at {}", docs,
                           LoadBigEndian<uint32_t>(chunk.data() + size_t{docs} * 4));
  }
  return RawChunkRows(chunk, docs, slots_size);
}

Result<ByteView> RawChunkRows::Row(uint32_t row) const {
  const uint8_t* at = chunk_.data() + size_t{row} * 4;
  const uint64_t start = LoadBigEndian<uint32_t>(at);
  const uint64_t end = row + 1 < docs_ ? LoadBigEndian<uint32_t>(at + 4) : chunk_.size();
  // Below the rows' start lies 0, too, which means "absent" and is only legal past the last
  // document.
  if (start > end || end > chunk_.size() || start < rows_start_) {
    return Status::Corrupt("row {} of a chunk of {} bytes lies at [{}, {})", row, chunk_.size(),
                           start, end);
  }
  return chunk_.subspan(start, end - start);
}

bool RawChunkRows::Slice(uint32_t first, std::span<std::string_view> to) const {
  return SliceRows<std::endian::big>(chunk_, chunk_.data(), docs_, first, rows_start_, to);
}

}  // namespace trellis::format
