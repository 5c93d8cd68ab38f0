#include "common/format/clp_message.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis::format {
namespace {

using namespace std::string_literals;

// The variables "h1" and "id=7".
const std::string kVariables =
    ".vl;\0\0\0\1\0\0\0\2\0\0\0\x10\0\0\0\x1c\0\0\0\x1e\0\0\0\x22"
    "h1id=7"s;

Status Append(const std::string& logtype, const std::vector<uint32_t>& ids,
              const std::vector<int64_t>& encoded, std::string& text, size_t limit = 1000,
              ClpLogtypeForm form = ClpLogtypeForm::kBytes) {
  return AppendClpMessage(AsBytes(logtype), form,
                          VarLengthValues::Open(AsBytes(kVariables)).value(), ids, encoded, limit,
                          text);
}
std::string Message(const std::string& logtype, const std::vector<uint32_t>& ids,
                    const std::vector<int64_t>& encoded) {
  std::string text;
  const Status status = Append(logtype, ids, encoded, text);
  CHECK((status.ok() || status.IsCorrupt()));
  return status.ok() ? text : status.message();
}
// Bits as the notes have them: digits after the point, digits, the digits as a number, the sign.
int64_t Fraction(uint64_t after_point, uint64_t digits, uint64_t number, bool negative = false) {
  return static_cast<int64_t>((after_point - 1) | (digits - 1) << 4 | number << 8 |
                              uint64_t{negative} << 63);
}

TEST_CASE("placeholders are replaced in order, each by the next variable of its kind") {
  CHECK(Message("host \x12 took \x11 ms \x12 of \x11\n", {0, 1}, {-15, INT64_MIN}) ==
        "host h1 took -15 ms id=7 of -9223372036854775808\n");
  CHECK(Message("\x12\x12\x11", {1, 0}, {0}) == "id=7h10");
}

TEST_CASE("everything but the three placeholders is literal, backslashes too") {
  CHECK(Message("a\\\x10\x14\\\x12 \xC3\xA9", {0}, {}) == "a\\\x10\x14\\h1 \xC3\xA9");
  CHECK(Message("", {}, {}).empty());
}

TEST_CASE("version 1 keeps the bytes of a logtype as characters") {
  std::string text;
  const auto form = ClpLogtypeForm::kByteCharacters;
  // "é", two bytes, as the two characters U+00C3 and U+00A9.
  REQUIRE(Append("caf\xC3\x83\xC2\xA9 \x12", {0}, {}, text, 1000, form).ok());
  CHECK(text == "caf\xC3\xA9 h1");
  for (const char* bad : {"\xC4\x80", "\xE2\x82\xAC", "\xC3", "\xC3z", "\xA9"}) {
    CHECK(Append(bad, {}, {}, text, 1000, form).IsCorrupt());
  }
}

TEST_CASE("fractions are printed with the zeros and the point they were written with") {
  CHECK(Message("\x13", {}, {Fraction(8, 9, 14285715)}) == "0.14285715");
  CHECK(Message("\x13", {}, {Fraction(2, 4, 1250, true)}) == "-12.50");
  CHECK(Message("\x13", {}, {Fraction(1, 1, 5)}) == ".5");
  CHECK(Message("\x13", {}, {Fraction(1, 3, 0, true)}) == "-00.0");
  CHECK(Message("\x13", {}, {Fraction(16, 16, 1)}) == ".0000000000000001");
  CHECK(Message("\x13", {}, {Fraction(1, 16, 9999999999999999)}) == "999999999999999.9");
  // As the real Pinot stored them.
  CHECK(Message("\x13 \x13", {}, {-9223372036854455759, 3657143175}) == "-12.50 0.14285715");
}

TEST_CASE("fractions with more digits than they say are refused") {
  CHECK(Message("\x13", {}, {Fraction(1, 2, 100)}).find("digits") != std::string::npos);
  CHECK(Message("\x13", {}, {Fraction(3, 2, 10)}).find("digits") != std::string::npos);
  CHECK(Message("\x13", {}, {-1}).find("digits") != std::string::npos);
}

TEST_CASE("a lone variable that the logtype does not use is a placeholder, others are refused") {
  CHECK(Message("plain", {1}, {INT64_MIN}) == "plain");
  CHECK(Message("n \x11", {0}, {5}) == "n 5");
  CHECK(Message("n \x12", {0}, {INT64_MIN}) == "n h1");
  CHECK(Message("plain", {0, 1}, {}).find("2 variables") != std::string::npos);
  CHECK(Message("plain", {}, {1, 2}).find("2 encoded") != std::string::npos);
  CHECK(Message("\x12", {0, 1}, {}).find("uses 1") != std::string::npos);
  CHECK(Message("\x12\x12", {0}, {}).find("more than the 1") != std::string::npos);
  CHECK(Message("\x11", {}, {}).find("more than the 0") != std::string::npos);
  CHECK(Message("\x13", {}, {}).find("more than the 0") != std::string::npos);
}

TEST_CASE("variables outside the dictionary are refused") {
  CHECK(Message("\x12", {2}, {}).find("variable 2") != std::string::npos);
  CHECK(Message("\x12", {UINT32_MAX}, {}).find("of 2") != std::string::npos);
}

TEST_CASE("messages may not grow beyond the limit, which is named") {
  const std::string logtype(100, 'a');
  std::string text;
  Status status;
  int messages = 0;
  while ((status = Append(logtype, {}, {}, text)).ok()) ++messages;
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.message().find("clp_batch_size_bytes_max, 1000") != std::string::npos);
  CHECK(messages == 9);
  CHECK(text.size() <= 1000);
  text.assign(997, 'x');
  CHECK(Append("\x12", {1}, {}, text).code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace trellis::format
