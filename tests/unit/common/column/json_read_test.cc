#include "common/column/json_read.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "common/types/java_text.h"

namespace trellis::column {
namespace {

Result<Value> Read(std::string_view json, DataType type, NestedText nested = NestedText::kJava) {
  ColumnVector out(type);
  out.Resize(1);
  JsonTextReader reader("k", nested, /*missing_is_null=*/false, out);
  size_t failed = 0;
  TRELLIS_RETURN_IF_ERROR(reader.Read(&json, 1, 0, 1, failed));
  return out.Get(0);
}

bool SameBits(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

// Numbers as JSON writes them: few and many digits, with points in every place.
std::string RandomNumber(std::mt19937_64& random) {
  std::string text = random() % 4 == 0 ? "-" : "";
  std::string digits = std::to_string(random() >> random() % 64);
  if (random() % 8 == 0) digits = "0";
  text += digits;
  if (random() % 2 == 0) return text;
  text += '.';
  if (random() % 3 == 0) text += std::string(random() % 9, '0');
  return text + std::to_string(random() >> random() % 64);
}

TEST_CASE("numbers are the values that the C library reads") {
  std::mt19937_64 random(64);
  for (int i = 0; i < 100000; ++i) {
    const std::string text = RandomNumber(random);
    const bool fraction = text.find('.') != std::string::npos;
    double number = std::strtod(text.c_str(), nullptr);
    if (number == 0 && !fraction) number = 0;  // -0 is an integer, and those have no -0
    float narrow = std::strtof(text.c_str(), nullptr);
    // Fractions are read as FLOAT from the text of the double.
    if (fraction) narrow = std::strtof(JavaDoubleText(number).c_str(), nullptr);
    if (narrow == 0 && !fraction) narrow = 0;
    const bool right = SameBits(Read(text, DataType::kDouble).value().float64(), number) &&
                       SameBits(Read(text, DataType::kFloat).value().float32(), narrow);
    if (!right) {
      CAPTURE(text);
      FAIL_CHECK("another number");
    }
  }
}

TEST_CASE("integers keep every digit, and what does not fit is refused") {
  for (const int64_t number :
       {int64_t{0}, int64_t{7}, int64_t{-1}, int64_t{INT32_MAX}, int64_t{INT32_MIN},
        int64_t{999999999999999999}, int64_t{-999999999999999999}, INT64_MAX, INT64_MIN}) {
    const std::string text = std::to_string(number);
    CAPTURE(text);
    CHECK(Read(text, DataType::kLong).value() == Value::Long(number));
    CHECK(Read(text, DataType::kString).value() == Value::String(text));
    const bool fits = number == static_cast<int32_t>(number);
    CHECK(Read(text, DataType::kInt).ok() == fits);
    if (fits) CHECK(Read(text, DataType::kInt).value() == Value::Int(static_cast<int32_t>(number)));
  }
  CHECK(Read("-0", DataType::kLong).value() == Value::Long(0));
  CHECK(Read(" 42 ", DataType::kLong).value() == Value::Long(42));
  for (const char* text : {"9223372036854775808", "2147483648", "-2147483649", "1.0", "1e2"}) {
    CAPTURE(text);
    CHECK(Read(text, DataType::kInt).status().pinot_code() == PinotCode::kQueryExecution);
  }
}

TEST_CASE("texts that are no JSON numbers are no values") {
  for (const char* text : {"01", "-", "1.", ".5", "+1", "--1", "1.5.2", "1-", "00", "-01", "1 2"}) {
    CAPTURE(text);
    CHECK(Read(text, DataType::kLong).value() == Value::Long(INT64_MIN));
    CHECK(Read(text, DataType::kDouble).value() ==
          Value::Double(-std::numeric_limits<double>::infinity()));
    CHECK(Read(text, DataType::kString).value() == Value::String("null"));
  }
}

TEST_CASE("booleans are true, false or integers") {
  CHECK(Read("true", DataType::kBoolean).value() == Value::Boolean(true));
  CHECK(Read("false", DataType::kBoolean).value() == Value::Boolean(false));
  CHECK(Read("1", DataType::kBoolean).value() == Value::Boolean(true));
  CHECK_FALSE(Read("1.5", DataType::kBoolean).ok());
  CHECK_FALSE(Read("true", DataType::kInt).ok());
}

TEST_CASE("strings are views where they lie unless an escape is in them") {
  const std::string plain = "\"" + std::string(100, 'x') + "\xC3\xA9\"";
  const std::string escaped = "\"" + std::string(100, 'x') + "\\n\"";
  const std::string_view texts[] = {plain, escaped, {}, "\"\""};
  ColumnVector out(DataType::kString);
  out.Resize(4);
  JsonTextReader reader("k", NestedText::kJava, /*missing_is_null=*/true, out);
  size_t failed = 0;
  REQUIRE(reader.Read(texts, 1, 0, 4, failed).ok());
  const auto& values = out.values<std::string_view>();
  CHECK(values[0].data() == plain.data() + 1);
  CHECK(values[0].size() == plain.size() - 2);
  CHECK(values[1] == std::string(100, 'x') + "\n");
  CHECK(values[2] == "null");
  CHECK(out.is_null(2));
  CHECK((values[3].empty() && !out.is_null(3)));
}

TEST_CASE("objects are Java's text or JSON's, as asked") {
  CHECK(Read("{\"a\":[1,2.50]}", DataType::kString).value() == Value::String("{a=[1, 2.5]}"));
  CHECK(Read("{\"a\":[1,2.50]}", DataType::kString, NestedText::kJson).value() ==
        Value::String("{\"a\":[1,2.50]}"));
  CHECK(Read("{", DataType::kString, NestedText::kJson).value() == Value::String("null"));
}

TEST_CASE("texts are taken at a stride into rows from the first on, and a bad one is told") {
  const std::string_view texts[] = {"1", "x", "2", "y", "\"z\"", "3"};
  ColumnVector out(DataType::kInt);
  out.Resize(5);
  JsonTextReader reader("k", NestedText::kJava, /*missing_is_null=*/false, out);
  size_t failed = 99;
  REQUIRE(reader.Read(texts, 2, 3, 2, failed).ok());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{0, 0, 0, 1, 2});
  const Status status = reader.Read(texts, 2, 0, 3, failed);
  CHECK(failed == 2);
  CHECK(status.message() == "value 'z' of map key 'k' cannot be read as INT");
}

}  // namespace
}  // namespace trellis::column
