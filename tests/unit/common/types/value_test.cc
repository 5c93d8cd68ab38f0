#include "common/types/value.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "common/types/big_decimal.h"

namespace trellis {
namespace {

TEST_CASE("a null has a type and no payload") {
  CHECK(Value::Null(DataType::kInt).is_null());
  CHECK(Value::Null(DataType::kInt).type() == DataType::kInt);
  CHECK_FALSE(Value::Int(0).is_null());
  CHECK(Value::Null(DataType::kInt) != Value::Int(0));
}

TEST_CASE("values turn into Pinot's text") {
  CHECK(ValueToText(Value::Int(-5)) == "-5");
  CHECK(ValueToText(Value::Double(1e10)) == "1.0E10");
  CHECK(ValueToText(Value::Boolean(true)) == "true");
  CHECK(ValueToText(Value::Timestamp(0)) == "1970-01-01 00:00:00.0");
  CHECK(ValueToText(Value::Bytes(DataType::kBytes, "\xAB\x01")) == "ab01");
  CHECK(ValueToText(Value::Bytes(DataType::kBigDecimal,
                                 BigDecimal::FromText("1.10").value().ToBytes())) == "1.10");
  CHECK(ValueToText(Value::Null()) == "null");
}

TEST_CASE("literals parse as the column's type") {
  CHECK(ParseValue("-7", DataType::kInt).value() == Value::Int(-7));
  CHECK(ParseValue("9223372036854775807", DataType::kLong).value() ==
        Value::Long(std::numeric_limits<int64_t>::max()));
  CHECK(ParseValue("0.1", DataType::kFloat).value() == Value::Float(0.1F));
  CHECK(ParseValue("true", DataType::kBoolean).value() == Value::Boolean(true));
  CHECK(ParseValue("1", DataType::kBoolean).value() == Value::Boolean(true));
  CHECK(ParseValue("yes", DataType::kBoolean).value() == Value::Boolean(false));
  CHECK(ParseValue("2024-01-01", DataType::kTimestamp).value() == Value::Timestamp(1704067200000));
  CHECK(ParseValue("AB01", DataType::kBytes).value() == Value::Bytes(DataType::kBytes, "\xAB\x01"));
  CHECK(ParseValue("x", DataType::kString).value() == Value::String("x"));
}

TEST_CASE("a literal that does not fit its column is refused") {
  CHECK_FALSE(ParseValue("abc", DataType::kInt).ok());
  CHECK_FALSE(ParseValue("40.5", DataType::kInt).ok());
  CHECK_FALSE(ParseValue("2147483648", DataType::kInt).ok());
  CHECK_FALSE(ParseValue("garbage", DataType::kTimestamp).ok());
  CHECK_FALSE(ParseValue("abc", DataType::kBytes).ok());
  CHECK_FALSE(ParseValue("abc", DataType::kBigDecimal).ok());
  CHECK_FALSE(ParseValue("abc", DataType::kDouble).ok());
}

TEST_CASE("numbers order by value with NaN above all and -0.0 below 0.0") {
  const double nan = std::nan("");
  CHECK(CompareValues(Value::Double(nan), Value::Double(HUGE_VAL)) > 0);
  CHECK(CompareValues(Value::Double(nan), Value::Double(nan)) == 0);
  CHECK(CompareValues(Value::Double(-0.0), Value::Double(0.0)) < 0);
  CHECK(CompareValues(Value::Int(-1), Value::Int(1)) < 0);
  CHECK(CompareValues(Value::Long(std::numeric_limits<int64_t>::min()), Value::Long(0)) < 0);
}

TEST_CASE("text orders by UTF-16 and bytes order unsigned") {
  CHECK(CompareValues(Value::String("\xF0\x9F\x9A\x80"), Value::String("\xEE\x80\x80")) < 0);
  CHECK(CompareValues(Value::Bytes(DataType::kBytes, "\xFF"),
                      Value::Bytes(DataType::kBytes, "\x01")) > 0);
}

TEST_CASE("a null cell is stored as Pinot's default of its type") {
  CHECK(DefaultNullValue(DataType::kInt, false) == Value::Int(std::numeric_limits<int32_t>::min()));
  CHECK(DefaultNullValue(DataType::kInt, true) == Value::Int(0));
  CHECK(DefaultNullValue(DataType::kString, false) == Value::String("null"));
  CHECK(DefaultNullValue(DataType::kBoolean, false) == Value::Boolean(false));
  CHECK(DefaultNullValue(DataType::kDouble, true) == Value::Double(0));
  CHECK(DefaultNullValue(DataType::kDouble, false) == Value::Double(-HUGE_VAL));
}

}  // namespace
}  // namespace trellis
