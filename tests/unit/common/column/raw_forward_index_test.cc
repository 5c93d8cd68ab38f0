#include <lz4.h>

#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "common/column/forward_index.h"

// Containers are put together here field by field, from the format notes, so that each test says
// its bytes.

namespace trellis::column {
namespace {

std::string BigEndian(int64_t v, int width = 4) {
  std::string bytes;
  for (int i = width - 1; i >= 0; --i) bytes += static_cast<char>(v >> (8 * i));
  return bytes;
}
std::string LittleEndian(uint32_t v) { return {reinterpret_cast<const char*>(&v), 4}; }

std::string Lz4(const std::string& text, bool prefixed) {
  std::string out(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  out.resize(static_cast<size_t>(LZ4_compress_default(
      text.data(), out.data(), static_cast<int>(text.size()), static_cast<int>(out.size()))));
  return prefixed ? LittleEndian(static_cast<uint32_t>(text.size())) + out : out;
}
// Codes 0, 3 and 4 of the format.
std::string Stored(const std::string& chunk, int code) {
  return code == 0 ? chunk : Lz4(chunk, code == 4);
}

// A fixed-docs container of already stored chunks.
std::string ChunkFile(int version, int docs_per_chunk, int entry, int docs, int code,
                      const std::vector<std::string>& chunks) {
  std::string bytes = BigEndian(version) + BigEndian(static_cast<int64_t>(chunks.size())) +
                      BigEndian(docs_per_chunk) + BigEndian(entry) + BigEndian(docs) +
                      BigEndian(code) + BigEndian(28);
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
std::string ChunkOfRows(const std::vector<std::string>& rows, size_t slots) {
  std::string head, data;
  for (const std::string& row : rows) {
    head += BigEndian(static_cast<int64_t>(slots * 4 + data.size()));
    data += row;
  }
  head.resize(slots * 4, '\0');
  return head + data;
}

std::string V4Chunk(const std::vector<std::string>& rows, bool sizes = false) {
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
std::string V4File(int version, int code, const std::vector<V4Entry>& chunks, int target = 4096) {
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

ForwardIndexShape Shape(DataType type, uint32_t docs, bool multi_value = false) {
  return {.type = type, .multi_value = multi_value, .document_count = docs};
}

Result<ColumnVector> Read(const std::string& bytes, const ForwardIndexShape& shape,
                          std::vector<uint32_t> docs) {
  TRELLIS_ASSIGN_OR_RETURN(const auto reader, OpenForwardIndex(AsBytes(bytes), shape));
  const auto scratch = reader->NewScratch();
  ColumnVector out;
  TRELLIS_RETURN_IF_ERROR(reader->ReadValues(docs, *scratch, out));
  return out;  // the scratch dies here: `out` must keep what its strings point into
}

std::vector<std::string> Texts(const ColumnVector& vector) {
  const auto& values = vector.values<std::string_view>();
  return {values.begin(), values.end()};
}

TEST_CASE("fixed-width values are read from every container version, plain and compressed") {
  for (const int version : {2, 3, 4, 5, 6, 7}) {
    for (const int code : {0, 3, 4}) {
      CAPTURE(version, code);
      const std::string first = BigEndian(7, 8) + BigEndian(-1, 8),
                        second = BigEndian(INT64_MIN, 8);
      const std::string bytes =
          ChunkFile(version, 2, 8, 3, code, {Stored(first, code), Stored(second, code)});
      const ForwardIndexShape shape = Shape(DataType::kLong, 3);
      CHECK(Read(bytes, shape, {0, 1, 2})->values<int64_t>() ==
            std::vector<int64_t>{7, -1, INT64_MIN});
      CHECK(Read(bytes, shape, {0, 2})->values<int64_t>() == std::vector<int64_t>{7, INT64_MIN});
      CHECK(Read(bytes, shape, {})->size() == 0);
    }
  }
}

TEST_CASE("a fixed-width container whose header or chunks disagree with the column is refused") {
  const std::string chunk = BigEndian(7) + BigEndian(8);
  const ForwardIndexShape shape = Shape(DataType::kInt, 2);
  const auto corrupt = [&](const std::string& bytes) {
    return Read(bytes, shape, {0, 1}).status().IsCorrupt();
  };
  REQUIRE(Read(ChunkFile(3, 2, 4, 2, 3, {Lz4(chunk, false)}), shape, {0, 1}).ok());
  CHECK(corrupt(ChunkFile(3, 2, 8, 2, 3, {Lz4(chunk, false)})));         // entry size
  CHECK(corrupt(ChunkFile(3, 2, 4, 3, 3, {Lz4(chunk, false)})));         // documents
  CHECK(corrupt(ChunkFile(3, 1, 4, 2, 3, {Lz4(chunk, false)})));         // chunks
  CHECK(corrupt(ChunkFile(3, 0, 4, 2, 3, {Lz4(chunk, false)})));         // docs per chunk
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 9, {Lz4(chunk, false)})));         // codec
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 3, {Lz4(BigEndian(7), false)})));  // too few values
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 4, {Lz4(chunk + chunk, true)})));  // too many
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 0, {BigEndian(7)})));              // plain, too short
  const std::string good = ChunkFile(3, 2, 4, 2, 3, {Lz4(chunk, false)});
  for (size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(corrupt(good.substr(0, size)));
  }
}

