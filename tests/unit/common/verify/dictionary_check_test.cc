#include "common/verify/dictionary_check.h"

#include <cmath>

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

bool Check(Planted& planted, const std::string& bytes, DictionaryShape shape) {
  return CheckDictionary(View(bytes), shape, planted.log);
}

TEST_CASE("numbers ascend strictly, floating ones in Java's total order") {
  Planted planted;
  CHECK(Check(planted, Ints({-5, 0, 7}), {DataType::kInt, 3}));
  CHECK(Check(planted, Be(-INFINITY) + Be(-0.0F) + Be(0.0F) + Be(NAN), {DataType::kFloat, 4}));
  planted.None();
  CHECK_FALSE(Check(planted, Ints({-5, 7, 7}), {DataType::kInt, 3}));
  planted.One(8, "expected dictId 2 above 7, found 7");
  CHECK_FALSE(Check(planted, Be(NAN) + Be(0.0F), {DataType::kFloat, 2}));
  planted.One(4, "dictId 1 above nan");
  CHECK_FALSE(Check(planted, Ints({1, 2}), {DataType::kInt, 3}));
  planted.One(0, "expected 3 values of 4 bytes, found 8 bytes");
}

TEST_CASE("padded text is in UTF-16 order and has nothing behind its padding") {
  Planted planted;
  // U+10000 begins with the unit D800, which is below U+FF5E.
  CHECK(Check(planted, std::string("a\0\0\0\xF0\x90\x80\x80\xEF\xBD\x9E\0", 12),
              {DataType::kString, 3, 4}));
  planted.None();
  CHECK_FALSE(
      Check(planted, std::string("\xEF\xBD\x9E\0\xF0\x90\x80\x80", 8), {DataType::kString, 2, 4}));
  planted.One(4, "dictId 1 above");
  CHECK_FALSE(Check(planted, std::string("a\0x", 3), {DataType::kString, 1, 3}));
  planted.One(2, "expected NUL behind the value's end, found byte 78");
  CHECK_FALSE(Check(planted, "ab", {DataType::kString, 2, 0}));
  planted.One(0, "expected 2 entries of 0 bytes");
  CHECK(Check(planted, "", {DataType::kString, 1, 0}));
}

TEST_CASE("old padding is no part of the order") {
  Planted planted;
  CHECK(Check(planted, "ab%%ab#x", {DataType::kString, 2, 4, "%"}));
  planted.None();
  CHECK_FALSE(Check(planted, "ab%%ab#x", {DataType::kString, 2, 4}));
  planted.One(4, "above 'ab%%'");
}

TEST_CASE("offsets of a .vl; dictionary ascend and end with the buffer") {
  Planted planted;
  const std::string good = OffsetDictionary({"a", "bc", "d"});
  CHECK(Check(planted, good, {DataType::kString, 3}));
  CHECK(Check(planted, OffsetDictionary({std::string("\0\x01", 2), "\x7f", "\x80"}),
              {DataType::kBytes, 3}));
  planted.None();
  std::string bad = good;
  bad[23] = 40;  // the second offset, past the third
  CHECK_FALSE(Check(planted, bad, {DataType::kString, 3}));
  planted.One(20, "expected an offset from 32 to 36, found 40");
  bad = good + "x";
  CHECK_FALSE(Check(planted, bad, {DataType::kString, 3}));
  planted.One(28, "last offset 37, found 36");
  CHECK_FALSE(Check(planted, good, {DataType::kString, 4}));
  planted.One(8, "expected 4 entries, found 3");
  bad = good;
  bad[15] = 17;
  CHECK_FALSE(Check(planted, bad, {DataType::kString, 3}));
  CHECK(planted.list.fault_count() > 0);
  planted.list.Take();
  CHECK_FALSE(Check(planted, OffsetDictionary({"b", "a"}), {DataType::kString, 2}));
  planted.One(29, "dictId 1 above 'b', found 'a'");
}

TEST_CASE("BIG_DECIMAL is ordered by number, equal ones of other scales are a note") {
  Planted planted;
  const std::string one("\0\0\x01", 3), one_point_0("\0\x01\x0A", 3), two("\0\0\x02", 3);
  CHECK(Check(planted, OffsetDictionary({one, one_point_0, two}), {DataType::kBigDecimal, 3}));
  planted.OneNote(35, "the same number");
  CHECK_FALSE(Check(planted, OffsetDictionary({two, one}), {DataType::kBigDecimal, 2}));
  planted.One(31, "dictId 1 above 000002, found 000001");
}

TEST_CASE("the parts of other indexes need no order") {
  Planted planted;
  const std::string bytes = OffsetDictionary({"b", "a"});
  CHECK(CheckOffsetDictionary(View(bytes), DataType::kBytes, std::nullopt, false, planted.log) ==
        2);
  planted.None();
  CHECK_FALSE(
      CheckOffsetDictionary(View("no"), DataType::kBytes, std::nullopt, false, planted.log));
  planted.One(0, "'.vl;'");
}

}  // namespace
}  // namespace trellis::verify
