#include <algorithm>
#include <optional>

#include "common/codec/decompress.h"
#include "common/verify/raw_forward_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kHeaderSizeBytesV1 = 16;
constexpr uint64_t kHeaderSizeBytes = 28;

struct Header {
  int32_t version = 0;
  uint64_t chunk_count = 0;
  uint64_t docs_per_chunk = 0;
  uint64_t entry_size_bytes = 0;
  codec::Compression compression = codec::Compression::kSnappy;
  uint64_t offsets_start = kHeaderSizeBytesV1;
  uint64_t offset_size_bytes = 4;
  uint64_t chunks_start() const { return offsets_start + chunk_count * offset_size_bytes; }
};

// Header fields are signed; negative ones are faults like others.
class HeaderReader {
 public:
  HeaderReader(ByteView bytes, FaultLog& log) : bytes_(bytes), log_(log) {}
  int64_t At(uint64_t offset) const { return LoadBigEndian<int32_t>(bytes_.data() + offset); }
  bool Expect(uint64_t offset, bool good, std::string expected) {
    if (!good) log_.Fault(offset, std::move(expected), std::to_string(At(offset)));
    return good;
  }

 private:
  ByteView bytes_;
  FaultLog& log_;
};

std::optional<Header> ReadHeader(ByteView bytes, const RowShape& shape, bool fixed,
                                 uint32_t document_count, FaultLog& log) {
  Header header;
  header.version = bytes.size() < 4 ? 0 : LoadBigEndian<int32_t>(bytes.data());
  const uint64_t size = header.version == 1 ? kHeaderSizeBytesV1 : kHeaderSizeBytes;
  if (bytes.size() < size || header.version < 1) {
    log.Fault(0, fmt::format("a version from 1 and a header of {} bytes", size),
              fmt::format("version {} in {} bytes", header.version, bytes.size()));
    return std::nullopt;
  }
  // Of a copy: a mapped file may be written over between a check and the use of what was checked.
  uint8_t fields[kHeaderSizeBytes] = {};
  std::copy_n(bytes.data(), size, fields);
  HeaderReader reader(fields, log);
  if (!reader.Expect(8, reader.At(8) > 0, "documents a chunk")) return std::nullopt;
  header.docs_per_chunk = static_cast<uint64_t>(reader.At(8));
  header.chunk_count = (document_count + header.docs_per_chunk - 1) / header.docs_per_chunk;
  bool good = reader.Expect(4, reader.At(4) == static_cast<int64_t>(header.chunk_count),
                            fmt::format("{} chunks", header.chunk_count));
  const Physical physical = PhysicalOf(shape.type);
  const int64_t width = physical == Physical::kInt32 || physical == Physical::kFloat ? 4 : 8;
  good &= fixed
              ? reader.Expect(12, reader.At(12) == width, fmt::format("values of {} bytes", width))
              : reader.Expect(12, reader.At(12) >= 0, "the length of the longest entry");
  if (!good) return std::nullopt;
  header.entry_size_bytes = static_cast<uint64_t>(reader.At(12));
  if (header.version == 1) return header;
  good = reader.Expect(16, reader.At(16) == document_count,
                       fmt::format("{} documents", document_count));
  const auto compression = codec::ParseCompression(static_cast<int32_t>(reader.At(20)));
  good &= reader.Expect(20, compression.ok(), "a compression code from 0 to 7");
  good &= reader.Expect(24, reader.At(24) >= static_cast<int64_t>(kHeaderSizeBytes),
                        "offsets behind the header");
  if (fixed && header.version >= 4)
    good &= reader.Expect(8, (header.docs_per_chunk & (header.docs_per_chunk - 1)) == 0,
                          "a power of two documents a chunk");
  if (!good) return std::nullopt;
  header.compression = *compression;
  header.offsets_start = static_cast<uint64_t>(reader.At(24));
  header.offset_size_bytes = header.version >= 3 ? 8 : 4;
  return header;
}

