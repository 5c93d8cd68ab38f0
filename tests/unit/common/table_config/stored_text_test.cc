#include "common/table_config/stored_text.h"

#include <catch2/catch.hpp>

namespace trellis::table_config {
namespace {

TEST_CASE("stored text is read as the type of its column") {
  CHECK(*ParseStoredText("-5", DataType::kInt) == Value::Int(-5));
  CHECK(*ParseStoredText("1", DataType::kBoolean) == Value::Boolean(true));
  CHECK(*ParseStoredText("False", DataType::kBoolean) == Value::Boolean(false));
  CHECK(*ParseStoredText("1700000000000", DataType::kTimestamp) == Value::Timestamp(1700000000000));
  CHECK(ParseStoredText("1.0E10", DataType::kDouble)->float64() == 1e10);
  CHECK(ParseStoredText("00ff", DataType::kBytes)->bytes() == std::string("\0\xFF", 2));
  CHECK(ParseStoredText("", DataType::kBytes)->bytes().empty());
  CHECK(*ParseStoredText("{}", DataType::kMap) == DefaultNullValue(DataType::kMap, false));
  CHECK(*ParseStoredText(" a ", DataType::kString) == Value::String(" a "));
}

TEST_CASE("text that is no value of its type is refused by name") {
  const std::pair<const char*, DataType> cases[] = {
      {"", DataType::kInt},      {"1.5", DataType::kLong},      {"yes", DataType::kBoolean},
      {"abc", DataType::kBytes}, {"{\"a\":1}", DataType::kMap}, {"x", DataType::kBigDecimal},
  };
  for (const auto& [text, type] : cases) {
    const auto value = ParseStoredText(text, type);
    CAPTURE(text, DataTypeName(type));
    CHECK(value.status().code() == StatusCode::kInvalidArgument);
    CHECK(value.status().message().find(DataTypeName(type)) != std::string::npos);
  }
}

}  // namespace
}  // namespace trellis::table_config
