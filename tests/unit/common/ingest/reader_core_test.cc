#include "common/ingest/reader_core.h"

#include "tests/unit/common/ingest/rows_of_text.h"

namespace trellis::ingest {
namespace {

TEST_CASE("batches have at most the rows asked for, and end early for wide rows") {
  const Schema schema = SchemaOf(R"({"name":"s","dataType":"JSON"})");
  std::string content;
  for (int i = 0; i < 10; ++i) content += "{\"s\":[" + std::to_string(i) + "]}\n";
  const TextFile file(content);
  RowReaderOptions options;
  options.batch_rows_max = 4;
  auto reader = RowReader::Open(file.path(), schema, options);
  REQUIRE(reader.ok());
  std::vector<ColumnVector> columns;
  std::vector<size_t> sizes;
  while (*(*reader)->Next(columns)) sizes.push_back(columns[0].size());
  CHECK(sizes == std::vector<size_t>{4, 4, 2});
  CHECK_FALSE(*(*reader)->Next(columns));
  CHECK((*reader)->rows_read() == 10);

  const TextFile wide([] {
    std::string rows;
    for (int i = 0; i < 12; ++i) rows += "{\"s\":[\"" + std::string(4 << 20, 'x') + "\"]}\n";
    return rows;
  }());
  reader = RowReader::Open(wide.path(), schema, {});
  REQUIRE(reader.ok());
  REQUIRE(*(*reader)->Next(columns));
  CHECK(columns[0].size() < 12);
}

TEST_CASE("faulty rows are left out whole, counted, and the first of them kept") {
  const Schema schema = SchemaOf(
      R"({"name":"a","dataType":"INT"},{"name":"b","dataType":"INT","singleValueField":false})");
  std::string content;
  for (int i = 0; i < 50; ++i) content += "{\"a\":1,\"b\":[1,2,\"x\"]}\n{\"a\":2}\n";
  RowReaderOptions options;
  options.skip_faults = true;
  const auto read = ReadAll(content, schema, options);
  REQUIRE(read.rows.size() == 50);
  for (const auto& row : read.rows) CHECK(row == "2|null");
  CHECK(read.skipped == 50);
  REQUIRE(read.faults.size() == 20);
  CHECK(read.faults[1].line == 3);
  CHECK(read.faults[1].column == "b");
  CHECK(read.faults[1].value == "x");
  CHECK(read.faults[1].what == "is no INT");
}

TEST_CASE("names nobody knows are kept up to a hundred") {
  const Schema schema = SchemaOf(R"({"name":"a","dataType":"INT"})");
  std::string content;
  for (int i = 0; i < 300; ++i) content += "{\"u" + std::to_string(i) + "\":1}\n";
  CHECK(ReadAll(content, schema, {}).unknown.size() == 100);
}

TEST_CASE("a value is shown in 64 bytes without half a character") {
  CHECK(ShownValue("abc") == "abc");
  CHECK(ShownValue(std::string(63, 'x') + "é") == std::string(63, 'x'));
}

}  // namespace
}  // namespace trellis::ingest