// One chunk of rows of variable length: a start for each of the chunk's documents, zeros up to
// docs_per_chunk, the rows.
void CheckRows(ByteView chunk, const Header& header, uint64_t first_doc, uint64_t docs,
               uint64_t offset, const RowShape& shape, RowFacts& facts, FaultLog& log) {
  const uint64_t table = header.docs_per_chunk * 4;
  if (chunk.size() < table)
    return log.Fault(offset, fmt::format("a chunk of at least {} bytes, its row starts", table),
                     fmt::format("{} bytes", chunk.size()));
  const auto start_of = [&](uint64_t row) -> int64_t {
    return LoadBigEndian<int32_t>(chunk.data() + row * 4);
  };
  for (uint64_t row = docs; row < header.docs_per_chunk; ++row) {
    if (start_of(row) != 0)
      return log.Fault(offset, fmt::format("0 as the start of row {}, which is not there", row),
                       std::to_string(start_of(row)));
  }
  int64_t start = static_cast<int64_t>(table);
  if (start_of(0) != start)
    return log.Fault(offset, fmt::format("row 0 at {} of its chunk", start),
                     std::to_string(start_of(0)));
  for (uint64_t row = 0; row < docs; ++row) {
    const int64_t size = static_cast<int64_t>(chunk.size());
    const int64_t end = row + 1 < docs ? start_of(row + 1) : size;
    if (end < start || end > size)
      return log.Fault(offset, fmt::format("row {} from {} to {} of its chunk", row, start, size),
                       fmt::format("its end at {}", end));
    CheckRowPayload(chunk.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)),
                    shape, first_doc + row, offset, facts, log);
    start = end;
  }
}

}  // namespace

void CheckChunkFile(ByteView bytes, const RowShape& shape, bool fixed, uint32_t document_count,
                    RowFacts& facts, FaultLog& log) {
  const auto header = ReadHeader(bytes, shape, fixed, document_count, log);
  if (!header) return;
  if (header->chunk_count == 0) return;
  if (header->chunks_start() > bytes.size())
    return log.Fault(header->offsets_start, fmt::format("{} chunk offsets", header->chunk_count),
                     fmt::format("the end at {}", bytes.size()));
  const auto offset_of = [&](uint64_t chunk) -> int64_t {
    const uint8_t* at = bytes.data() + header->offsets_start + chunk * header->offset_size_bytes;
    return header->offset_size_bytes == 4 ? LoadBigEndian<int32_t>(at) : LoadBigEndian<int64_t>(at);
  };
  const int64_t size = static_cast<int64_t>(bytes.size());
  int64_t start = static_cast<int64_t>(header->chunks_start());
  if (offset_of(0) != start)
    return log.Fault(header->offsets_start, fmt::format("chunk 0 at {}", start),
                     std::to_string(offset_of(0)));
  codec::InflatedBuffer inflated;
  for (uint64_t chunk = 0; chunk < header->chunk_count; ++chunk) {
    const int64_t end = chunk + 1 < header->chunk_count ? offset_of(chunk + 1) : size;
    if (end < start || end > size)
      return log.Fault(header->offsets_start + (chunk + 1) * header->offset_size_bytes,
                       fmt::format("an offset from {} to {}", start, size), std::to_string(end));
    const uint64_t first_doc = chunk * header->docs_per_chunk;
    const uint64_t docs = std::min<uint64_t>(header->docs_per_chunk, document_count - first_doc);
    const uint64_t at = static_cast<uint64_t>(start);
    ByteView content = bytes.subspan(at, static_cast<size_t>(end - start));
    start = end;
    const uint64_t largest = fixed ? docs * header->entry_size_bytes
                                   : header->docs_per_chunk * (4 + header->entry_size_bytes);
    if (header->compression != codec::Compression::kPassThrough) {
      const Status status = codec::Decompress(header->compression, content,
                                              codec::SizeTrailer::kBigEndian, largest, inflated);
      if (!status.ok()) {
        log.Fault(at,
                  fmt::format("chunk {}, {} of at most {} bytes", chunk,
                              codec::CompressionName(header->compression), largest),
                  status.message());
        continue;
      }
      content = inflated.view();
      facts.largest_chunk_bytes = std::max<uint64_t>(facts.largest_chunk_bytes, content.size());
    }
    if (fixed ? content.size() != largest : content.size() > largest) {
      log.Fault(at,
                fmt::format("{} {} bytes of {} documents", fixed ? "" : "at most", largest, docs),
                fmt::format("{} bytes", content.size()));
    } else if (!fixed) {
      CheckRows(content, *header, first_doc, docs, at, shape, facts, log);
    }
  }
}

}  // namespace trellis::verify
