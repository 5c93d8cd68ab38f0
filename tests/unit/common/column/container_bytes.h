#pragma once

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <numeric>
#include <string>
#include <vector>

#include "common/column/forward_index.h"

// Containers are put together here field by field, from the format notes, so that each test says
// its bytes.

namespace trellis::column {

inline std::string BigEndian(int64_t v, int width = 4) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(v >> (8 * i));
  return bytes;
}
inline std::string LittleEndian(uint32_t v) { return {reinterpret_cast<const char*>(&v), 4}; }

inline std::string Lz4(const std::string& text, bool prefixed) {
  std::string out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  out.resize(static_cast<size_t>(LZ4_compress_default(
      text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  return prefixed ? LittleEndian(static_cast<uint32_t>(text.size())) + out : out;
}
// Codes 0 to 5 of the format. GZIP's trailer is little-endian in the containers from version 4 on
// that have a variable number of documents a chunk.
inline std::string Stored(const std::string& chunk, int code, bool little_endian = false) {
  std::string out;
  if (code == 1) snappy::Compress(chunk.data(), chunk.size(), &out);
  if (code == 2) {
    out.resize(ZSTD_compressBound(chunk.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), chunk.data(), chunk.size(), 3));
  }
  if (code == 3 || code == 4) out = Lz4(chunk, code == 4);
  if (code == 5) {
    uLongf size = compressBound(chunk.size());
    out.resize(size);
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(chunk.data()), chunk.size());
    out.resize(size);
    const auto length = static_cast<uint32_t>(chunk.size());
    out += little_endian ? LittleEndian(length) : BigEndian(length);
  }
  return code == 0 ? chunk : out;
}

// A fixed-docs container of already stored chunks. Version 1 has a shorter header.
inline std::string ChunkFile(int version, int docs_per_chunk, int entry, int docs, int code,
                             const std::vector<std::string>& chunks) {
  std::string bytes = BigEndian(version) + BigEndian(static_cast<int64_t>(chunks.size())) +
                      BigEndian(docs_per_chunk) + BigEndian(entry);
  if (version > 1) bytes += BigEndian(docs) + BigEndian(code) + BigEndian(28);
  const int width = version <= 2 ? 4 : 8;
  size_t at = bytes.size() + chunks.size() * static_cast<size_t>(width);
  for (const std::string& chunk : chunks) {
    bytes += BigEndian(static_cast<int64_t>(at), width);
    at += chunk.size();
  }
  for (const std::string& chunk : chunks) bytes += chunk;
  return bytes;
}

// The inflated chunk of rows in that container, with `slots` row offsets.
inline std::string ChunkOfRows(const std::vector<std::string>& rows, size_t slots) {
  std::string head, data;
  for (const std::string& row : rows) {
    head += BigEndian(static_cast<int64_t>(slots * 4 + data.size()));
    data += row;
  }
  head.resize(slots * 4, '\0');
  return head + data;
}

inline std::string V4Chunk(const std::vector<std::string>& rows, bool sizes = false) {
  std::string head = LittleEndian(static_cast<uint32_t>(rows.size())), data;
  for (const std::string& row : rows) {
    const size_t start = 4 * (rows.size() + 1) + data.size();
    head += LittleEndian(static_cast<uint32_t>(sizes ? row.size() : start));
    data += row;
  }
  return head + data;
}

struct V4Entry {
  uint32_t first_doc;
  bool huge;
  std::string stored;
};
inline std::string V4File(int version, int code, const std::vector<V4Entry>& chunks,
                          int target = 4096) {
  std::string bytes = BigEndian(version) + BigEndian(target) + BigEndian(code) +
                      BigEndian(static_cast<int64_t>(16 + 8 * chunks.size()));
  std::string data;
  for (const V4Entry& chunk : chunks) {
    bytes += LittleEndian(chunk.first_doc | (chunk.huge ? 0x80000000 : 0)) +
             LittleEndian(static_cast<uint32_t>(data.size()));
    data += chunk.stored;
  }
  return bytes + data;
}

inline ForwardIndexShape Shape(DataType type, uint32_t docs, bool multi_value = false) {
  return {.type = type, .multi_value = multi_value, .document_count = docs};
}

inline Result<ColumnVector> Read(const std::string& bytes, const ForwardIndexShape& shape,
                                 std::vector<uint32_t> docs) {
  TRELLIS_ASSIGN_OR_RETURN(const auto reader, OpenForwardIndex(AsBytes(bytes), shape));
  const auto scratch = reader->NewScratch();
  ColumnVector out;
  TRELLIS_RETURN_IF_ERROR(reader->ReadValues(docs, *scratch, out));
  return out;  // the scratch dies here: `out` must keep what its strings point into
}

inline std::vector<std::string> Texts(const ColumnVector& vector) {
  const auto& values = vector.values<std::string_view>();
  return {values.begin(), values.end()};
}

// Values of `bits` bits, most significant first, zeros behind the last.
inline std::string Packed(const std::vector<uint32_t>& values, int bits) {
  std::string bytes((values.size() * static_cast<size_t>(bits) + 7) / 8, '\0');
  size_t at = 0;
  for (const uint32_t value : values) {
    for (int bit = bits - 1; bit >= 0; --bit, ++at) {
      if (value >> bit & 1) bytes[at / 8] = static_cast<char>(bytes[at / 8] | 0x80 >> (at % 8));
    }
  }
  return bytes;
}

// A `.vl;` buffer.
inline std::string VarLengthBytes(const std::vector<std::string>& values) {
  const auto count = static_cast<int64_t>(values.size());
  std::string bytes = ".vl;" + BigEndian(1) + BigEndian(count) + BigEndian(16), data;
  for (const std::string& value : values) {
    bytes += BigEndian(16 + 4 * (count + 1) + static_cast<int64_t>(data.size()));
    data += value;
  }
  return bytes + BigEndian(16 + 4 * (count + 1) + static_cast<int64_t>(data.size())) + data;
}

inline std::vector<uint32_t> AllDocs(uint32_t count) {
  std::vector<uint32_t> docs(count);
  std::iota(docs.begin(), docs.end(), 0);
  return docs;
}

}  // namespace trellis::column
