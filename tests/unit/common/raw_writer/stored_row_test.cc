#include "common/raw_writer/stored_row.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::raw_writer {
namespace {

std::string Row(const ColumnVector& values, size_t row, bool carry) {
  std::vector<uint8_t> scratch(3, 0xEE);
  const ByteView bytes = StoredRow(values, row, carry, scratch);
  CHECK(bytes.size() == StoredRowBytes(values, row, carry));
  return std::string(AsText(bytes));
}

TEST_CASE("rows have the bytes of format notes 5.5") {
  ColumnVector text(DataType::kString);
  text.Append(Value::String("abc"));
  text.Append(Value::String(""));
  CHECK(Row(text, 0, true) == "abc");
  CHECK(Row(text, 1, true).empty());

  ColumnVector ints(ValueType{DataType::kInt, true});
  ints.Append(Value::Array(DataType::kInt, {Value::Int(1), Value::Int(-1)}));
  ints.Append(Value::Array(DataType::kInt, {}));
  CHECK(Row(ints, 0, true) == std::string("\0\0\0\2\0\0\0\1\xFF\xFF\xFF\xFF", 12));
  CHECK(Row(ints, 0, false) == std::string("\0\0\0\1\xFF\xFF\xFF\xFF", 8));
  CHECK(Row(ints, 1, true) == std::string(4, '\0'));
  CHECK(Row(ints, 1, false).empty());

  ColumnVector doubles(ValueType{DataType::kDouble, true});
  doubles.Append(Value::Array(DataType::kDouble, {Value::Double(1)}));
  CHECK(Row(doubles, 0, false) == std::string("\x3F\xF0\0\0\0\0\0\0", 8));

  ColumnVector texts(ValueType{DataType::kString, true});
  texts.Append(Value::Array(DataType::kString,
                            {Value::String("a"), Value::String(""), Value::String("bc")}));
  CHECK(Row(texts, 0, true) == std::string("\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\2"
                                           "abc",
                                           19));
}

TEST_CASE("every row of a constant is the one") {
  const ColumnVector constant = ColumnVector::Constant(Value::String("same"), 5);
  CHECK(Row(constant, 4, true) == "same");
}

}  // namespace
}  // namespace trellis::raw_writer
