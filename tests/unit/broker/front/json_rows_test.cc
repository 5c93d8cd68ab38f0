#include "broker/front/json_rows.h"

#include <catch2/catch.hpp>
#include <limits>

#include "common/types/big_decimal.h"

using namespace trellis;
using broker::AppendResultTableJson;
using broker::ResultTable;

namespace {

// The text of `rows` of a table of one column `c`.
std::string RowsText(const ColumnVector& column, bool null_handling = true) {
  ResultTable table{{"c"}, {column.value_type()}, {column.size(), {column}}};
  std::string out;
  AppendResultTableJson(table, null_handling, out);
  const std::string head = R"({"dataSchema":{"columnNames":["c"],"columnDataTypes":[")" +
                           ValueTypeName(column.value_type()) + R"("]},"rows":)";
  CHECK(out.substr(0, head.size()) == head);
  CHECK(out.back() == '}');
  return out.substr(head.size(), out.size() - head.size() - 1);
}

std::string RowsText(ValueType type, const std::vector<Value>& values, bool null_handling = true) {
  ColumnVector column(type);
  for (const Value& value : values) column.Append(value);
  return RowsText(column, null_handling);
}

}  // namespace

TEST_CASE("several columns and rows are written as Pinot writes them") {
  ColumnVector names(DataType::kString);
  ColumnVector counts(DataType::kLong);
  for (const auto& [name, count] : {std::pair{"FL", 470}, std::pair{"AL", 44369}}) {
    names.Append(Value::String(name));
    counts.Append(Value::Long(count));
  }
  const ResultTable table{{"league", "count(*)"},
                          {{DataType::kString, false}, {DataType::kLong, false}},
                          {2, {names, counts}}};
  std::string out = "before";
  AppendResultTableJson(table, false, out);
  CHECK(out == R"x(before{"dataSchema":{"columnNames":["league","count(*)"],)x"
               R"x("columnDataTypes":["STRING","LONG"]},"rows":[["FL",470],["AL",44369]]})x");
}

TEST_CASE("a table without rows keeps its schema, with or without column vectors") {
  ResultTable table{{"a\"b"}, {{DataType::kInt, true}}, {}};
  std::string out;
  AppendResultTableJson(table, false, out);
  CHECK(out ==
        R"({"dataSchema":{"columnNames":["a\"b"],"columnDataTypes":["INT_ARRAY"]},"rows":[]})");
}

TEST_CASE("whole numbers keep every digit") {
  CHECK(RowsText({DataType::kInt, false}, {Value::Int(-2147483648), Value::Int(2147483647)}) ==
        "[[-2147483648],[2147483647]]");
  CHECK(RowsText({DataType::kLong, false}, {Value::Long(std::numeric_limits<int64_t>::min()),
                                            Value::Long(9007199254740993)}) ==
        "[[-9223372036854775808],[9007199254740993]]");
}

TEST_CASE("floating numbers have Java's digits, and NaN and infinities are quoted") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(
      RowsText({DataType::kDouble, false},
               {Value::Double(0), Value::Double(20432), Value::Double(1e10), Value::Double(1.1e-6),
                Value::Double(infinity), Value::Double(-infinity), Value::Double(std::nan(""))}) ==
      R"([[0.0],[20432.0],[1.0E10],[1.1E-6],["Infinity"],["-Infinity"],["NaN"]])");
  CHECK(RowsText({DataType::kFloat, false}, {Value::Float(0.1f), Value::Float(-1.0f / 0.0f)}) ==
        R"([[0.1],["-Infinity"]])");
}

