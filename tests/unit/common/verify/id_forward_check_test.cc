#include "common/verify/id_forward_check.h"

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

column::ForwardIndexShape Shape(uint32_t documents, uint32_t cardinality, int bits) {
  column::ForwardIndexShape shape;
  shape.type = DataType::kInt;
  shape.dictionary_encoded = true;
  shape.document_count = documents;
  shape.cardinality = cardinality;
  shape.bits_per_element = bits;
  return shape;
}

// Bits as text, most significant first, padded with 0.
std::string Bits(std::string_view text) {
  std::string bytes((text.size() + 7) / 8, '\0');
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '1') bytes[i / 8] = static_cast<char>(bytes[i / 8] | 0x80 >> i % 8);
  }
  return bytes;
}

TEST_CASE("a bit stream is exact, below the cardinality and ends in zeros") {
  Planted planted;
  // 0 2 1 0 2, two bits each
  const auto facts = CheckIdForward(View(Bits("0010010010")), Shape(5, 4, 2), planted.log);
  planted.None();
  REQUIRE(facts);
  CHECK(facts->used == std::vector<bool>{true, true, true, false});
  CHECK_FALSE(CheckIdForward(View(Bits("0010010011")), Shape(5, 3, 2), planted.log));
  planted.One(1, "expected a dictId below 3, found 3 at position 4");
  CHECK_FALSE(CheckIdForward(View(Bits("00100100101")), Shape(5, 3, 2), planted.log));
  planted.One(1, "6 bits of 0 behind the last value, found byte a0");
  CHECK_FALSE(CheckIdForward(View(Bits("00100100")), Shape(5, 3, 2), planted.log));
  planted.One(0, "expected 5 values of 2 bits in 2 bytes, found 1 bytes");
  CHECK_FALSE(CheckIdForward(View(Bits("00100100")), Shape(5, 3, 0), planted.log));
  planted.One(0, "5 values of 0 bits");
}

TEST_CASE("ranges of a sorted column tile the documents") {
  Planted planted;
  auto shape = Shape(5, 2, -1);
  shape.sorted = true;
  CHECK(CheckIdForward(View(Ints({0, 2, 3, 4})), shape, planted.log));
  planted.None();
  CHECK_FALSE(CheckIdForward(View(Ints({0, 2, 4, 4})), shape, planted.log));
  planted.One(8, "rows of dictId 1 from 3, below 5, found [4, 4]");
  CHECK_FALSE(CheckIdForward(View(Ints({0, 2, 2, 4})), shape, planted.log));
  planted.One(8, "found [2, 4]");
  CHECK_FALSE(CheckIdForward(View(Ints({0, 2, 3, 5})), shape, planted.log));
  planted.One(8, "found [3, 5]");
  CHECK_FALSE(CheckIdForward(View(Ints({0, 2, 3, 3})), shape, planted.log));
  planted.One(16, "ranges up to row 5, found up to 4");
  CHECK_FALSE(CheckIdForward(View(Ints({0, 4})), shape, planted.log));
  planted.One(0, "expected 2 ranges of 8 bytes, found 8 bytes");
}

// Rows {1, 0}, {1}, {0, 0}: a chunk offset, the row starts, five ids of one bit.
std::string MultiValue() { return Ints({0}) + Bits("10110") + Bits("10100"); }

TEST_CASE("starts of multi-value rows are as many as rows and agree with the chunks") {
  Planted planted;
  auto shape = Shape(3, 2, 1);
  shape.multi_value = true;
  shape.total_entries = 5;
  const auto facts = CheckIdForward(View(MultiValue()), shape, planted.log);
  planted.None();
  REQUIRE(facts);
  CHECK(facts->value_count == 5);
  CHECK(facts->longest_row == 2);

  std::string bad = MultiValue();
  bad[4] = Bits("10100")[0];
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(4, "expected 3 bits of 1, one a row, found 2");
  bad = MultiValue();
  bad[4] = Bits("10110001")[0];
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(4, "bits of 0 behind the last value");
  bad = MultiValue();
  bad[3] = 1;
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(0, "expected value 0, where row 0 begins, found 1");
  bad = MultiValue() + "x";
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(0, "3 rows of 5 values of 1 bits in 6 bytes, found 7 bytes");
  bad = MultiValue();
  bad[5] = Bits("10100100")[0];
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(5, "3 bits of 0 behind the last value");
  shape.total_entries = 2;
  CHECK_FALSE(CheckIdForward(View(MultiValue()), shape, planted.log));
  planted.One(0, "at least a value for each of 3 rows, found 2 values");
}

// Rows {1, 0}, {1}, {1, 0} as ids 0 1 0 of two distinct rows with three values.
std::string EntryDictionary() {
  return Be(uint32_t{0xFFABCDEF}) + Be(int16_t{1}) + std::string("\x01\x01", 2) +
         Ints({2, 3, 25, 26}) + Bits("010") + Bits("001011") + Bits("101");
}

TEST_CASE("the parts of an entry dictionary are exact") {
  Planted planted;
  auto shape = Shape(3, 2, 1);
  shape.multi_value = true;
  shape.total_entries = 5;
  const auto facts = CheckIdForward(View(EntryDictionary()), shape, planted.log);
  planted.None();
  REQUIRE(facts);
  CHECK(facts->value_count == 5);
  CHECK(facts->longest_row == 2);

  std::string bad = EntryDictionary();
  bad[6] = 2;
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(6, "expected 1 bits a value, found 2");
  bad = EntryDictionary();
  bad[25] = Bits("001010")[0];  // the last offset 2
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(25, "expected offsets from 0 up to 3, found 2 after 2");
  bad = EntryDictionary();
  bad[24] = Bits("0100")[0] | 1;
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(24, "5 bits of 0 behind");
  bad = EntryDictionary();
  bad[19] = 60;
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(8, "parts at 60 and 26");
  bad = EntryDictionary() + "x";
  CHECK_FALSE(CheckIdForward(View(bad), shape, planted.log));
  planted.One(26, "3 values of 1 bits in 1 bytes, found 2 bytes");
}

TEST_CASE("bits for a largest value are at least one") {
  CHECK(BitsFor(0) == 1);
  CHECK(BitsFor(1) == 1);
  CHECK(BitsFor(2) == 2);
  CHECK(BitsFor(255) == 8);
  CHECK(BitsFor(256) == 9);
}

}  // namespace
}  // namespace trellis::verify