TEST_CASE("rows of text are read from the fixed-docs container, unused slots skipped") {
  for (const int version : {2, 3}) {
    for (const int code : {0, 3, 4}) {
      CAPTURE(version, code);
      const std::string bytes = ChunkFile(
          version, 2, 3, 3, code,
          {Stored(ChunkOfRows({"abc", ""}, 2), code), Stored(ChunkOfRows({"d"}, 2), code)});
      const auto out = Read(bytes, Shape(DataType::kString, 3), {0, 1, 2});
      CHECK(Texts(*out) == std::vector<std::string>{"abc", "", "d"});
      CHECK(Texts(*Read(bytes, Shape(DataType::kString, 3), {2})) == std::vector<std::string>{"d"});
    }
  }
}

TEST_CASE("a zero row offset before the last document is refused") {
  std::string chunk = ChunkOfRows({"abc", "d"}, 2);
  chunk.replace(4, 4, 4, '\0');
  CHECK(Read(ChunkFile(3, 2, 3, 2, 0, {chunk}), Shape(DataType::kString, 2), {0, 1})
            .status()
            .IsCorrupt());
}

TEST_CASE("versions 4 to 6 read regular and huge chunks, and a huge value twice") {
  const std::string huge(10000, 'h');
  for (const int version : {4, 5, 6}) {
    for (const int code : {0, 4}) {
      CAPTURE(version, code);
      const bool sizes = version == 6 && code != 0;
      const std::string bytes = V4File(version, code,
                                       {{0, false, Stored(V4Chunk({"a", "", "ccc"}, sizes), code)},
                                        {3, true, Stored(huge, code)},
                                        {4, false, Stored(V4Chunk({"z"}, sizes), code)}});
      const ForwardIndexShape shape = Shape(DataType::kString, 5);
      CHECK(Texts(*Read(bytes, shape, {0, 1, 2, 3, 4})) ==
            std::vector<std::string>{"a", "", "ccc", huge, "z"});
      const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
      const auto scratch = reader->NewScratch();
      ColumnVector first, second;
      REQUIRE(reader->ReadValues(std::vector<uint32_t>{3}, *scratch, first).ok());
      REQUIRE(reader->ReadValues(std::vector<uint32_t>{3}, *scratch, second).ok());
      REQUIRE(reader->ReadValues(std::vector<uint32_t>{0}, *scratch, second).ok());
      CHECK(Texts(first) ==
            std::vector<std::string>{huge});  // the scratch moved on, the view did not
    }
  }
}

TEST_CASE("uncompressed strings are views into the mapping") {
  const std::string bytes = V4File(4, 0, {{0, false, V4Chunk({"abc"})}});
  const ColumnVector out = Read(bytes, Shape(DataType::kString, 1), {0}).value();
  const char* at = out.values<std::string_view>()[0].data();
  CHECK((at > bytes.data() && at < bytes.data() + bytes.size()));
}

