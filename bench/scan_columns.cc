#include "bench/scan_columns.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "common/base/bits.h"
#include "common/base/check.h"

namespace trellis::bench {
namespace {

using codec::Compression;

constexpr uint32_t kDocsPerChunk = 1024;
constexpr size_t kLineChunkSizeBytes = 1 << 20;

uint64_t Mix(uint64_t number) {
  number = (number ^ (number >> 31)) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
  return number ^ (number >> 32);
}

template <class T>
void PutBigEndian(T value, std::vector<uint8_t>& to) {
  to.resize(to.size() + sizeof(T));
  StoreBigEndian(value, to.data() + to.size() - sizeof(T));
}
void PutLittleEndian(uint32_t value, std::vector<uint8_t>& to) {
  for (int shift = 0; shift < 32; shift += 8) to.push_back(static_cast<uint8_t>(value >> shift));
}
void Append(ByteView bytes, std::vector<uint8_t>& to) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

class BitAppender {
 public:
  BitAppender(std::vector<uint8_t>& to, int width) : to_(to), width_(width) {}
  ~BitAppender() {
    if (filled_ > 0) to_.push_back(static_cast<uint8_t>(bits_ << (8 - filled_)));
  }
  void Add(uint32_t value) {
    bits_ = bits_ << width_ | value;
    for (filled_ += width_; filled_ >= 8;) {
      filled_ -= 8;
      to_.push_back(static_cast<uint8_t>(bits_ >> filled_));
    }
  }

 private:
  std::vector<uint8_t>& to_;
  int width_;
  uint64_t bits_ = 0;
  int filled_ = 0;
};

// The bytes of a chunk as stored, without the length that V4 puts before LZ4 blocks.
std::vector<uint8_t> Compress(Compression compression, ByteView from) {
  const char* data = reinterpret_cast<const char*>(from.data());
  std::vector<uint8_t> out;
  size_t size = 0;
  switch (compression) {
    case Compression::kPassThrough:
      return {from.begin(), from.end()};
    case Compression::kSnappy:
      out.resize(snappy::MaxCompressedLength(from.size()));
      snappy::RawCompress(data, from.size(), reinterpret_cast<char*>(out.data()), &size);
      break;
    case Compression::kZstandard:
      out.resize(ZSTD_compressBound(from.size()));
      size = ZSTD_compress(out.data(), out.size(), data, from.size(), 3);
      break;
    case Compression::kGzip: {
      uLongf written = compressBound(from.size());
      out.resize(written);
      TRELLIS_CHECK(compress(out.data(), &written, from.data(), from.size()) == Z_OK);
      size = written;
      break;
    }
    default:
      out.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(from.size()))));
      size = static_cast<size_t>(LZ4_compress_default(data, reinterpret_cast<char*>(out.data()),
                                                      static_cast<int>(from.size()),
                                                      static_cast<int>(out.size())));
  }
  out.resize(size);
  return out;
}

void Open(BenchColumn& column) {
  column.payload.shrink_to_fit();
  column.reader = column::OpenForwardIndex(column.payload, column.shape).value();
}

}  // namespace

uint32_t IdOf(uint32_t doc, int bits) { return static_cast<uint32_t>(Mix(doc + 1)) >> (32 - bits); }
int64_t NumberOf(uint32_t doc) { return static_cast<int64_t>(Mix(doc - Mix(doc) % 3) % 300) * 25; }

std::string LineOf(uint32_t doc) {
  static constexpr std::string_view kWords[] = {"request ", "served ", "in ",   "cache ",
                                                "miss ",    "for ",    "user ", "timeout ",
                                                "shard ",   "retry ",  "ok ",   "row "};
  std::string line;
  uint64_t random = Mix(doc + 77);
  for (uint64_t words = 2 + random % 7; words > 0; --words) {
    random = Mix(random);
    line += kWords[random % std::size(kWords)];
    if (random >> 60 < 5) line += std::to_string(random >> 40 & 0xffff);
  }
  return line;
}

BenchColumn BitPackedColumn(uint32_t docs, int bits) {
  BenchColumn column;
  column.shape = {.type = DataType::kLong,
                  .dictionary_encoded = true,
                  .document_count = docs,
                  .cardinality = 1U << bits,
                  .bits_per_element = bits};
  column.payload.reserve(size_t{docs} * static_cast<size_t>(bits) / 8 + 1);
  {
    BitAppender ids(column.payload, bits);
    for (uint32_t doc = 0; doc < docs; ++doc) ids.Add(IdOf(doc, bits));
  }
  column.value_size_bytes = size_t{docs} * 4;
  Open(column);
  return column;
}

