#include "common/raw_writer/raw_writer.h"

#include <random>

#include "tests/unit/common/raw_writer/written.h"

namespace trellis::raw_writer {
namespace {

struct Open {
  WorkFolder folder;
  Result<output::OutputFile> file = output::OutputFile::Create(folder.path / "index");
  std::unique_ptr<RawForwardIndexWriter> writer;

  explicit Open(uint32_t documents, const RawWriterOptions& options = {}, RawSettings settings = {},
                DataType type = DataType::kString) {
    const auto layout = PlanRawLayout(
        settings, {.type = {type, false}, .document_count = documents, .longest_row_bytes = 100});
    REQUIRE(layout.ok());
    auto made = NewRawForwardIndexWriter(*layout, {type, false}, options, *file);
    REQUIRE(made.ok());
    writer = std::move(*made);
  }
};

TEST_CASE("documents that are missing, too many, too long or of another type are refused") {
  constexpr auto kRefused = StatusCode::kInvalidArgument;
  CHECK(Open(1).writer->Finish().code() == kRefused);
  Open two(2);
  CHECK(two.writer->Append(Strings({"a", "b", "c"})).code() == kRefused);
  CHECK(two.writer->Append(Strings({"a"})).code() == kRefused);  // the first error stays
  CHECK(two.writer->Finish().code() == kRefused);
  CHECK(Open(1).writer->Append(ColumnVector::Constant(Value::Int(1), 1)).code() == kRefused);
  CHECK(
      Open(1, {}, {.writer_version = 3}).writer->AppendRow(AsBytes(std::string(101, 'x'))).code() ==
      kRefused);
}

TEST_CASE("rows in batches, one by one, or as bytes are one file") {
  const std::vector<std::string> rows = {"a", "", "ccc", std::string(90, 'd'), "e"};
  const std::string whole = Written({.writer_version = 6}, Strings(rows));
  WorkFolder folder;
  auto file = output::OutputFile::Create(folder.path / "index");
  auto layout = LayoutOf({.writer_version = 6}, Strings(rows));
  const auto writer = NewRawForwardIndexWriter(*layout, {DataType::kString, false}, {}, *file);
  REQUIRE(writer.ok());
  REQUIRE((*writer)->Append(Strings({"a", ""})).ok());
  REQUIRE((*writer)->AppendRow(AsBytes(rows[2])).ok());
  REQUIRE((*writer)->Append(Strings({})).ok());
  REQUIRE((*writer)->Append(Strings({rows[3], rows[4]})).ok());
  REQUIRE((*writer)->Finish().ok());
  REQUIRE(file->Close().ok());
  CHECK(ContentOf(folder.path / "index") == whole);
}

TEST_CASE("threads change no byte, in any container") {
  std::mt19937 random(9);
  std::vector<std::string> rows;
  ColumnVector numbers(DataType::kLong);
  for (int i = 0; i < 20'000; ++i) {
    rows.emplace_back(random() % 300, static_cast<char>('a' + i % 7));
    numbers.Append(Value::Long(static_cast<int64_t>(random() % 1000)));
  }
  const ColumnVector texts = Strings(rows);
  for (const int version : {3, 4, 6}) {
    RawSettings settings{.writer_version = version};
    settings.target_max_chunk_size_bytes = 20'000;
    for (const ColumnVector* values : {&texts, static_cast<const ColumnVector*>(&numbers)}) {
      const std::string one = Written(settings, *values);
      for (const unsigned threads : {2, 5})
        CHECK(Written(settings, *values, {.threads = threads}) == one);
      CHECK(Written(settings, *values, {.buffer = ChunkBuffer::kMapped}) == one);
    }
  }
}

TEST_CASE("a file that holds something, or a layout of another kind of column, is refused") {
  WorkFolder folder;
  auto file = output::OutputFile::Create(folder.path / "index");
  const auto layout = LayoutOf({}, Strings({"a"}));
  CHECK_FALSE(NewRawForwardIndexWriter(*layout, {DataType::kInt, false}, {}, *file).ok());
  CHECK_FALSE(NewRawForwardIndexWriter({}, {DataType::kString, false}, {}, *file).ok());
  REQUIRE(file->Append(AsBytes("x")).ok());
  CHECK_FALSE(NewRawForwardIndexWriter(*layout, {DataType::kString, false}, {}, *file).ok());
}

}  // namespace
}  // namespace trellis::raw_writer
