#include "common/vector/column_vector.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis {
namespace {

// Returns a vector of these rows, appended one by one.
ColumnVector Rows(ValueType type, const std::vector<Value>& rows) {
  ColumnVector vector(type);
  for (const Value& row : rows) vector.Append(row);
  return vector;
}

std::vector<Value> Read(const ColumnVector& vector) {
  std::vector<Value> rows;
  for (size_t row = 0; row < vector.size(); ++row) rows.push_back(vector.Get(row));
  return rows;
}

Value Strings(const std::vector<std::string>& elements) {
  std::vector<Value> values;
  for (const std::string& element : elements) values.push_back(Value::String(element));
  return Value::Array(DataType::kString, values);
}

TEST_CASE("appended values come back with their logical type") {
  const std::vector<std::pair<DataType, std::vector<Value>>> columns = {
      {DataType::kInt, {Value::Int(-1), Value::Int(7)}},
      {DataType::kBoolean, {Value::Boolean(true), Value::Boolean(false)}},
      {DataType::kTimestamp, {Value::Timestamp(5), Value::Timestamp(-5)}},
      {DataType::kFloat, {Value::Float(0.5F)}},
      {DataType::kDouble, {Value::Double(0.1)}},
      {DataType::kString, {Value::String(""), Value::String("ab")}},
      {DataType::kBytes, {Value::Bytes(DataType::kBytes, std::string("\0\xFF", 2))}}};
  for (const auto& [type, rows] : columns) {
    CAPTURE(DataTypeName(type));
    CHECK(Read(Rows({type, false}, rows)) == rows);
  }
}

TEST_CASE("a null keeps its place and the rows around it") {
  const std::vector<Value> rows = {Value::Int(1), Value::Null(DataType::kInt), Value::Int(3)};
  const ColumnVector vector = Rows({DataType::kInt, false}, rows);
  CHECK(vector.has_nulls());
  CHECK(Read(vector) == rows);
  CHECK(vector.values<int32_t>().size() == 3);
}

TEST_CASE("a vector without nulls holds no null bytes") {
  ColumnVector vector = Rows({DataType::kInt, false}, {Value::Int(1)});
  CHECK_FALSE(vector.has_nulls());
  vector.SetNull(0);
  CHECK(vector.is_null(0));
  vector.ClearNulls();
  CHECK_FALSE(vector.is_null(0));
}

TEST_CASE("multi-value rows may be empty, null or long") {
  const std::vector<Value> rows = {Strings({"a", "b"}), Strings({}), Value::Null(DataType::kString),
                                   Strings({"c"})};
  const ColumnVector vector = Rows({DataType::kString, true}, rows);
  CHECK(Read(vector) == rows);
  CHECK(vector.offsets() == std::vector<uint32_t>{0, 2, 2, 2, 3});
}

TEST_CASE("strings live in the vector, not where they came from") {
  ColumnVector vector(DataType::kString);
  {
    std::string text(1000, 'x');
    vector.Append(Value::String(text));
    text.assign(1000, 'y');
  }
  CHECK(vector.Get(0) == Value::String(std::string(1000, 'x')));
}

TEST_CASE("copied rows outlive their source, nulls included") {
  ColumnVector target(DataType::kString);
  target.Append(Value::String("first"));
  {
    const ColumnVector source =
        Rows({DataType::kString, false},
             {Value::String("a"), Value::Null(DataType::kString), Value::String("c")});
    target.AppendRows(source, std::vector<uint32_t>{2, 1, 2});
    target.AppendAll(source);
  }
  CHECK(Read(target) == std::vector<Value>{Value::String("first"), Value::String("c"),
                                           Value::Null(DataType::kString), Value::String("c"),
                                           Value::String("a"), Value::Null(DataType::kString),
                                           Value::String("c")});
}

TEST_CASE("rows of a constant are copied as rows") {
  ColumnVector target(DataType::kInt);
  target.AppendRows(ColumnVector::Constant(Value::Int(9), 5), std::vector<uint32_t>{0, 4});
  CHECK(Read(target) == std::vector<Value>{Value::Int(9), Value::Int(9)});
}

TEST_CASE("a constant stands for every row with one flat value") {
  const ColumnVector vector = ColumnVector::Constant(Value::String("k"), 1000);
  CHECK(vector.is_constant());
  CHECK(vector.size() == 1000);
  CHECK(vector.flat_size() == 1);
  CHECK(vector.Get(999) == Value::String("k"));
  CHECK(RowReader<std::string_view>(vector)[999] == "k");
}

TEST_CASE("a constant null is null in every row") {
  const ColumnVector vector = ColumnVector::Constant(Value::Null(DataType::kLong), 3);
  for (size_t row = 0; row < 3; ++row) CHECK(vector.is_null(row));
}

TEST_CASE("a constant array repeats its elements") {
  const ColumnVector vector = ColumnVector::Constant(Strings({"a", "b"}), 3);
  CHECK(Read(vector) == std::vector<Value>(3, Strings({"a", "b"})));
  CHECK(ColumnVector::Constant(Strings({"a"}), 0).size() == 0);
}

TEST_CASE("a reset vector is empty, whatever it held and becomes") {
  ColumnVector vector =
      Rows({DataType::kString, true}, {Strings({"a"}), Value::Null(DataType::kString)});
  for (const ValueType type :
       {ValueType{DataType::kInt, false}, ValueType{DataType::kString, true}}) {
    vector.Reset(type);
    CHECK(vector.size() == 0);
    CHECK(vector.flat_size() == 0);
    CHECK_FALSE(vector.has_nulls());
    CHECK(vector.offsets().size() == (type.multi_value ? 1 : 0));
  }
}

TEST_CASE("a vector reset for overwriting has the new type and rows, and nothing else of before") {
  ColumnVector vector(ValueType{DataType::kLong, true});
  vector.Append(Value::Array(DataType::kLong, {Value::Long(1), Value::Long(2)}));
  vector.SetNull(0);
  vector.ResetForOverwrite(DataType::kTimestamp, 3);
  CHECK(vector.value_type() == ValueType{DataType::kTimestamp, false});
  CHECK(vector.size() == 3);
  CHECK(vector.flat_size() == 3);
  CHECK(vector.offsets().empty());
  CHECK_FALSE(vector.has_nulls());
  vector.ResetForOverwrite(DataType::kFloat, 2);
  CHECK(vector.values<float>().size() == 2);
  // A vector without a type has no values of the form that an unknown type would have.
  ColumnVector untyped;
  untyped.ResetForOverwrite(DataType::kString, 1);
  CHECK(untyped.values<std::string_view>().size() == 1);
}

TEST_CASE("resizing keeps values and nulls in step") {
  ColumnVector vector = Rows({DataType::kInt, false}, {Value::Int(1), Value::Null(DataType::kInt)});
  vector.Resize(4);
  CHECK(vector.values<int32_t>().size() == 4);
  CHECK(vector.nulls().size() == 4);
  CHECK(vector.is_null(1));
  CHECK_FALSE(vector.is_null(3));
}

TEST_CASE("a relabelled vector reads as the new type") {
  ColumnVector vector = Rows({DataType::kTimestamp, false}, {Value::Timestamp(5)});
  vector.Relabel(DataType::kLong);
  CHECK(vector.Get(0) == Value::Long(5));
}

TEST_CASE("what a vector keeps alive dies with its last copy") {
  auto owner = std::make_shared<int>(0);
  const std::weak_ptr<int> watch = owner;
  ColumnVector other;
  {
    ColumnVector vector(DataType::kString);
    vector.Keep(std::move(owner));
    other.KeepAllOf(vector);
  }
  CHECK_FALSE(watch.expired());
  other.Reset({DataType::kInt, false});
  CHECK(watch.expired());
}

}  // namespace
}  // namespace trellis
