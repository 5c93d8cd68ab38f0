#include "common/ingest/csv_row_reader.h"

#include "tests/unit/common/ingest/rows_of_text.h"

namespace trellis::ingest {
namespace {

using Lines = std::vector<std::string>;

ReadRows Read(std::string_view content, RowReaderOptions options = {}) {
  static const Schema schema = SchemaOf(R"({"name":"i","dataType":"INT"},
    {"name":"n","dataType":"LONG","singleValueField":false}, {"name":"s","dataType":"STRING"})");
  options.format = RowFormat::kCsv;
  return ReadAll(content, schema, options);
}

TEST_CASE("fields go by the header, blanks around them are not theirs") {
  const auto read = Read("\xEF\xBB\xBFs, i ,x,n\r\n a b ,1,q,1;2\r\n\"  c \" , 2 ,,\n\n,,,7");
  CHECK(read.rows == Lines{"1|[1,2]|a b", "2|null|  c ", "null|[7]|null"});
  CHECK(read.unknown == Lines{"x"});
}

TEST_CASE("quotes hold delimiters, line breaks and doubled quotes") {
  const auto read = Read(
      "i,s\n1,\"a,b\"\n2,\"line\r\nbreak\"\n3,\"say \"\"hi\"\"\"\n4,\"\"\n5,a\"b\n6,\"\"\"\"\n"
      "x,\n");
  REQUIRE(read.rows.size() == 1);
  CHECK(read.rows[0] == "! F:9: column 'i': 'x' is no INT");
  CHECK(Read("i,s\n1,\"a,b\"\n2,\"line\r\nbreak\"\n3,\"say \"\"hi\"\"\"\n4,\"\"\n5,a\"b\n"
             "6,\"\"\"\"")
            .rows == Lines{"1|null|a,b", "2|null|line\r\nbreak", "3|null|say \"hi\"", "4|null|null",
                           "5|null|a\"b", "6|null|\""});
}

TEST_CASE("a row of another width, broken quotes and bad bytes are faults of their line") {
  RowReaderOptions skip;
  skip.skip_faults = true;
  const auto read = Read("i,s\n1,a\n2\n3,b,c\n4,\"x\"y\n5,\xff\n6,d\n", skip);
  CHECK(read.rows == Lines{"1|null|a", "6|null|d"});
  REQUIRE(read.faults.size() == 4);
  CHECK(read.faults[0].what == "has 1 fields, the header 2");
  CHECK(read.faults[0].line == 3);
  CHECK(read.faults[1].what == "has 3 fields, the header 2");
  CHECK(read.faults[2].line == 5);
  CHECK(read.faults[3].what == "is no UTF-8");
}

TEST_CASE("quotes that the input never closes are an error, not a row left out") {
  RowReaderOptions skip;
  skip.skip_faults = true;
  const auto read = Read("i,s\n1,a\n7,\"never closed\n8,e\n", skip);
  REQUIRE_FALSE(read.rows.empty());
  CHECK(read.rows.back().find(":3: a field's quotes are not closed") != std::string::npos);
}

TEST_CASE("a header without any column of the schema is an error") {
  for (const char* content : {"I;S\n1;a\n", "x,y\n1,2\n", "i\ts\n1\ta\n", "i,s\r1,a\r"}) {
    CAPTURE(content);
    const auto read = Read(content);
    REQUIRE(read.rows.size() == 1);
    CHECK(read.rows[0].starts_with("! "));
  }
}

TEST_CASE("a record without an end is a fault of its first line alone") {
  RowReaderOptions options;
  options.skip_faults = true;
  options.line_bytes_max = 2000;
  std::string content = "i,s\n1,\"open\n";
  for (int i = 0; i < 400'000; ++i) content += "2,b\n";
  const auto read = Read(content, options);
  CHECK(read.rows.size() == 400'000);
  REQUIRE(read.faults.size() == 1);
  CHECK(read.faults[0].line == 2);
}

TEST_CASE("a header must name columns, each once") {
  CHECK(Read("").rows == Lines{"! F: no header line with the columns' names"});
  CHECK(Read("i,s,i\n").rows == Lines{"! F: column 'i' is in the header twice"});
  CHECK(Read("i,s\n").rows.empty());
  CHECK(Read("\"i\",\"s\"\n1,x\n").rows == Lines{"1|null|x"});
}

TEST_CASE("delimiters are the caller's choice, but must differ") {
  RowReaderOptions options;
  options.csv_delimiter = '\t';
  options.csv_multi_value_delimiter = '|';
  CHECK(Read("i\tn\ts\n1\t1||2\ta,b\n2\t\t\n", options).rows ==
        Lines{"1|[1,2]|a,b", "2|null|null"});
  options.csv_multi_value_delimiter = '\t';
  CHECK(Read("i\n1\n", options).rows[0].starts_with("! csv: "));
}

}  // namespace
}  // namespace trellis::ingest