BenchColumn MultiValueColumn(uint32_t docs, int bits) {
  BenchColumn column;
  std::vector<uint32_t> starts = {0};
  for (uint32_t doc = 0; doc < docs; ++doc) {
    starts.push_back(starts.back() + 1 + static_cast<uint32_t>(Mix(doc) % 7));
  }
  const uint32_t values = starts.back();
  column.shape = {.type = DataType::kLong,
                  .multi_value = true,
                  .dictionary_encoded = true,
                  .document_count = docs,
                  .cardinality = 1U << bits,
                  .bits_per_element = bits,
                  .total_entries = values};
  const auto docs_per_chunk = static_cast<uint32_t>(CeilDivide(2048, values / docs));
  for (uint32_t doc = 0; doc < docs; doc += docs_per_chunk) {
    PutBigEndian(starts[doc], column.payload);
  }
  const size_t bitmap = column.payload.size();
  column.payload.resize(bitmap + CeilDivide(values, 8));
  for (uint32_t doc = 0; doc < docs; ++doc) {
    uint8_t& byte = column.payload[bitmap + starts[doc] / 8];
    byte = static_cast<uint8_t>(byte | 0x80 >> starts[doc] % 8);
  }
  {
    BitAppender ids(column.payload, bits);
    for (uint32_t value = 0; value < values; ++value) ids.Add(IdOf(value, bits));
  }
  column.value_size_bytes = size_t{values} * 4;
  Open(column);
  return column;
}

BenchColumn RawColumn(uint32_t docs, Compression compression, int width) {
  BenchColumn column;
  column.shape = {.type = width == 4 ? DataType::kInt : DataType::kLong, .document_count = docs};
  const auto chunks = static_cast<uint32_t>(CeilDivide(docs, kDocsPerChunk));
  for (const uint32_t field : {4U, chunks, kDocsPerChunk, static_cast<uint32_t>(width), docs,
                               static_cast<uint32_t>(compression), 28U}) {
    PutBigEndian(field, column.payload);
  }
  const size_t offsets = column.payload.size();
  column.payload.resize(offsets + size_t{chunks} * 8);
  std::vector<uint8_t> plain;
  for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
    plain.clear();
    const uint32_t end = std::min(docs, (chunk + 1) * kDocsPerChunk);
    for (uint32_t doc = chunk * kDocsPerChunk; doc < end; ++doc) {
      if (width == 4) PutBigEndian(static_cast<int32_t>(NumberOf(doc)), plain);
      if (width == 8) PutBigEndian(NumberOf(doc), plain);
    }
    const size_t start = column.payload.size();
    StoreBigEndian(uint64_t{start}, column.payload.data() + offsets + size_t{chunk} * 8);
    Append(Compress(compression, plain), column.payload);
    if (compression == Compression::kGzip) {
      PutBigEndian(static_cast<uint32_t>(plain.size()), column.payload);
    }
    column.chunks.emplace_back(start, column.payload.size() - start);
  }
  column.chunk_size_bytes_max = size_t{kDocsPerChunk} * static_cast<size_t>(width);
  column.value_size_bytes = size_t{docs} * static_cast<size_t>(width);
  Open(column);
  return column;
}

BenchColumn LineColumn(uint32_t docs, Compression compression) {
  BenchColumn column;
  column.shape = {.type = DataType::kString, .document_count = docs};
  column.chunk_size_bytes_max = kLineChunkSizeBytes;
  std::vector<uint8_t> table, data, plain;
  for (uint32_t doc = 0; doc < docs;) {
    const uint32_t first = doc;
    std::vector<std::string> lines;
    size_t size = 4;
    for (; doc < docs; ++doc) {
      std::string line = LineOf(doc);
      if (size + line.size() + 4 > kLineChunkSizeBytes) break;
      size += line.size() + 4;
      lines.push_back(std::move(line));
    }
    plain.clear();
    PutLittleEndian(static_cast<uint32_t>(lines.size()), plain);
    size_t start = 4 * (lines.size() + 1);
    for (const std::string& line : lines) {
      PutLittleEndian(static_cast<uint32_t>(start), plain);
      start += line.size();
    }
    for (const std::string& line : lines) Append(AsBytes(line), plain);
    column.value_size_bytes += plain.size();
    PutLittleEndian(first, table);
    PutLittleEndian(static_cast<uint32_t>(data.size()), table);
    const size_t chunk_start = data.size();
    if (compression == Compression::kLz4LengthPrefixed) {
      PutLittleEndian(static_cast<uint32_t>(plain.size()), data);
    }
    Append(Compress(compression, plain), data);
    if (compression == Compression::kGzip) {
      PutLittleEndian(static_cast<uint32_t>(plain.size()), data);
    }
    column.chunks.emplace_back(chunk_start, data.size() - chunk_start);
  }
  const auto data_start = static_cast<uint32_t>(16 + table.size());
  for (const uint32_t field : {4U, static_cast<uint32_t>(kLineChunkSizeBytes),
                               static_cast<uint32_t>(compression), data_start}) {
    PutBigEndian(field, column.payload);
  }
  Append(table, column.payload);
  Append(data, column.payload);
  for (auto& [start, size] : column.chunks) start += data_start;
  Open(column);
  return column;
}

}  // namespace trellis::bench
