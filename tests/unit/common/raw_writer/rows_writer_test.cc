#include <random>

#include "common/codec/decompress.h"
#include "tests/unit/common/raw_writer/written.h"

namespace trellis::raw_writer {
namespace {

using codec::Compression;

const std::vector<Compression> kCodecs = {Compression::kPassThrough, Compression::kSnappy,
                                          Compression::kZstandard, Compression::kLz4,
                                          Compression::kGzip};
const std::vector<int> kVersions = {2, 3, 4, 5, 6};

// Short and long ones, empty ones, beyond the BMP, incompressible ones; some larger than a chunk.
std::vector<std::string> SomeRows(size_t count, size_t longest) {
  std::mt19937 random(7);
  std::vector<std::string> rows;
  for (size_t i = 0; i < count; ++i) {
    std::string row(random() % (i % 10 == 9 ? longest : 40), '\0');
    for (char& c : row) c = static_cast<char>(i % 3 == 0 ? random() : 'a' + random() % 3);
    rows.push_back(i % 7 == 0 ? "" : i % 11 == 0 ? "\xF0\x9F\x9A\x80 rocket" : row);
  }
  return rows;
}

RawSettings Settings(int version, Compression compression) {
  RawSettings settings;
  settings.writer_version = version;
  settings.compression = compression;
  settings.target_max_chunk_size_bytes = 8192;
  settings.derive_docs_per_chunk = version < 4;
  return settings;
}

TEST_CASE("rows of variable width are read as they were written, whatever the version and codec") {
  const ColumnVector values = Strings(SomeRows(2000, 20'000));
  for (const int version : kVersions) {
    for (const Compression compression : kCodecs) {
      CAPTURE(version, codec::CompressionName(compression));
      const std::string bytes = Written(Settings(version, compression), values);
      CHECK(SameRows(ReadAll(bytes, values), values));
    }
  }
}

ColumnVector Arrays(DataType type, size_t count) {
  std::mt19937 random(11);
  ColumnVector values(ValueType{type, true});
  for (size_t row = 0; row < count; ++row) {
    std::vector<Value> elements;
    const size_t size = row % 50 == 49 ? 3000 : row % 5;
    for (size_t i = 0; i < size; ++i) {
      const auto number = static_cast<int32_t>(random());
      switch (type) {
        case DataType::kInt:
          elements.push_back(Value::Int(number));
          break;
        case DataType::kLong:
          elements.push_back(Value::Long(int64_t{number} << 20));
          break;
        case DataType::kFloat:
          elements.push_back(Value::Float(static_cast<float>(number)));
          break;
        case DataType::kDouble:
          elements.push_back(Value::Double(number / 3.0));
          break;
        default:
          elements.push_back(
              Value::Bytes(type, std::string(static_cast<size_t>(number & 15), 'x')));
      }
    }
    values.Append(Value::Array(type, elements));
  }
  return values;
}

TEST_CASE("multi-value rows are read as they were written, empty and huge ones among them") {
  for (const DataType type : {DataType::kInt, DataType::kLong, DataType::kFloat, DataType::kDouble,
                              DataType::kString, DataType::kBytes}) {
    const ColumnVector values = Arrays(type, 300);
    for (const int version : kVersions) {
      for (const Compression compression : kCodecs) {
        CAPTURE(DataTypeName(type), version, codec::CompressionName(compression));
        const std::string bytes = Written(Settings(version, compression), values);
        CHECK(SameRows(ReadAll(bytes, values), values));
      }
    }
  }
}

TEST_CASE("a file of version 4 has these bytes") {
  const ColumnVector values = Strings({"ab", "", "cde"});
  const std::string bytes = Written(Settings(4, Compression::kPassThrough), values);
  const std::string header("\0\0\0\4\0\0\x10\0\0\0\0\0\0\0\0\x18",
                           16);  // target 4096, chunks at 24
  const std::string table(8, '\0');
  const std::string chunk("\3\0\0\0\x10\0\0\0\x12\0\0\0\x12\0\0\0abcde", 21);
  CHECK(bytes == header + table + chunk);
}

TEST_CASE("version 6 keeps sizes where chunks are compressed, starts where not") {
  const ColumnVector values = Strings({"ab", "", "cde"});
  const std::string plain = Written(Settings(6, Compression::kPassThrough), values);
  CHECK(plain.substr(24) == std::string("\3\0\0\0\x10\0\0\0\x12\0\0\0\x12\0\0\0abcde", 21));
  const std::string packed = Written(Settings(6, Compression::kLz4), values);
  CHECK(BigEndianAt(packed, 0) == 6);
  CHECK(BigEndianAt(packed, 8) == 4);  // LZ4_LENGTH_PREFIXED
  codec::InflatedBuffer chunk;
  REQUIRE(codec::Decompress(Compression::kLz4LengthPrefixed, AsBytes(packed).subspan(24),
                            codec::SizeTrailer::kLittleEndian, 4096, chunk)
              .ok());
  CHECK(AsText(chunk.view()) == std::string("\3\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0abcde", 21));
}

TEST_CASE("a value of target - 8 bytes fits a regular chunk, one byte more is huge") {
  for (const auto& [size, huge] : {std::pair(4088, false), std::pair(4089, true)}) {
    RawLayout layout;
    layout.compression = Compression::kPassThrough;
    layout.chunk_size_bytes = 4096;
    layout.document_count = 3;
    const std::string large(static_cast<size_t>(size), 'x');
    const ColumnVector values = Strings({"a", large, "b"});
    const auto bytes = Write(layout, values);
    REQUIRE(bytes.ok());
    CHECK(BigEndianAt(*bytes, 12) == 16 + 3 * 8);
    CHECK(LittleEndianAt(*bytes, 24) == (huge ? 0x80000001 : 1));
    CHECK(LittleEndianAt(*bytes, 36) - LittleEndianAt(*bytes, 28) == (huge ? 4089 : 4096));
    CHECK(SameRows(ReadAll(*bytes, values), values));
  }
}

TEST_CASE("a file of version 2 has these bytes; slots without a row are 0") {
  RawSettings settings;
  settings.writer_version = 2;
  settings.compression = Compression::kPassThrough;
  settings.target_docs_per_chunk = 2;
  const std::string bytes = Written(settings, Strings({"ab", "", "cde"}));
  const std::string header("\0\0\0\2\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0\3\0\0\0\0\0\0\0\x1C", 28);
  const std::string table("\0\0\0\x24\0\0\0\x2E", 8);
  const std::string chunks(
      "\0\0\0\x08\0\0\0\x0A"
      "ab"
      "\0\0\0\x08\0\0\0\0"
      "cde",
      21);
  CHECK(bytes == header + table + chunks);
  settings.writer_version = 3;
  CHECK(Written(settings, Strings({"ab", "", "cde"})).size() == bytes.size() + 8);
}

TEST_CASE("the number of chunks, when it is known beforehand, changes no byte") {
  const ColumnVector values = Strings(SomeRows(3000, 20'000));
  for (const Compression compression : kCodecs) {
    auto layout = LayoutOf(Settings(4, compression), values);
    REQUIRE(layout.ok());
    const auto unknown = Write(*layout, values);
    layout->chunk_count = ChunksOf(*layout, values);
    const auto known = Write(*layout, values);
    REQUIRE(unknown.ok());
    REQUIRE(known.ok());
    CHECK(*unknown == *known);
    CHECK(BigEndianAt(*known, 12) == 16 + 8 * layout->chunk_count);
    for (const uint32_t wrong : {layout->chunk_count - 1, layout->chunk_count + 1}) {
      layout->chunk_count = wrong;
      CHECK(Write(*layout, values).status().code() == StatusCode::kInvalidArgument);
    }
  }
}

TEST_CASE("many empty rows, then rows of a whole chunk, and back") {
  std::vector<std::string> rows;
  for (int round = 0; round < 3; ++round) {
    rows.insert(rows.end(), 5000, "");
    rows.emplace_back(8000, 'x');
    rows.insert(rows.end(), 100, std::string(70, 'y'));
    rows.emplace_back(8184, 'z');
  }
  const ColumnVector values = Strings(rows);
  for (const int version : {4, 6}) {
    const std::string bytes = Written(Settings(version, Compression::kSnappy), values);
    CHECK(SameRows(ReadAll(bytes, values), values));
  }
}

TEST_CASE("a constant column is its rows") {
  const ColumnVector constant = ColumnVector::Constant(Value::String("same"), 500);
  const ColumnVector rows = Strings(std::vector<std::string>(500, "same"));
  for (const int version : {3, 4, 6}) {
    CHECK(Written(Settings(version, Compression::kLz4), constant) ==
          Written(Settings(version, Compression::kLz4), rows));
  }
}

TEST_CASE("no documents are a file with its header alone") {
  const ColumnVector none(DataType::kString);
  for (const int version : kVersions) {
    const std::string bytes = Written(Settings(version, Compression::kLz4), none);
    CHECK(bytes.size() == (version < 4 ? 28 : 16));
    CHECK(ReadAll(bytes, none).size() == 0);
  }
}

}  // namespace
}  // namespace trellis::raw_writer