TEST_CASE("a chunk table that does not tile the documents and the data is refused") {
  const std::string chunk = V4Chunk({"a"});
  const auto corrupt = [](const std::string& bytes, uint32_t docs) {
    return OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, docs)).status().IsCorrupt();
  };
  REQUIRE_FALSE(corrupt(V4File(4, 0, {{0, false, chunk}, {1, false, chunk}}), 2));
  CHECK(corrupt(V4File(4, 0, {{1, false, chunk}}), 2));  // first document is not 0
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}, {0, false, chunk}}), 2));  // no progress
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}, {2, false, chunk}}), 2));  // beyond the segment
  CHECK(corrupt(V4File(4, 0, {{0, true, chunk}}), 2));                 // huge with two documents
  CHECK(corrupt(V4File(4, 0, {}), 2));                                 // nothing
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}}).substr(0, 20), 1));  // table cut
  CHECK(corrupt(V4File(4, 9, {{0, false, chunk}}), 1));                // codec
}

TEST_CASE("a version 4 chunk cut short anywhere or with other counts is refused") {
  const ForwardIndexShape shape = Shape(DataType::kString, 2);
  const std::string good = V4File(4, 0, {{0, false, V4Chunk({"abc", "de"})}});
  REQUIRE(Read(good, shape, {0, 1}).ok());
  for (size_t size = 0; size < good.size() - 5; ++size) {  // the last row ends with the buffer
    CAPTURE(size);
    CHECK(Read(good.substr(0, size), shape, {0, 1}).status().IsCorrupt());
  }
  CHECK(Read(V4File(4, 0, {{0, false, V4Chunk({"abc"})}}), shape, {0}).status().IsCorrupt());
  CHECK(Read(V4File(4, 4, {{0, false, Lz4(V4Chunk({"abc", std::string(100, 'x')}), true)}}, 64),
             shape, {0})
            .status()
            .IsCorrupt());  // beyond the target size
}

TEST_CASE("multi-value numbers are read with stored and with implied lengths") {
  const std::string one = BigEndian(5), two = BigEndian(6) + BigEndian(-7);
  const std::vector<std::string> stored = {BigEndian(1) + one, BigEndian(0), BigEndian(2) + two};
  const std::vector<std::string> implied = {one, "", two};
  const ForwardIndexShape shape = Shape(DataType::kInt, 3, true);
  for (const std::string& bytes :
       {ChunkFile(3, 4, 12, 3, 0, {ChunkOfRows(stored, 4)}),
        V4File(4, 0, {{0, false, V4Chunk(stored)}}), V4File(5, 0, {{0, false, V4Chunk(implied)}}),
        V4File(6, 4, {{0, false, Lz4(V4Chunk(implied, true), true)}})}) {
    const ColumnVector out = Read(bytes, shape, {0, 1, 2}).value();
    CHECK(out.size() == 3);
    CHECK(out.offsets() == std::vector<uint32_t>{0, 1, 1, 3});
    CHECK(out.values<int32_t>() == std::vector<int32_t>{5, 6, -7});
  }
}

TEST_CASE("multi-value strings are read and damaged rows refused") {
  const std::string row = BigEndian(2) + BigEndian(1) + BigEndian(2) + "abc";
  const ForwardIndexShape shape = Shape(DataType::kString, 1, true);
  const ColumnVector out =
      Read(V4File(4, 4, {{0, false, Lz4(V4Chunk({row}), true)}}), shape, {0}).value();
  CHECK(Texts(out) == std::vector<std::string>{"a", "bc"});
  CHECK(out.offsets() == std::vector<uint32_t>{0, 2});
  CHECK(Read(V4File(4, 0, {{0, false, V4Chunk({row + "x"})}}), shape, {0}).status().IsCorrupt());
}

TEST_CASE("decimals and UUIDs of impossible lengths are refused") {
  const std::string bytes = V4File(4, 0, {{0, false, V4Chunk({"ab"})}});
  CHECK(Read(bytes, Shape(DataType::kBigDecimal, 1), {0}).status().IsCorrupt());
  CHECK(Read(bytes, Shape(DataType::kUuid, 1), {0}).status().IsCorrupt());
  CHECK(Read(bytes, Shape(DataType::kBytes, 1), {0}).ok());
}

}  // namespace
}  // namespace trellis::column
