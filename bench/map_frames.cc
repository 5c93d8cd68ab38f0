#include "bench/map_frames.h"

#include <fmt/format.h>
#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>

#include "common/base/check.h"

namespace trellis::bench {
namespace {

using codec::Compression;

uint64_t Mix(uint64_t number) {
  number = (number ^ (number >> 31)) * 0x9E3779B97F4A7C15;
  number = (number ^ (number >> 29)) * 0xBF58476D1CE4E5B9;
  return number ^ (number >> 32);
}

void PutBigEndian(uint64_t value, int bytes, std::string& to) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to += static_cast<char>(value >> shift);
}
void PutLittleEndian(size_t value, std::string& to) {
  for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(value >> shift);
}

void AppendText(std::string_view text, std::string& to) {
  PutBigEndian(text.size(), 4, to);
  to += text;
}

std::string WordOf(uint64_t random) {
  static constexpr std::string_view kWords[] = {"checkout", "frontend", "payments", "gateway",
                                                "cart",     "shipping", "currency", "catalog"};
  return fmt::format("{}-{:07x}", kWords[random % 8], random >> 36);
}

// The bytes of a chunk as stored; the containers of version 4 and later keep GZIP's size
// little-endian.
std::string Compress(Compression compression, std::string_view from, bool little_endian) {
  std::string out;
  size_t size = 0;
  switch (compression) {
    case Compression::kSnappy:
      snappy::Compress(from.data(), from.size(), &out);
      return out;
    case Compression::kZstandard:
      out.resize(ZSTD_compressBound(from.size()));
      size = ZSTD_compress(out.data(), out.size(), from.data(), from.size(), 3);
      out.resize(size);
      return out;
    case Compression::kGzip: {
      uLongf written = compressBound(from.size());
      out.resize(written);
      TRELLIS_CHECK(compress(reinterpret_cast<Bytef*>(out.data()), &written,
                             reinterpret_cast<const Bytef*>(from.data()), from.size()) == Z_OK);
      out.resize(written);
      if (little_endian) {
        PutLittleEndian(from.size(), out);
      } else {
        PutBigEndian(from.size(), 4, out);
      }
      return out;
    }
    case Compression::kLz4:
    case Compression::kLz4LengthPrefixed: {
      if (compression == Compression::kLz4LengthPrefixed) PutLittleEndian(from.size(), out);
      const size_t prefix = out.size();
      const int bound = LZ4_compressBound(static_cast<int>(from.size()));
      out.resize(prefix + static_cast<size_t>(bound));
      const int written = LZ4_compress_default(from.data(), out.data() + prefix,
                                               static_cast<int>(from.size()), bound);
      out.resize(prefix + static_cast<size_t>(written));
      return out;
    }
    default:
      return std::string(from);
  }
}

// An index under way: chunks behind each other and where they start.
struct Chunks {
  std::string data;
  std::vector<uint32_t> first_docs;
  std::vector<size_t> starts;

