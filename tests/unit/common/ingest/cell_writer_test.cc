#include "common/ingest/cell_writer.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "common/column/map_frame.h"
#include "common/types/big_decimal.h"

namespace trellis::ingest {
namespace {

FieldSpec Field(DataType type, bool multi_value = false) {
  FieldSpec field;
  field.name = "c";
  field.type = type;
  field.multi_value = multi_value;
  field.default_null = DefaultNullValue(type, /*is_metric=*/false);
  return field;
}

// One row with one value; its text, "null", or what is wrong with it.
template <class Add>
std::string Cell(const FieldSpec& field, Add&& add) {
  CellWriter writer(field);
  ColumnVector vector;
  writer.StartBatch(&vector, 1);
  const std::string_view what = add(writer);
  if (!what.empty()) return "! " + std::string(what);
  writer.FinishRow();
  writer.FinishBatch();
  REQUIRE(vector.size() == 1);
  const Value value = vector.Get(0);
  return value.is_null() ? "null" : ValueToText(value);
}

std::string FromText(const FieldSpec& field, std::string_view text) {
  return Cell(field, [&](CellWriter& writer) { return writer.AddText(text); });
}
std::string FromText(DataType type, std::string_view text) { return FromText(Field(type), text); }
std::string FromNumber(DataType type, std::string_view token) {
  const FieldSpec field = Field(type);
  return Cell(field,
              [&](CellWriter& writer) { return writer.AddNumber(token, ClassifyNumber(token)); });
}
std::string FromNested(DataType type, std::string_view json) {
  const FieldSpec field = Field(type);
  return Cell(field, [&](CellWriter& writer) { return writer.AddNested(json); });
}

TEST_CASE("integers are exact or refused, however they are written") {
  CHECK(FromNumber(DataType::kInt, "2147483647") == "2147483647");
  CHECK(FromNumber(DataType::kInt, "2147483648") == "! is no INT");
  CHECK(FromNumber(DataType::kInt, "1.0") == "1");
  CHECK(FromNumber(DataType::kInt, "12e2") == "1200");
  CHECK(FromNumber(DataType::kInt, "1.5") == "! is no INT");
  CHECK(FromNumber(DataType::kInt, "-0") == "0");
  CHECK(FromNumber(DataType::kLong, "9007199254740993") == "9007199254740993");
  CHECK(FromNumber(DataType::kLong, "9007199254740993.0") == "9007199254740993");
  CHECK(FromNumber(DataType::kLong, "-9223372036854775808") == "-9223372036854775808");
  CHECK(FromNumber(DataType::kLong, "9223372036854775808") == "! is no LONG");
  CHECK(FromNumber(DataType::kLong, "1e19") == "! is no LONG");
  CHECK(FromText(DataType::kInt, " 12 ") == "12");
  CHECK(FromText(DataType::kInt, "+5") == "5");
  CHECK(FromText(DataType::kInt, "1.0") == "! is no INT");
  CHECK(FromText(DataType::kInt, "") == "! is no INT");
  CHECK(FromText(DataType::kInt, "4294967296") == "! is no INT");
  CHECK(FromText(DataType::kLong, "9223372036854775807") == "9223372036854775807");
}

// Pinot 1.5.1: NaN is no value, there is no negative zero, a fraction goes through double to float.
TEST_CASE("floating values are Java's") {
  CHECK(FromNumber(DataType::kDouble, "0.1") == "0.1");
  CHECK(FromNumber(DataType::kDouble, "1e400") == "Infinity");
  CHECK(FromNumber(DataType::kDouble, "1e-400") == "0.0");
  CHECK(FromNumber(DataType::kDouble, "-0.0") == "0.0");
  CHECK(FromNumber(DataType::kDouble, "9007199254740993") == "9.007199254740992E15");
  CHECK(FromNumber(DataType::kFloat, "1e300") == "Infinity");
  CHECK(FromNumber(DataType::kFloat, "0.1") == "0.1");
  // Just above the middle of two floats: as double it is the middle, which rounds to even.
  CHECK(FromNumber(DataType::kFloat, "1.00000005960464477539062501") == "1.0");
  CHECK(FromText(DataType::kFloat, "1.00000005960464477539062501") == "1.0000001");
  CHECK(FromText(DataType::kDouble, "NaN") == "null");
  CHECK(FromText(DataType::kDouble, "Infinity") == "Infinity");
  CHECK(FromText(DataType::kDouble, "-Infinity") == "-Infinity");
  CHECK(FromText(DataType::kDouble, "-0.0") == "0.0");
  CHECK(FromText(DataType::kFloat, "1.5f") == "1.5");
  CHECK(FromText(DataType::kDouble, "1_0") == "! is no DOUBLE");
  CHECK(FromText(DataType::kDouble, "") == "! is no DOUBLE");
}

TEST_CASE("decimals keep every digit but trailing zeros") {
  const auto scale = [](std::string_view text) {
    const FieldSpec field = Field(DataType::kBigDecimal);
    CellWriter writer(field);
    ColumnVector vector;
    writer.StartBatch(&vector, 1);
    REQUIRE(writer.AddNumber(text, ClassifyNumber(text)).empty());
    writer.FinishRow();
    writer.FinishBatch();
    return BigDecimal::FromBytes(vector.Get(0).bytes())->scale();
  };
  CHECK(FromNumber(DataType::kBigDecimal, "1.10") == "1.1");
  CHECK(scale("1.10") == 1);
  CHECK(scale("100") == -2);
  CHECK(scale("0.00") == 0);
  CHECK(FromNumber(DataType::kBigDecimal, "12345678901234567890.123456789") ==
        "12345678901234567890.123456789");
  CHECK(FromText(DataType::kBigDecimal, " 1E5 ") == "100000");
  CHECK(FromText(DataType::kBigDecimal, "x") == "! is no BIG_DECIMAL");
  CHECK(FromText(DataType::kBigDecimal, "") == "! is no BIG_DECIMAL");
  CHECK(FromText(DataType::kBigDecimal, "1e40000").starts_with("! has an exponent"));
}

TEST_CASE("flags, times, bytes and ids are read as Pinot reads them, or refused") {
  for (const char* yes : {"true", "TRUE", "1", " true"})
    CHECK(FromText(DataType::kBoolean, yes) == "true");
  CHECK(FromText(DataType::kBoolean, "0") == "false");
  CHECK(FromText(DataType::kBoolean, "yes") == "! is no BOOLEAN");
  CHECK(FromNumber(DataType::kBoolean, "1") == "true");
  CHECK(FromNumber(DataType::kBoolean, "2") == "! is no BOOLEAN");
  CHECK(FromText(DataType::kTimestamp, "2024-01-02 03:04:05") == "2024-01-02 03:04:05.0");
  CHECK(FromText(DataType::kTimestamp, "2024-01-02 03:04:05.1234") == "2024-01-02 03:04:05.123");
  CHECK(FromText(DataType::kTimestamp, "1741003200000") == "2025-03-03 12:00:00.0");
  CHECK(FromNumber(DataType::kTimestamp, "1741003200000") == "2025-03-03 12:00:00.0");
  CHECK(FromText(DataType::kTimestamp, "x") == "! is no TIMESTAMP");
  CHECK(FromText(DataType::kBytes, "ABcd") == "abcd");
  CHECK(FromText(DataType::kBytes, " ab ") == "ab");
  CHECK(FromText(DataType::kBytes, "abc") == "! is no BYTES");
  CHECK(FromNumber(DataType::kBytes, "1") == "! is no BYTES");
  CHECK(FromText(DataType::kUuid, "550e8400-e29b-41d4-a716-446655440000") ==
        "550e8400-e29b-41d4-a716-446655440000");
  CHECK(FromText(DataType::kUuid, "550e") == "! is no UUID");
  const FieldSpec integer = Field(DataType::kInt);
  CHECK(Cell(integer, [](CellWriter& writer) { return writer.AddFlag(true); }) == "! is no INT");
}

TEST_CASE("a STRING takes scalars in Java's text and ends at 512 units and at its first NUL") {
  CHECK(FromNumber(DataType::kString, "1") == "1");
  CHECK(FromNumber(DataType::kString, "-0") == "0");
  CHECK(FromNumber(DataType::kString, "1e10") == "1.0E10");
  CHECK(FromNumber(DataType::kString, "1e3") == "1000.0");
  CHECK(FromText(DataType::kString, std::string("a\0b", 3)) == "a");
  CHECK(FromText(DataType::kString, "") == "");
  CHECK(FromText(DataType::kString, std::string(600, 'x')) == std::string(512, 'x'));
  CHECK(FromText(DataType::kString, std::string(512, 'x')) == std::string(512, 'x'));
  std::string umlauts;
  for (int i = 0; i < 512; ++i) umlauts += "ü";
  CHECK(FromText(DataType::kString, umlauts) == umlauts);
  CHECK(FromText(DataType::kString, umlauts + "ü") == umlauts);
  // A pair cut in half: Java writes its first half as '?'.
  CHECK(FromText(DataType::kString, std::string(511, 'x') + "😀") == std::string(511, 'x') + "?");
  CHECK(FromText(DataType::kString, std::string(510, 'x') + "😀y") == std::string(510, 'x') + "😀");
  CHECK(FromNested(DataType::kString, "{}") == "! is no STRING");
}

TEST_CASE("the schema says what becomes of longer texts") {
  FieldSpec field = Field(DataType::kString);
  field.max_length = 3;
  CHECK(FromText(field, "abcd") == "abc");
  field.length_exceed = LengthExceed::kError;
  CHECK(FromText(field, "abc") == "abc");
  CHECK(FromText(field, "abcd") == "! is longer than the schema's maxLength");
  CHECK(FromText(field, std::string_view("a\0", 2)) == "! holds a NUL");
  field.length_exceed = LengthExceed::kSubstituteDefaultValue;
  field.default_null = Value::String("none");
  CHECK(FromText(field, "abcd") == "none");
  field.length_exceed = LengthExceed::kNoAction;
  CHECK(FromText(field, "abcd") == "abcd");
  CHECK(FromText(field, std::string_view("ab\0d", 4)) == "ab");
  FieldSpec bytes = Field(DataType::kBytes);
  bytes.max_length = 1;
  CHECK(FromText(bytes, "abcd") == "abcd");
  bytes.length_exceed = LengthExceed::kTrimLength;
  CHECK(FromText(bytes, "abcd") == "ab");
}

TEST_CASE("a JSON column takes any JSON; text that is none becomes a string") {
  CHECK(FromText(DataType::kJson, R"({"b": 1.50, "a":1})") == R"({"b":1.5,"a":1})");
  CHECK(FromText(DataType::kJson, "x") == R"("x")");
  CHECK(FromText(DataType::kJson, "{'a':1}") == R"("{'a':1}")");
  CHECK(FromText(DataType::kJson, "") == "");
  CHECK(FromText(DataType::kJson, "null") == "null");
  CHECK(FromNumber(DataType::kJson, "1") == "1");
  CHECK(FromNested(DataType::kJson, R"([1, "a"])") == R"([1,"a"])");
  CHECK(FromNested(DataType::kJson, "[1") == "! is no JSON");
  const std::string longer = R"({"a":")" + std::string(700, 'x') + R"("})";
  CHECK(FromText(DataType::kJson, longer) == longer);
  CHECK(FromNested(DataType::kJson, std::string(2000, '[')) ==
        "! is nested deeper than 1000 levels");
}

TEST_CASE("a MAP's row is a frame with sorted keys, the last of equal ones") {
  const FieldSpec field = Field(DataType::kMap);
  const auto json = [&](std::string_view text) {
    CellWriter writer(field);
    ColumnVector vector;
    writer.StartBatch(&vector, 1);
    const std::string_view what = writer.AddNested(text);
    if (!what.empty()) return "! " + std::string(what);
    writer.FinishRow();
    writer.FinishBatch();
    return *column::MapFrameToJson(vector.Get(0).bytes());
  };
  CHECK(json(R"({"b":1,"a":{"y":1,"x":2.50},"b":"two"})") == R"({"a":{"x":2.5,"y":1},"b":"two"})");
  CHECK(json("{}") == "{}");
  CHECK(json("[1]") == "! is no MAP");
  CHECK(FromText(DataType::kMap, "x") == "! is no MAP");
}

TEST_CASE("rows without a value are null over the default, single or multi-value") {
  FieldSpec single = Field(DataType::kLong);
  single.default_null = Value::Long(7);
  const FieldSpec multi = Field(DataType::kString, /*multi_value=*/true);
  CellWriter a(single);
  CellWriter b(multi);
  ColumnVector va;
  ColumnVector vb;
  for (int batch = 0; batch < 2; ++batch) {
    a.StartBatch(&va, 4);
    b.StartBatch(&vb, 4);
    a.FinishRow();
    b.FinishRow();
    REQUIRE(a.AddText("1").empty());
    REQUIRE(b.AddText("x").empty());
    REQUIRE(b.AddText("y").empty());
    a.FinishRow();
    b.FinishRow();
    REQUIRE(a.AddText("2").empty());  // thrown away
    REQUIRE(b.AddText("z").empty());
    a.StartRow();
    b.StartRow();
    a.FinishRow();
    b.FinishRow();
    a.FinishBatch();
    b.FinishBatch();
    REQUIRE(va.size() == 3);
    REQUIRE(vb.size() == 3);
    CHECK(va.is_null(0));
    CHECK(va.values<int64_t>() == std::vector<int64_t>{7, 1, 7});
    CHECK(va.is_null(2));
    CHECK(vb.is_null(0));
    CHECK_FALSE(vb.is_null(1));
    CHECK(vb.offsets() == std::vector<uint32_t>{0, 1, 3, 4});
    CHECK(vb.values<std::string_view>() == std::vector<std::string_view>{"null", "x", "y", "null"});
  }
}

TEST_CASE("NaN is no element of a multi-value row") {
  const FieldSpec field = Field(DataType::kDouble, /*multi_value=*/true);
  CellWriter writer(field);
  ColumnVector vector;
  writer.StartBatch(&vector, 2);
  REQUIRE(writer.AddText("1.5").empty());
  REQUIRE(writer.AddText("NaN").empty());
  REQUIRE(writer.AddNumber("-0.0", NumberKind::kFraction).empty());
  writer.FinishRow();
  REQUIRE(writer.AddText("NaN").empty());
  writer.FinishRow();
  writer.FinishBatch();
  CHECK(vector.values<double>() ==
        std::vector<double>{1.5, 0.0, -std::numeric_limits<double>::infinity()});
  CHECK_FALSE(std::signbit(vector.values<double>()[1]));
  CHECK(vector.is_null(1));
}

}  // namespace
}  // namespace trellis::ingest
