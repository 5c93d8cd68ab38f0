#include "common/types/data_type.h"

#include <catch2/catch.hpp>
#include <set>

namespace trellis {
namespace {

const DataType kNamed[] = {DataType::kInt,       DataType::kLong,       DataType::kFloat,
                           DataType::kDouble,    DataType::kBigDecimal, DataType::kBoolean,
                           DataType::kTimestamp, DataType::kString,     DataType::kJson,
                           DataType::kBytes,     DataType::kMap};

TEST_CASE("every type's name parses back to it and to no other") {
  std::set<std::string_view> names;
  for (DataType type : kNamed) {
    CHECK(ParseDataType(DataTypeName(type)) == type);
    names.insert(DataTypeName(type));
  }
  CHECK(names.size() == std::size(kNamed));
  CHECK(DataTypeName(DataType::kBigDecimal) == "BIG_DECIMAL");
}

TEST_CASE("a name in lower case or of nothing is refused") {
  for (const char* name : {"", "int", "INTEGER", "VARCHAR", "INT_ARRAY"}) {
    CAPTURE(name);
    CHECK_FALSE(ParseDataType(name).has_value());
  }
}

TEST_CASE("logical types lie in memory as what Pinot stores them as") {
  CHECK(PhysicalOf(DataType::kBoolean) == Physical::kInt32);
  CHECK(PhysicalOf(DataType::kTimestamp) == Physical::kInt64);
  CHECK(PhysicalOf(DataType::kBigDecimal) == Physical::kBytes);
  CHECK(PhysicalOf(DataType::kMap) == Physical::kBytes);
}

TEST_CASE("only what arithmetic takes is numeric") {
  CHECK(IsNumeric(DataType::kBigDecimal));
  CHECK_FALSE(IsNumeric(DataType::kBoolean));
  CHECK_FALSE(IsNumeric(DataType::kTimestamp));
  CHECK(IsText(DataType::kJson));
  CHECK_FALSE(IsText(DataType::kBytes));
}

TEST_CASE("a multi-value type is an array of its elements") {
  CHECK(ValueTypeName({DataType::kString, true}) == "STRING_ARRAY");
  CHECK(ValueTypeName({DataType::kString, false}) == "STRING");
}

}  // namespace
}  // namespace trellis
