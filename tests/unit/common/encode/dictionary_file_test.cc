#include <catch2/catch.hpp>

#include "common/column/dictionary.h"
#include "common/encode/dictionary_builder.h"
#include "text_column.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;

std::string Written(const ColumnVector& sorted, DictionaryForm form) {
  WrittenFile written;
  REQUIRE(WriteDictionary(sorted, form, written.file()).ok());
  return written.Text();
}

TEST_CASE("numbers are written big-endian", "[dictionary_file]") {
  ColumnVector ints(DataType::kInt);
  ints.values<int32_t>() = {-2, 0x01020304};
  ints.SetSize(2);
  CHECK(Written(ints, DictionaryForm::kFixedWidth) == "\xFF\xFF\xFF\xFE\1\2\3\4"s);
  ColumnVector doubles(DataType::kDouble);
  doubles.values<double>() = {1.0};
  doubles.SetSize(1);
  CHECK(Written(doubles, DictionaryForm::kFixedWidth) == "\x3F\xF0\0\0\0\0\0\0"s);
}

TEST_CASE("more numbers than a piece are read back", "[dictionary_file]") {
  ColumnVector longs(DataType::kLong);
  for (int64_t i = 0; i < 5000; ++i) longs.values<int64_t>().push_back(i * i - 99);
  longs.SetSize(5000);
  WrittenFile written;
  REQUIRE(WriteDictionary(longs, DictionaryForm::kFixedWidth, written.file()).ok());
  const auto read = column::OpenDictionary(written.Bytes(), DataType::kLong, 5000, 8);
  REQUIRE(read.ok());
  CHECK((*read)->At(0)->int64() == -99);
  CHECK((*read)->At(4999)->int64() == 4999 * 4999 - 99);
}

TEST_CASE("slots are filled up with NULs, .vl; has offsets", "[dictionary_file]") {
  const ColumnVector texts = Texts(DataType::kString, {"", "a", "abc"});
  CHECK(EntryWidthBytes(texts) == 3);
  CHECK(Written(texts, DictionaryForm::kFixedWidth) == "\0\0\0a\0\0abc"s);
  CHECK(Written(texts, DictionaryForm::kVariableLength) ==
        ".vl;\0\0\0\1\0\0\0\3\0\0\0\x10\0\0\0\x20\0\0\0\x20\0\0\0\x21\0\0\0\x24"
        "aabc"s);
  CHECK(Written(Texts(DataType::kString, {""}), DictionaryForm::kFixedWidth).empty());
  const std::string wide =
      Written(Texts(DataType::kString, {"a", std::string(5000, 'b')}), DictionaryForm::kFixedWidth);
  CHECK(wide == "a" + std::string(4999, '\0') + std::string(5000, 'b'));
}

TEST_CASE("both forms are read back", "[dictionary_file]") {
  const std::vector<std::string> values = {"", "a", "b\xF0\x9F\x98\x80", "b\xEE\x80\x80"};
  for (const auto form : {DictionaryForm::kFixedWidth, DictionaryForm::kVariableLength}) {
    const ColumnVector texts = Texts(DataType::kString, values);
    WrittenFile written;
    REQUIRE(WriteDictionary(texts, form, written.file()).ok());
    const auto read =
        column::OpenDictionary(written.Bytes(), DataType::kString, 4, EntryWidthBytes(texts));
    REQUIRE(read.ok());
    for (uint32_t id = 0; id < 4; ++id) {
      CHECK((*read)->At(id)->bytes() == values[id]);
      CHECK((*read)->Find(Value::String(values[id])) == id);
    }
  }
}

TEST_CASE("the form is Pinot's choice", "[dictionary_file]") {
  const auto chosen = [](DataType type, const std::vector<std::string>& values,
                         bool configured = false, bool optimize = false) {
    return ChooseDictionaryForm(Texts(type, values), configured, optimize);
  };
  constexpr auto kFixed = DictionaryForm::kFixedWidth;
  constexpr auto kVariable = DictionaryForm::kVariableLength;
  CHECK(chosen(DataType::kString, {"a", "bc"}) == kFixed);
  CHECK(chosen(DataType::kString, {"a", "bc"}, false, true) == kVariable);
  CHECK(chosen(DataType::kString, {"ab", "bc"}, false, true) == kVariable);
  CHECK(chosen(DataType::kString, {"ab", "bc"}, true) == kVariable);
  CHECK(chosen(DataType::kBytes, {"a", "bc"}) == kVariable);
  CHECK(chosen(DataType::kBytes, {"ab", "bc"}) == kFixed);
  CHECK(chosen(DataType::kBigDecimal, {"\0\0\1"s, "\0\0\1\2"s}) == kVariable);
  CHECK(ChooseDictionaryForm(ColumnVector(DataType::kLong), true, true) == kFixed);
  // Slots that a reader would take for the other form.
  CHECK(chosen(DataType::kBytes, {".vl;\0\0\0\1\0\0"s, "zzzzzzzzzz"}) == kVariable);
  CHECK(chosen(DataType::kBytes, {".vl;\0\0\0\1\0\0"s}) == kFixed);  // too short to be taken for it
}

TEST_CASE("what a form cannot hold is refused before a byte is written", "[dictionary_file]") {
  WrittenFile written;
  const auto code = [&](const ColumnVector& sorted, DictionaryForm form,
                        DictionaryLimits limits = {}) {
    return WriteDictionary(sorted, form, written.file(), limits).code();
  };
  const ColumnVector texts = Texts(DataType::kString, {"a", "bcd"});
  CHECK(code(texts, DictionaryForm::kFixedWidth, {2, 5}) == StatusCode::kResourceExhausted);
  CHECK(code(texts, DictionaryForm::kFixedWidth, {1, 6}) == StatusCode::kResourceExhausted);
  CHECK(code(texts, DictionaryForm::kVariableLength, {2, 31}) == StatusCode::kResourceExhausted);
  CHECK(code(Texts(DataType::kBytes, {"a", "bcd"}), DictionaryForm::kFixedWidth) ==
        StatusCode::kInvalidArgument);
  CHECK(written.Bytes().empty());
  CHECK(code(texts, DictionaryForm::kVariableLength, {2, 32}) == StatusCode::kOk);
  CHECK(code(Texts(DataType::kString, {"a\0b"s}), DictionaryForm::kFixedWidth) ==
        StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::encode