  void Add(uint32_t first_doc, std::string_view stored) {
    first_docs.push_back(first_doc);
    starts.push_back(data.size());
    data += stored;
  }
};

void Finish(std::string header, const Chunks& chunks, MapColumn& column) {
  const size_t data_start = header.size();
  header += chunks.data;
  column.payload.assign(header.begin(), header.end());
  for (size_t i = 0; i < chunks.starts.size(); ++i) {
    const size_t end = i + 1 < chunks.starts.size() ? chunks.starts[i + 1] : chunks.data.size();
    column.chunks.emplace_back(data_start + chunks.starts[i], end - chunks.starts[i]);
  }
}

// Format notes 5.4 and 5.6.
void MakeV4(const MapFrames& frames, int version, MapColumn& column) {
  const bool sizes = version == 6 && column.compression != Compression::kPassThrough;
  const auto docs = static_cast<uint32_t>(frames.rows.size());
  Chunks chunks;
  for (uint32_t doc = 0; doc < docs;) {
    const uint32_t first = doc;
    size_t size = 4;
    for (; doc < docs && size + 4 + frames.rows[doc].size() <= kMapChunkBytesMax; ++doc) {
      size += 4 + frames.rows[doc].size();
    }
    std::string plain;
    PutLittleEndian(doc - first, plain);
    size_t start = 4 * (size_t{doc - first} + 1);
    for (uint32_t row = first; row < doc; ++row) {
      PutLittleEndian(sizes ? frames.rows[row].size() : start, plain);
      start += frames.rows[row].size();
    }
    for (uint32_t row = first; row < doc; ++row) plain += frames.rows[row];
    chunks.Add(first, Compress(column.compression, plain, /*little_endian=*/true));
  }
  std::string header;
  for (const size_t field :
       {static_cast<size_t>(version), kMapChunkBytesMax, static_cast<size_t>(column.compression),
        16 + 8 * chunks.starts.size()}) {
    PutBigEndian(field, 4, header);
  }
  for (size_t i = 0; i < chunks.starts.size(); ++i) {
    PutLittleEndian(chunks.first_docs[i], header);
    PutLittleEndian(chunks.starts[i], header);
  }
  Finish(std::move(header), chunks, column);
}

// Format notes 5.3.
void MakeV3(const MapFrames& frames, int version, MapColumn& column) {
  size_t longest = 0;
  for (const std::string_view row : frames.rows) longest = std::max(longest, row.size());
  const auto docs = static_cast<uint32_t>(frames.rows.size());
  const auto docs_per_chunk = static_cast<uint32_t>(kMapChunkBytesMax / (longest + 4));
  Chunks chunks;
  for (uint32_t first = 0; first < docs; first += docs_per_chunk) {
    const uint32_t end = std::min(docs, first + docs_per_chunk);
    std::string plain;
    size_t start = size_t{4} * docs_per_chunk;
    for (uint32_t slot = first; slot < first + docs_per_chunk; ++slot) {
      PutBigEndian(slot < end ? start : 0, 4, plain);
      if (slot < end) start += frames.rows[slot].size();
    }
    for (uint32_t row = first; row < end; ++row) plain += frames.rows[row];
    chunks.Add(first, Compress(column.compression, plain, /*little_endian=*/false));
  }
  std::string header;
  const size_t count = chunks.starts.size();
  for (const size_t field : {static_cast<size_t>(version), count, size_t{docs_per_chunk}, longest,
                             size_t{docs}, static_cast<size_t>(column.compression), size_t{28}}) {
    PutBigEndian(field, 4, header);
  }
  const int width = version == 2 ? 4 : 8;
  const size_t data_start = header.size() + count * static_cast<size_t>(width);
  for (const size_t start : chunks.starts) PutBigEndian(data_start + start, width, header);
  Finish(std::move(header), chunks, column);
}

}  // namespace

std::string MapKeyName(uint32_t entry) { return fmt::format("k8s.attr.{:03}", entry); }

std::string MapValueJson(MapShape shape, uint32_t doc, uint32_t entry) {
  const uint64_t random = Mix((uint64_t{doc} << 16) + entry + 1);
  switch (shape) {
    case MapShape::kFlat:
      return '"' + WordOf(random) + '"';
    case MapShape::kNumeric:
      if (entry % 2 == 0) return std::to_string(random >> 40);
      return fmt::format("{}.{}", random >> 50, 1 + random % 9);
    case MapShape::kNested:
      return fmt::format(R"({{"id":{},"on":"{}"}})", random >> 54,
                         WordOf(random).substr(0, random % 6));
  }
  return {};
}

MapFrames MakeMapFrames(MapShape shape, uint32_t entries) {
  MapFrames frames;
  frames.shape = shape;
  frames.entries = entries;
  std::vector<size_t> starts;
  std::vector<std::string> keys;
  for (uint32_t entry = 0; entry < entries; ++entry) keys.push_back(MapKeyName(entry));
  for (uint32_t doc = 0; doc < MapFrames::kDocsMin || frames.bytes.size() < MapFrames::kBytesMin;
       ++doc) {
    starts.push_back(frames.bytes.size());
    PutBigEndian(entries, 4, frames.bytes);
    for (uint32_t entry = 0; entry < entries; ++entry) {
      AppendText(keys[entry], frames.bytes);
      AppendText(MapValueJson(shape, doc, entry), frames.bytes);
    }
  }
  starts.push_back(frames.bytes.size());
  for (size_t doc = 0; doc + 1 < starts.size(); ++doc) {
    frames.rows.emplace_back(frames.bytes.data() + starts[doc], starts[doc + 1] - starts[doc]);
  }
  return frames;
}

MapColumn MakeMapColumn(const MapFrames& frames, codec::Compression compression, int version) {
  MapColumn column;
  const bool prefixed = version >= 4 && compression == Compression::kLz4;
  column.compression = prefixed ? Compression::kLz4LengthPrefixed : compression;
  column.shape = {.type = DataType::kMap,
                  .document_count = static_cast<uint32_t>(frames.rows.size())};
  if (version >= 4) {
    MakeV4(frames, version, column);
  } else {
    column.trailer = codec::SizeTrailer::kBigEndian;
    MakeV3(frames, version, column);
  }
  column.reader = column::OpenForwardIndex(column.payload, column.shape).value();
  return column;
}

}  // namespace trellis::bench
