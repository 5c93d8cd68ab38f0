#pragma once

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/block/block.h"
#include "common/plan/stage.h"

namespace trellis::broker {

inline ColumnVector Column(DataType type, const std::vector<Value>& values) {
  ColumnVector column(type);
  for (const Value& value : values) column.Append(value);
  return column;
}
inline ColumnVector Ints(const std::vector<int32_t>& values) {
  ColumnVector column(DataType::kInt);
  for (const int32_t value : values) column.Append(Value::Int(value));
  return column;
}
inline ColumnVector Longs(const std::vector<int64_t>& values) {
  ColumnVector column(DataType::kLong);
  for (const int64_t value : values) column.Append(Value::Long(value));
  return column;
}
inline ColumnVector Strings(const std::vector<std::string>& values) {
  ColumnVector column(DataType::kString);
  for (const std::string& value : values) column.Append(Value::String(value));
  return column;
}

// A block of these columns, which must be of one length.
inline Block MakeBlock(std::vector<ColumnVector> columns) {
  Block block;
  block.rows = columns.empty() ? 0 : columns[0].size();
  block.columns = std::move(columns);
  return block;
}

inline plan::Expression Leaf(size_t position, DataType type) {
  return plan::Expression::Column("#" + std::to_string(position), {type, false});
}

// The values of one column.
inline std::vector<Value> ValuesOf(const Block& block, size_t column) {
  std::vector<Value> values;
  for (size_t row = 0; row < block.rows; ++row) values.push_back(block.columns.at(column).Get(row));
  return values;
}

// #<column> compared by one test with one value.
inline plan::Filter Greater(size_t column, DataType type, Value bound) {
  plan::Predicate predicate;
  predicate.kind = plan::Predicate::Kind::kRange;
  predicate.subject = Leaf(column, type);
  predicate.lower = std::move(bound);
  return plan::Filter::Of(std::move(predicate));
}

}  // namespace trellis::broker
