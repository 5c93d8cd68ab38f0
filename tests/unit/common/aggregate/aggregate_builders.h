#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "common/aggregate/aggregate_function.h"

namespace trellis::aggregate {

inline ColumnVector Column(ValueType type, const std::vector<Value>& values) {
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
inline ColumnVector Doubles(const std::vector<double>& values) {
  ColumnVector column(DataType::kDouble);
  for (const double value : values) column.Append(Value::Double(value));
  return column;
}
inline ColumnVector Strings(const std::vector<std::string>& values) {
  ColumnVector column(DataType::kString);
  for (const std::string& value : values) column.Append(Value::String(value));
  return column;
}
inline Value IntArray(const std::vector<int32_t>& values) {
  std::vector<Value> elements;
  for (const int32_t value : values) elements.push_back(Value::Int(value));
  return Value::Array(DataType::kInt, std::move(elements));
}

// One aggregation under test, resolved for the columns it is run over.
class Aggregation {
 public:
  Aggregation(std::string function, std::vector<ValueType> types,
              std::vector<Value> parameters = {}, bool null_handling = false)
      : spec_{std::move(function), std::move(types), std::move(parameters), null_handling} {
    auto resolved = ResolveAggregate(spec_);
    INFO(resolved.status().message());
    REQUIRE(resolved.ok());
    function_ = *resolved;
  }

  const AggregateFunction& function() const { return *function_; }

  // The final values of `groups` groups; `group_of` empty = all rows into group 0.
  std::vector<Value> Run(const std::vector<ColumnVector>& columns, size_t groups = 1,
                         const std::vector<uint32_t>& group_of = {}) const {
    auto states = function_->NewStates();
    states->Resize(groups);
    AddTo(*states, columns, 0, RowCount(columns), group_of);
    return Finished(*states);
  }

  // The same, with the rows cut at `cut` into two states that travel and are merged into a third.
  std::vector<Value> RunMerged(const std::vector<ColumnVector>& columns, size_t cut,
                               size_t groups = 1,
                               const std::vector<uint32_t>& group_of = {}) const {
    auto merged = function_->NewStates();
    merged->Resize(groups);
    std::vector<uint32_t> all(groups);
    for (size_t i = 0; i < groups; ++i) all[i] = static_cast<uint32_t>(i);
    for (const auto& [from, to] : {std::pair{size_t{0}, cut}, std::pair{cut, RowCount(columns)}}) {
      auto part = function_->NewStates();
      part->Resize(groups);
      AddTo(*part, columns, from, to, group_of);
      ColumnVector exported;
      part->Export(exported);
      REQUIRE(exported.type() == function_->state_type());
      REQUIRE(exported.size() == groups);
      const Status status = merged->Merge(exported, all);
      INFO(status.message());
      REQUIRE(status.ok());
    }
    return Finished(*merged);
  }

  // The status of merging one state of these bytes.
  Status MergeBytes(std::string bytes) const {
    auto states = function_->NewStates();
    states->Resize(1);
    const ColumnVector column =
        Column({DataType::kBytes, false}, {Value::Bytes(DataType::kBytes, bytes)});
    const uint32_t group = 0;
    return states->Merge(column, {&group, 1});
  }

  // The exported state of all rows in one group.
  Value StateOf(const std::vector<ColumnVector>& columns) const {
    auto states = function_->NewStates();
    states->Resize(1);
    AddTo(*states, columns, 0, RowCount(columns), {});
    ColumnVector exported;
    states->Export(exported);
    return exported.Get(0);
  }

 private:
  static size_t RowCount(const std::vector<ColumnVector>& columns) {
    return columns.empty() ? 0 : columns[0].size();
  }

  void AddTo(AggregateStates& states, const std::vector<ColumnVector>& columns, size_t from,
             size_t to, const std::vector<uint32_t>& group_of) const {
    std::vector<const ColumnVector*> arguments;
    for (size_t i = 0; i < spec_.argument_types.size(); ++i) arguments.push_back(&columns[i]);
    std::vector<uint32_t> rows;
    std::vector<uint32_t> groups;
    for (size_t row = from; row < to; ++row) {
      rows.push_back(static_cast<uint32_t>(row));
      if (!group_of.empty()) groups.push_back(group_of[row]);
    }
    const bool everything = from == 0 && to == RowCount(columns);
    const Status status = states.Add(arguments, {rows.size(), everything ? nullptr : rows.data(),
                                                 group_of.empty() ? nullptr : groups.data()});
    INFO(status.message());
    REQUIRE(status.ok());
  }

  std::vector<Value> Finished(const AggregateStates& states) const {
    ColumnVector out;
    const Status status = states.Finish(out);
    INFO(status.message());
    REQUIRE(status.ok());
    REQUIRE(out.value_type() == function_->result_type());
    std::vector<Value> values;
    for (size_t i = 0; i < out.size(); ++i) values.push_back(out.Get(i));
    return values;
  }

  AggregateSpec spec_;
  std::shared_ptr<const AggregateFunction> function_;
};

}  // namespace trellis::aggregate
