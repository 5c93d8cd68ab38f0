#include "broker/bind/literal_comparison.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace trellis::broker {
namespace {

constexpr Comparison kAll[] = {Comparison::kEqual,   Comparison::kNotEqual,
                               Comparison::kLess,    Comparison::kLessOrEqual,
                               Comparison::kGreater, Comparison::kGreaterOrEqual};

template <class X, class Y>
bool Holds(X x, Comparison comparison, Y y) {
  switch (comparison) {
    case Comparison::kEqual:
      return x == y;
    case Comparison::kNotEqual:
      return x != y;
    case Comparison::kLess:
      return x < y;
    case Comparison::kLessOrEqual:
      return x <= y;
    case Comparison::kGreater:
      return x > y;
    default:
      return x >= y;
  }
}

FoldedComparison Fold(DataType type, Comparison comparison, const Value& literal) {
  auto folded = FoldComparison(type, comparison, literal);
  INFO(folded.status().message());
  REQUIRE(folded.ok());
  return *folded;
}

void CheckConstant(DataType type, Comparison comparison, const Value& literal, bool expected) {
  const FoldedComparison folded = Fold(type, comparison, literal);
  REQUIRE(folded.constant.has_value());
  CHECK(*folded.constant == expected);
}

void CheckFold(DataType type, Comparison comparison, const Value& literal, Comparison expected,
               const Value& value) {
  const FoldedComparison folded = Fold(type, comparison, literal);
  REQUIRE_FALSE(folded.constant.has_value());
  CHECK(folded.comparison == expected);
  CHECK(folded.value == value);
}

}  // namespace

TEST_CASE("a fraction moves a range over integers to the whole number beside it") {
  const DataType type = DataType::kInt;
  CheckFold(type, Comparison::kGreater, Value::Double(1.5), Comparison::kGreater, Value::Int(1));
  CheckFold(type, Comparison::kGreaterOrEqual, Value::Double(1.5), Comparison::kGreater,
            Value::Int(1));
  CheckFold(type, Comparison::kLess, Value::Double(1.5), Comparison::kLessOrEqual, Value::Int(1));
  CheckFold(type, Comparison::kGreater, Value::Double(-1.5), Comparison::kGreaterOrEqual,
            Value::Int(-1));
  CheckFold(type, Comparison::kLessOrEqual, Value::Double(-1.5), Comparison::kLess, Value::Int(-1));
  CheckFold(DataType::kLong, Comparison::kLess, Value::Double(2.0), Comparison::kLess,
            Value::Long(2));
}

TEST_CASE("no integer equals a fraction") {
  CheckConstant(DataType::kInt, Comparison::kEqual, Value::Double(1.5), false);
  CheckConstant(DataType::kLong, Comparison::kNotEqual, Value::Double(-0.25), true);
}

TEST_CASE("a literal beyond the column's type makes the comparison constant") {
  const Value above = Value::Long(2147483648);
  const Value below = Value::Long(-2147483649);
  CheckConstant(DataType::kInt, Comparison::kLess, above, true);
  CheckConstant(DataType::kInt, Comparison::kGreaterOrEqual, above, false);
  CheckConstant(DataType::kInt, Comparison::kEqual, above, false);
  CheckConstant(DataType::kInt, Comparison::kNotEqual, below, true);
  CheckConstant(DataType::kInt, Comparison::kGreater, below, true);
  CheckConstant(DataType::kLong, Comparison::kLess, Value::Double(1e19), true);
  CheckConstant(DataType::kLong, Comparison::kLess, Value::Double(-1e19), false);
  CheckConstant(DataType::kFloat, Comparison::kLess, Value::Double(1e300), true);
  CheckConstant(DataType::kFloat, Comparison::kLess, Value::Double(-1e300), false);
  // The type's own ends are still inside.
  CheckFold(DataType::kInt, Comparison::kLess, Value::Long(2147483647), Comparison::kLess,
            Value::Int(2147483647));
  CheckFold(DataType::kInt, Comparison::kLess, Value::Double(-2147483648.0), Comparison::kLess,
            Value::Int(std::numeric_limits<int32_t>::min()));
}