TEST_CASE("decimals, booleans, timestamps, bytes and UUIDs have their own texts") {
  const std::string decimal = BigDecimal::FromText("99157415.7290").value().ToBytes();
  CHECK(RowsText({DataType::kBigDecimal, false}, {Value::Bytes(DataType::kBigDecimal, decimal)}) ==
        R"([["99157415.7290"]])");
  CHECK(RowsText({DataType::kBoolean, false}, {Value::Boolean(true), Value::Boolean(false)}) ==
        "[[true],[false]]");
  CHECK(RowsText({DataType::kTimestamp, false},
                 {Value::Timestamp(0), Value::Timestamp(1609459200120)}) ==
        R"([["1970-01-01 00:00:00.0"],["2021-01-01 00:00:00.12"]])");
  CHECK(RowsText({DataType::kBytes, false},
                 {Value::Bytes(DataType::kBytes, std::string("\0\xAB", 2))}) == R"([["00ab"]])");
  CHECK(
      RowsText({DataType::kUuid, false},
               {Value::Bytes(DataType::kUuid, std::string("\x12\x34\x56\x78\x9a\xbc\xde\xf0"
                                                          "\x12\x34\x56\x78\x9a\xbc\xde\xf0"))}) ==
      R"([["12345678-9abc-def0-1234-56789abcdef0"]])");
}

TEST_CASE("text is escaped as Pinot escapes it") {
  CHECK(RowsText(
            {DataType::kString, false},
            {Value::String("a\"b\\c/"), Value::String(std::string("\b\t\n\f\r\x01\x1f\0\x7f", 9)),
             Value::String("日本語"), Value::String("🚀rocket")}) ==
        "[[\"a\\\"b\\\\c/\"],[\"\\b\\t\\n\\f\\r\\u0001\\u001F\\u0000\x7f\"],[\"日本語\"],"
        "[\"\\uD83D\\uDE80rocket\"]]");
  CHECK(RowsText({DataType::kJson, false}, {Value::Bytes(DataType::kJson, R"({"a":1})")}) ==
        R"([["{\"a\":1}"]])");
}

TEST_CASE("bytes that are no UTF-8 become U+FFFD, one each") {
  for (const char* invalid :
       {"\xFF", "\x80", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE0\x80\xAF",
        "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80"}) {
    CAPTURE(invalid);
    std::string wanted = "[[\"x";
    for (size_t i = 0; i < std::string(invalid).size(); ++i) wanted += "\xEF\xBF\xBD";
    CHECK(RowsText({DataType::kString, false}, {Value::String(std::string("x") + invalid + "y")}) ==
          wanted + "y\"]]");
  }
}

TEST_CASE("arrays hold the elements' forms in storage order") {
  CHECK(RowsText({DataType::kTimestamp, true},
                 {Value::Array(DataType::kTimestamp, {Value::Timestamp(2), Value::Timestamp(1)}),
                  Value::Array(DataType::kTimestamp, {})}) ==
        R"([[["1970-01-01 00:00:00.002","1970-01-01 00:00:00.001"]],[[]]])");
}

TEST_CASE("a MAP is an object, an empty one too, and never breaks the document") {
  const auto map = [](std::string text) { return Value::Bytes(DataType::kMap, std::move(text)); };
  CHECK(RowsText({DataType::kMap, false}, {map(R"({"k":1})"), map(""), map("broken")}) ==
        R"([[{"k":1}],[{}],["broken"]])");
}

TEST_CASE("a payload that is not of its type's form is shown as hex") {
  CHECK(RowsText({DataType::kBigDecimal, false}, {Value::Bytes(DataType::kBigDecimal, "\x01")}) ==
        R"([["01"]])");
  CHECK(RowsText({DataType::kUuid, false}, {Value::Bytes(DataType::kUuid, "ab")}) ==
        R"([["6162"]])");
}

TEST_CASE("a null is null with null handling, and what is stored under it without") {
  ColumnVector column(DataType::kInt);
  column.Append(Value::Int(7));
  column.Append(Value::Int(-5));
  column.SetNull(1);
  CHECK(RowsText(column, true) == "[[7],[null]]");
  CHECK(RowsText(column, false) == "[[7],[-5]]");
}

TEST_CASE("a NULL literal is null either way, and a constant stands for every row") {
  CHECK(RowsText(ColumnVector::Constant(Value::Null(), 1), false) == "[[null]]");
  CHECK(RowsText(ColumnVector::Constant(Value::Int(3), 2), false) == "[[3],[3]]");
}
