#include "common/verify/text_check.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

TEST_CASE("UTF-8 is told from what is not") {
  // Unicode 15, table 3-7: the well-formed sequences' borders.
  for (const std::string good : {"", "a", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
                                 "\xEE\x80\x80", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    CHECK_FALSE(FirstBadUtf8(good));
  for (const std::string bad : {"\x80", "\xC1\xBF", "\xC2", "\xE0\x9F\xBF", "\xED\xA0\x80",
                                "\xE1\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xFF"}) {
    CHECK(FirstBadUtf8(bad) == 0);
    CHECK(FirstBadUtf8("ab" + bad) == 2);
  }
}

TEST_CASE("text that is not UTF-8 is a note, a UUID of another length a fault") {
  Planted planted;
  CHECK(CheckValueBytes(DataType::kString, "a\xFF", 7, planted.log));
  planted.OneNote(7, "expected UTF-8, found ff at byte 1 of the value");
  CHECK_FALSE(CheckValueBytes(DataType::kUuid, "0123456789abcde", 3, planted.log));
  planted.One(3, "found 15 bytes");
  CHECK_FALSE(CheckValueBytes(DataType::kBigDecimal, "12", 4, planted.log));
  planted.One(4, "expected a BIG_DECIMAL");
  CHECK(CheckValueBytes(DataType::kBytes, "\xFF", 0, planted.log));
  planted.None();
}

TEST_CASE("values are shown as text or hex, cut short") {
  CHECK(ShownBytes(DataType::kString, "ab") == "'ab'");
  CHECK(ShownBytes(DataType::kBytes, "\x01\xff") == "01ff");
  CHECK(ShownBytes(DataType::kString, std::string(61, 'x')) == "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace trellis::verify
