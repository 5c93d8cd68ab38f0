#include "common/segment/json_text.h"

#include <catch2/catch.hpp>
#include <limits>

namespace trellis::segment {
namespace {

std::string Json(std::string_view text) {
  fmt::memory_buffer out;
  AppendJsonString(text, out);
  return fmt::to_string(out);
}

template <class T>
std::string Number(T value) {
  fmt::memory_buffer out;
  AppendJsonNumber(value, out);
  return fmt::to_string(out);
}

TEST_CASE("a JSON string escapes what JSON cannot hold and nothing else") {
  CHECK(Json("plain é 日本 🚀 /") == "\"plain é 日本 🚀 /\"");
  CHECK(Json("\"\\\n\r\t") == R"("\"\\\n\r\t")");
  CHECK(Json(std::string_view("\0\x1f", 2)) == R"("\u0000\u001f")");
}

TEST_CASE("a broken UTF-8 sequence becomes one U+FFFD a maximal piece") {
  CHECK(Json("a\xFFz") == "\"a\uFFFDz\"");
  CHECK(Json("\xE6\x97") == "\"\uFFFD\"");  // cut short at the end
  CHECK(Json("\xE6\x97!") == "\"\uFFFD!\"");
  CHECK(Json("\xC0\x80") == "\"\uFFFD\uFFFD\"");            // an overlong NUL
  CHECK(Json("\xED\xA0\x80") == "\"\uFFFD\uFFFD\uFFFD\"");  // a surrogate
  CHECK(Json("\xF4\x90\x80\x80") == "\"\uFFFD\uFFFD\uFFFD\uFFFD\"");
}

TEST_CASE("JSON on one line keeps its meaning") {
  fmt::memory_buffer out;
  AppendJsonOnOneLine("{\"a\":\r\n1,\"é\":\"\xFF\"}", out);
  CHECK(fmt::to_string(out) == "{\"a\":  1,\"é\":\"\uFFFD\"}");
}

TEST_CASE("numbers print their shortest text and never as integers") {
  CHECK(Number(0.1f) == "0.1");
  CHECK(Number(11.0f) == "11.0");
  CHECK(Number(-0.0) == "-0.0");
  CHECK(Number(1e300) == "1e+300");
  CHECK(Number(26697.360572421956) == "26697.360572421956");
}

TEST_CASE("the smallest subnormal numbers print with two digits, as Java prints them") {
  CHECK(Number(std::numeric_limits<float>::denorm_min()) == "1.4e-45");
  CHECK(Number(-std::numeric_limits<double>::denorm_min()) == "-4.9e-324");
  CHECK(Number(1.2345e-310) == "1.2345e-310");
}

TEST_CASE("numbers that JSON lacks print as quoted names") {
  CHECK(Number(std::numeric_limits<double>::quiet_NaN()) == "\"NaN\"");
  CHECK(Number(std::numeric_limits<float>::infinity()) == "\"Infinity\"");
  CHECK(Number(-std::numeric_limits<double>::infinity()) == "\"-Infinity\"");
}

}  // namespace
}  // namespace trellis::segment
