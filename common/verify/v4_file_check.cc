#include <algorithm>
#include <vector>

#include "common/codec/decompress.h"
#include "common/verify/raw_forward_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kHeaderSizeBytes = 16;
constexpr uint64_t kTableEntrySizeBytes = 8;
constexpr uint32_t kHugeFlag = 0x80000000;

struct V4Chunk {
  uint64_t index, first_doc, docs;
  bool huge;
  uint64_t at;  // in the file
  ByteView bytes;
};

class V4Walk {
 public:
  V4Walk(ByteView bytes, const RowShape& shape, uint32_t document_count, RowFacts& facts,
         FaultLog& log)
      : bytes_(bytes), shape_(shape), document_count_(document_count), facts_(facts), log_(log) {}

  void Run() {
    if (!ReadHeader()) return;
    const std::vector<V4Chunk> chunks = ReadTable();
    for (const V4Chunk& chunk : chunks) CheckChunk(chunk);
  }

 private:
  int64_t Field(uint64_t at) const { return LoadBigEndian<int32_t>(bytes_.data() + at); }

  bool ReadHeader() {
    if (bytes_.size() < kHeaderSizeBytes) {
      log_.Fault(0, "a header of 16 bytes", fmt::format("{} bytes", bytes_.size()));
      return false;
    }
    version_ = Field(0);
    if (version_ < 4 || version_ > 6) {
      log_.Fault(0, "version 4, 5 or 6", std::to_string(version_));
      return false;
    }
    const auto compression = codec::ParseCompression(static_cast<int32_t>(Field(8)));
    const int64_t start = Field(12);
    const bool start_good =
        start >= 16 && (start - 16) % 8 == 0 && static_cast<uint64_t>(start) <= bytes_.size();
    if (Field(4) <= 0) log_.Fault(4, "a chunk size", std::to_string(Field(4)));
    if (!compression.ok())
      log_.Fault(8, "a compression code from 0 to 7", std::to_string(Field(8)));
    if (!start_good)
      log_.Fault(12, fmt::format("16 + 8 x chunks, at most {}", bytes_.size()),
                 std::to_string(start));
    if (Field(4) <= 0 || !compression.ok() || !start_good) return false;
    target_ = static_cast<uint64_t>(Field(4));
    compression_ = *compression;
    data_start_ = static_cast<uint64_t>(start);
    return true;
  }

