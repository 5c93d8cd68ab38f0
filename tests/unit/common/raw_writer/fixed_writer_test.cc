#include <random>

#include "tests/unit/common/raw_writer/written.h"

namespace trellis::raw_writer {
namespace {

using codec::Compression;

const std::vector<Compression> kCodecs = {
    Compression::kPassThrough, Compression::kSnappy,    Compression::kZstandard,
    Compression::kLz4,         Compression::kGzip,      Compression::kLz4LengthPrefixed,
    Compression::kDelta,       Compression::kDeltaDelta};

ColumnVector Numbers(DataType type, size_t count) {
  std::mt19937 random(3);
  ColumnVector values(type);
  for (size_t row = 0; row < count; ++row) {
    const auto number = static_cast<int32_t>(row % 100 == 0 ? random() : row * 3);
    switch (type) {
      case DataType::kInt:
        values.Append(Value::Int(number));
        break;
      case DataType::kLong:
        values.Append(Value::Long(int64_t{number} * 1'000'000'007));
        break;
      case DataType::kFloat:
        values.Append(Value::Float(static_cast<float>(number) / 7));
        break;
      default:
        values.Append(Value::Double(number / 7.0));
    }
  }
  return values;
}

TEST_CASE("numbers are read as they were written, whatever the version, codec and last chunk") {
  for (const DataType type :
       {DataType::kInt, DataType::kLong, DataType::kFloat, DataType::kDouble}) {
    for (const size_t count : {0, 1, 2, 999, 1000, 1024, 5001}) {
      const ColumnVector values = Numbers(type, count);
      for (const int version : {2, 3, 4, 5, 6, 7}) {
        for (const Compression compression : kCodecs) {
          CAPTURE(DataTypeName(type), count, version, codec::CompressionName(compression));
          RawSettings settings;
          settings.writer_version = version;
          settings.compression = compression;
          CHECK(SameRows(ReadAll(Written(settings, values), values), values));
        }
      }
    }
  }
}

TEST_CASE("a file of version 4 has these bytes: documents a chunk are a power of two") {
  ColumnVector values(DataType::kInt);
  for (const int value : {1, -2, 3, 4, 5}) values.Append(Value::Int(value));
  RawSettings settings;
  settings.compression = Compression::kPassThrough;
  settings.target_docs_per_chunk = 3;
  const std::string bytes = Written(settings, values);
  const std::string header("\0\0\0\4\0\0\0\2\0\0\0\4\0\0\0\4\0\0\0\5\0\0\0\0\0\0\0\x1C", 28);
  const std::string table("\0\0\0\0\0\0\0\x2C\0\0\0\0\0\0\0\x3C", 16);
  const std::string data("\0\0\0\1\xFF\xFF\xFF\xFE\0\0\0\3\0\0\0\4\0\0\0\5", 20);
  CHECK(bytes == header + table + data);
}

TEST_CASE("a constant column is its rows, and batches do not show") {
  const ColumnVector constant = ColumnVector::Constant(Value::Long(77), 3000);
  ColumnVector rows(DataType::kLong);
  for (int i = 0; i < 3000; ++i) rows.Append(Value::Long(77));
  RawSettings settings;
  CHECK(Written(settings, constant) == Written(settings, rows));
}

TEST_CASE("values of fixed width are not appended as rows") {
  const WorkFolder folder;
  auto file = output::OutputFile::Create(folder.path / "index");
  REQUIRE(file.ok());
  const auto layout = PlanRawLayout({}, {.type = {DataType::kInt, false}, .document_count = 1});
  const auto writer = NewRawForwardIndexWriter(*layout, {DataType::kInt, false}, {}, *file);
  REQUIRE(writer.ok());
  CHECK((*writer)->AppendRow(AsBytes("abcd")).code() == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::raw_writer
