#include "common/ingest/json_row_reader.h"

#include "tests/unit/common/ingest/rows_of_text.h"

namespace trellis::ingest {
namespace {

using Lines = std::vector<std::string>;

const Schema& Columns() {
  static const Schema schema = SchemaOf(R"({"name":"i","dataType":"INT"},
    {"name":"j","dataType":"JSON"}, {"name":"m","dataType":"MAP"},
    {"name":"n","dataType":"LONG","singleValueField":false}, {"name":"s","dataType":"STRING"})");
  return schema;
}
ReadRows Read(std::string_view content, RowReaderOptions options = {}) {
  return ReadAll(content, Columns(), options);
}
// The rows of one column.
Lines Of(std::string_view content, const char* spec) {
  return ReadAll(content, SchemaOf(spec), {}).rows;
}

TEST_CASE("an object a line is a row, whatever the order of its members") {
  const auto read = Read(
      "{\"i\":1,\"j\":{\"b\": 1.50},\"n\":[1, 2,null],\"s\":\"x\"}\n"
      "{\"s\":\"y\\n\\u00e9\",\"i\":2}\n"
      "\n  \t\r\n"
      " { \"n\" : 5 , \"i\" : 3 } \r\n"
      "{}\n"
      "{\"i\":4}");
  CHECK(read.rows == Lines{"1|{\"b\":1.5}|null|[1,2]|x", "2|null|null|null|y\né",
                           "3|null|null|[5]|null", "null|null|null|null|null",
                           "4|null|null|null|null"});
  CHECK(read.unknown.empty());
}

TEST_CASE("a byte order mark, and a file of nothing") {
  CHECK(Read("\xEF\xBB\xBF{\"i\":7}\n").rows == Lines{"7|null|null|null|null"});
  CHECK(Read("").rows.empty());
  CHECK(Read("\n\n").rows.empty());
}

TEST_CASE("the last of equal names counts, null too") {
  CHECK(Read(R"({"i":1,"n":[1,2],"i":2,"n":[3],"\u0069":9})").rows ==
        Lines{"9|null|null|[3]|null"});
  CHECK(Read(R"({"i":1,"i":null})").rows == Lines{"null|null|null|null|null"});
}

TEST_CASE("unknown names are told once each and their values must be JSON") {
  const auto read = Read("{\"x\":{\"a\":[1]},\"i\":1,\"y\":2.5}\n{\"x\":null,\"i\":2,\"I\":3}\n");
  CHECK(read.rows == Lines{"1|null|null|null|null", "2|null|null|null|null"});
  CHECK(read.unknown == Lines{"x", "y", "I"});
  for (const char* wrong :
       {"{\"x\":tru}", "{\"x\":01}", "{\"x\":[1,]}", "{\"x\":{\"a\"}}", "{\"x\":\"\\q\"}"}) {
    CAPTURE(wrong);
    REQUIRE(Read(wrong).rows.size() == 1);
    CHECK(Read(wrong).rows[0].starts_with("! F:1: is no JSON object"));
  }
}

TEST_CASE("a value that does not fit names line, column and value") {
  CHECK(Read("{\"i\":1}\n\n{\"i\":\"old\"}\n").rows == Lines{"! F:3: column 'i': 'old' is no INT"});
  CHECK(Read("{\"i\":2147483648}").rows == Lines{"! F:1: column 'i': '2147483648' is no INT"});
  CHECK(Read("{\"i\":[1,2]}").rows ==
        Lines{"! F:1: column 'i': '2' is the second value of a single-value column"});
  CHECK(Read("{\"i\":[3]}").rows == Lines{"3|null|null|null|null"});
  CHECK(Read("{\"i\":[]}").rows == Lines{"null|null|null|null|null"});
  CHECK(Read("{\"n\":[1,[2]]}").rows == Lines{"! F:1: column 'n': '[' is nested in a list"});
  CHECK(Read("{\"n\":{}}").rows == Lines{"! F:1: column 'n': '{}' is no LONG"});
  CHECK(Read("{\"m\":[1]}").rows == Lines{"! F:1: column 'm': '[' is a list, expected an object"});
  const auto read =
      Read("{\"s\":{\"a\":\"" + std::string(100, 'x') + "\"}}", {.skip_faults = true});
  REQUIRE(read.faults.size() == 1);
  CHECK(read.faults[0].value.size() == 64);
}

TEST_CASE("a value that is no JSON is shown") {
  for (const std::string value : {"NaN", "True", ".5", "+1"}) {
    CAPTURE(value);
    CHECK(Read("{\"i\":" + value + "}").rows[0] == "! F:1: column 'i': '" + value + "' is no JSON");
  }
}

TEST_CASE("what is no JSON object is refused with its line") {
  for (const char* wrong : {"{\"i\":1",
                            "{\"i\":1}}",
                            "{\"i\":1} x",
                            "{\"i\":1,}",
                            "{\"i\" 1}",
                            "{i:1}",
                            "[1]",
                            "1",
                            "\"x\"",
                            "null",
                            "{\"i\":1 \"s\":2}",
                            "{\"i\":01}",
                            "{\"i\":1x}",
                            "{\"s\":\"a\"b}",
                            "{\"s\":\"a}",
                            "{\"s\":\"\\x\"}",
                            "{\"s\":\"a\tb\"}",
                            "{\"i\":tru}",
                            "{\"i\":nul}",
                            "{\"s\":\"\xff\"}",
                            "{\"s\":\"\xe2\x82\"}",
                            "{\"i\":NaN}",
                            "{'i':1}",
                            "{\"i\":}",
                            "{\"j\":[1}",
                            "{\"j\":{\"a\":1]}",
                            "{\"n\":[1 2]}",
                            "{\"n\":[1,]}",
                            "{,}",
                            "{\"i\":1}{}"}) {
    CAPTURE(wrong);
    const auto read =
        Read("{\"i\":1}\n" + std::string(wrong) + "\n{\"i\":3}\n", {.skip_faults = true});
    CHECK(read.rows == Lines{"1|null|null|null|null", "3|null|null|null|null"});
    REQUIRE(read.faults.size() == 1);
    CHECK(read.faults[0].line == 2);
    CHECK_FALSE(read.faults[0].what.empty());
  }
  CHECK(Read("{\"s\":\"\xff\"}").rows == Lines{"! F:1: is no UTF-8"});
}

TEST_CASE("deep nesting is refused and takes no stack") {
  const std::string deep(10'000, '[');
  const auto shut = [&](const char* key) {
    return std::string("{\"") + key + "\":" + deep + std::string(10'000, ']') + "}";
  };
  CHECK(Read(shut("j")).rows[0].find("is nested deeper than 1000 levels") != std::string::npos);
  CHECK(Read(shut("x")).rows[0].starts_with("! F:1"));
  CHECK(Read(shut("n")).rows[0].starts_with("! F:1"));
  CHECK(Read("{\"j\":" + deep).rows[0].starts_with("! F:1"));
}

TEST_CASE("numbers keep what the text says") {
  CHECK(Of("{\"v\":9007199254740993}", R"({"name":"v","dataType":"LONG"})") ==
        Lines{"9007199254740993"});
  CHECK(Of("{\"v\":0.1234567890123456789012345678}", R"({"name":"v","dataType":"BIG_DECIMAL"})") ==
        Lines{"0.1234567890123456789012345678"});
  CHECK(Of("{\"v\":\"NaN\"}\n{\"v\":\"Infinity\"}", R"({"name":"v","dataType":"DOUBLE"})") ==
        Lines{"null", "Infinity"});
  CHECK(Of("{\"v\":\"\\ud83d\"}", R"({"name":"v","dataType":"STRING"})") == Lines{"?"});
}

TEST_CASE("a line over the limit is a fault, and the next line is read") {
  RowReaderOptions options;
  options.skip_faults = true;
  options.line_bytes_max = 1000;
  // Longer than the window, so that it comes in pieces; and one a little over.
  for (const size_t size : {size_t{1001}, size_t{5'000'000}}) {
    const auto read = Read("{\"i\":1}\n" + std::string(size, 'x') + "\n{\"i\":3}", options);
    CHECK(read.rows == Lines{"1|null|null|null|null", "3|null|null|null|null"});
    REQUIRE(read.faults.size() == 1);
    CHECK(read.faults[0].line == 2);
    CHECK(read.faults[0].what == "a line of more than 1000 bytes");
  }
  CHECK(Read(std::string(2000, 'x'), options).faults.size() == 1);
}

TEST_CASE("names that need escapes are found, alike rows or not") {
  const Schema schema =
      SchemaOf(R"({"name":"a\"b","dataType":"INT"},{"name":"Größe","dataType":"INT"})");
  std::string content;
  for (int i = 0; i < 3; ++i) content += "{\"a\\\"b\":1,\"Gr\\u00f6\\u00dfe\":2}\n";
  CHECK(ReadAll(content + "{\"Größe\":4}", schema, {}).rows ==
        Lines{"2|1", "2|1", "2|1", "4|null"});
}

}  // namespace
}  // namespace trellis::ingest