TEST_CASE("NaN compares with nothing but by <>") {
  const Value nan = Value::Double(std::nan(""));
  for (const Comparison comparison : kAll)
    CheckConstant(DataType::kInt, comparison, nan, comparison == Comparison::kNotEqual);
}

TEST_CASE("every fold over integers is true for the same numbers as the comparison it stands for") {
  for (const double literal : {-2.5, -2.0, -0.5, 0.0, 0.5, 1.0, 1.25}) {
    for (const Comparison comparison : kAll) {
      const FoldedComparison folded = Fold(DataType::kInt, comparison, Value::Double(literal));
      for (int32_t x = -4; x <= 4; ++x) {
        INFO(x << " against " << literal << ", comparison " << static_cast<int>(comparison));
        const bool held =
            folded.constant ? *folded.constant : Holds(x, folded.comparison, folded.value.int32());
        CHECK(held == Holds(static_cast<double>(x), comparison, literal));
      }
    }
  }
}

TEST_CASE("a whole number with more digits than a double keeps its place between doubles") {
  const int64_t literal = (int64_t{1} << 53) + 1;  // between two doubles
  const double below = std::ldexp(1.0, 53);
  const double above = below + 2;
  for (const Comparison comparison : kAll) {
    const FoldedComparison folded = Fold(DataType::kDouble, comparison, Value::Long(literal));
    for (const double x : {below, above}) {
      INFO(x << ", comparison " << static_cast<int>(comparison));
      const bool held =
          folded.constant ? *folded.constant : Holds(x, folded.comparison, folded.value.float64());
      CHECK(held == Holds(static_cast<int64_t>(x), comparison, literal));
    }
  }
  CheckFold(DataType::kFloat, Comparison::kGreater, Value::Int(16777217), Comparison::kGreater,
            Value::Float(16777216.0F));
  CheckConstant(DataType::kFloat, Comparison::kEqual, Value::Int(16777217), false);
}

TEST_CASE("a FLOAT column is compared with the literal's text read as FLOAT") {
  CheckFold(DataType::kFloat, Comparison::kEqual, Value::Double(0.1), Comparison::kEqual,
            Value::Float(0.1F));
}

TEST_CASE("literals take the column's type by way of their text") {
  const auto convert = [](const Value& literal, DataType type) {
    auto value = ConvertLiteral(literal, type);
    INFO(value.status().message());
    REQUIRE(value.ok());
    return *value;
  };
  CHECK(convert(Value::Int(5), DataType::kString) == Value::String("5"));
  CHECK(convert(Value::Double(5.0), DataType::kString) == Value::String("5.0"));
  CHECK(convert(Value::Boolean(true), DataType::kString) == Value::String("true"));
  CHECK(convert(Value::String("5"), DataType::kInt) == Value::Int(5));
  CHECK(convert(Value::String("TRUE"), DataType::kBoolean) == Value::Boolean(true));
  CHECK(convert(Value::Int(1), DataType::kBoolean) == Value::Boolean(true));
  CHECK(convert(Value::Int(2), DataType::kBoolean) == Value::Boolean(false));
  CHECK(convert(Value::String("yes"), DataType::kBoolean) == Value::Boolean(false));
  CHECK(convert(Value::String("1970-01-01 00:00:01"), DataType::kTimestamp) ==
        Value::Timestamp(1000));
  CHECK(convert(Value::String("0aFF"), DataType::kBytes) ==
        Value::Bytes(DataType::kBytes, "\x0a\xff"));
}

TEST_CASE("text that is no value of the column's type is refused with 700") {
  for (const DataType type : {DataType::kInt, DataType::kLong, DataType::kFloat, DataType::kDouble,
                              DataType::kTimestamp, DataType::kBytes}) {
    const auto value = ConvertLiteral(Value::String("xyz"), type);
    INFO(DataTypeName(type));
    REQUIRE_FALSE(value.ok());
    CHECK(value.status().pinot_code() == PinotCode::kQueryValidation);
    CHECK_FALSE(FoldComparison(type, Comparison::kEqual, Value::String("xyz")).ok());
  }
  CHECK_FALSE(ConvertLiteral(Value::Double(1.5), DataType::kInt).ok());
}

}  // namespace trellis::broker