  // The chunks, empty after a fault.
  std::vector<V4Chunk> ReadTable() {
    const uint64_t count = (data_start_ - kHeaderSizeBytes) / kTableEntrySizeBytes;
    const uint64_t data_size = bytes_.size() - data_start_;
    std::vector<V4Chunk> chunks;
    if (count == 0) {
      if (document_count_ > 0)
        log_.Fault(12, fmt::format("chunks of {} documents", document_count_), "none");
      return chunks;
    }
    chunks.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      const uint64_t at = kHeaderSizeBytes + i * kTableEntrySizeBytes;
      const uint32_t info = LoadLittleEndian<uint32_t>(bytes_.data() + at);
      const uint64_t doc = info & ~kHugeFlag;
      const uint64_t offset = LoadLittleEndian<uint32_t>(bytes_.data() + at + 4);
      const bool doc_good = i == 0 ? doc == 0 : doc > chunks.back().first_doc;
      if (!doc_good || doc >= document_count_) {
        log_.Fault(
            at,
            fmt::format("a first document above the last chunk's and below {}", document_count_),
            std::to_string(doc));
        return {};
      }
      const uint64_t lowest = i == 0 ? 0 : chunks.back().at - data_start_;
      if (offset < lowest || offset > data_size || (i == 0 && offset != 0)) {
        log_.Fault(at + 4, fmt::format("an offset from {} to {}", lowest, i == 0 ? 0 : data_size),
                   std::to_string(offset));
        return {};
      }
      if (i > 0) End(chunks.back(), doc, data_start_ + offset);
      chunks.push_back({i, doc, 0, (info & kHugeFlag) != 0, data_start_ + offset, {}});
    }
    End(chunks.back(), document_count_, bytes_.size());
    return chunks;
  }

  void End(V4Chunk& chunk, uint64_t end_doc, uint64_t end) const {
    chunk.docs = end_doc - chunk.first_doc;
    chunk.bytes = bytes_.subspan(chunk.at, end - chunk.at);
  }

  void CheckChunk(const V4Chunk& chunk) {
    const uint64_t largest = chunk.huge ? codec::kInflatedSizeBytesMax : target_;
    ByteView content = chunk.bytes;
    if (compression_ != codec::Compression::kPassThrough) {
      const Status status = codec::Decompress(
          compression_, content, codec::SizeTrailer::kLittleEndian, largest, inflated_);
      if (!status.ok())
        return log_.Fault(chunk.at,
                          fmt::format("chunk {}, {} of at most {} bytes", chunk.index,
                                      codec::CompressionName(compression_), largest),
                          status.message());
      content = inflated_.view();
      facts_.largest_chunk_bytes = std::max<uint64_t>(facts_.largest_chunk_bytes, content.size());
    }
    if (content.size() > largest)
      return log_.Fault(chunk.at, fmt::format("a chunk of at most {} bytes", largest),
                        fmt::format("{} bytes", content.size()));
    if (!chunk.huge) return CheckRows(chunk, content);
    if (chunk.docs != 1)
      return log_.Fault(chunk.at, "one document in a huge chunk", fmt::format("{}", chunk.docs));
    CheckRowPayload(content, shape_, chunk.first_doc, chunk.at, facts_, log_);
  }

  void CheckRows(const V4Chunk& chunk, ByteView content) {
    const auto number = [&](uint64_t at) -> int64_t {
      return LoadLittleEndian<int32_t>(content.data() + at);
    };
    const uint64_t table = 4 * (chunk.docs + 1);
    if (content.size() < table || number(0) != static_cast<int64_t>(chunk.docs))
      return log_.Fault(chunk.at, fmt::format("{} documents and their row starts", chunk.docs),
                        content.size() < 4
                            ? fmt::format("{} bytes", content.size())
                            : fmt::format("{} in {} bytes", number(0), content.size()));
    const bool sizes = version_ == 6 && compression_ != codec::Compression::kPassThrough;
    const int64_t size = static_cast<int64_t>(content.size());
    int64_t start = static_cast<int64_t>(table);
    if (!sizes && number(4) != start)
      return log_.Fault(chunk.at, fmt::format("row 0 at {} of its chunk", start),
                        std::to_string(number(4)));
    for (uint64_t row = 0; row < chunk.docs; ++row) {
      int64_t end = row + 1 < chunk.docs ? 0 : size;
      if (sizes) {
        end = start + number(4 + 4 * row);
      } else if (row + 1 < chunk.docs) {
        end = number(8 + 4 * row);
      }
      if (end < start || end > size || (row + 1 == chunk.docs && end != size))
        return log_.Fault(chunk.at,
                          fmt::format("row {} from {} to {} of its chunk", row, start, size),
                          fmt::format("its end at {}", end));
      CheckRowPayload(content.subspan(static_cast<size_t>(start), static_cast<size_t>(end - start)),
                      shape_, chunk.first_doc + row, chunk.at, facts_, log_);
      start = end;
    }
  }

  ByteView bytes_;
  RowShape shape_;
  uint32_t document_count_;
  RowFacts& facts_;
  FaultLog& log_;
  int64_t version_ = 0;
  uint64_t target_ = 0;
  codec::Compression compression_ = codec::Compression::kPassThrough;
  uint64_t data_start_ = 0;
  codec::InflatedBuffer inflated_;
};

}  // namespace

void CheckV4File(ByteView bytes, const RowShape& shape, uint32_t document_count, RowFacts& facts,
                 FaultLog& log) {
  V4Walk(bytes, shape, document_count, facts, log).Run();
}

}  // namespace trellis::verify
