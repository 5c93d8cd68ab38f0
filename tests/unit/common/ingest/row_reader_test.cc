#include "common/ingest/row_reader.h"

#include "tests/unit/common/ingest/rows_of_text.h"

namespace trellis::ingest {
namespace {

TEST_CASE("both formats give the same rows") {
  const Schema schema = SchemaOf(R"({"name":"b","dataType":"BOOLEAN"},
    {"name":"d","dataType":"DOUBLE"}, {"name":"j","dataType":"JSON"}, {"name":"m","dataType":"MAP"},
    {"name":"t","dataType":"TIMESTAMP"}, {"name":"x","dataType":"BYTES"})");
  const auto json = ReadAll(
      "{\"b\":true,\"d\":2.5,\"j\":\"{\\\"k\\\": 1}\",\"m\":{\"k\":1},\"t\":0,\"x\":\"00ff\"}\n",
      schema, {});
  RowReaderOptions csv;
  csv.format = RowFormat::kCsv;
  const auto fields = ReadAll(
      "b,d,j,m,t,x\ntrue,2.5,\"{\"\"k\"\": 1}\",\"{\"\"k\"\":1}\",1970-01-01 00:00:00,00FF\n",
      schema, csv);
  REQUIRE(json.rows.size() == 1);
  CHECK(json.rows == fields.rows);
  CHECK(json.rows[0].starts_with("true|2.5|{\"k\":1}|"));
}

TEST_CASE("a file that is not there is told before any row") {
  const auto reader = RowReader::Open("/nowhere/rows.jsonl", Schema(), {});
  REQUIRE_FALSE(reader.ok());
  CHECK(reader.status().code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace trellis::ingest
