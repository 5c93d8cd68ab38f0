#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "common/aggregate/argument.h"
#include "common/aggregate/state_codec.h"
#include "common/types/big_decimal.h"

namespace trellis::aggregate {

// States of the functions that fold numbers into a small trivial state: SUM, MIN, MAX, AVG and
// their kin. The loops are chosen outside and contain no call and no branch on options.
//
// Op gives:
//   State, Identity(); Step(State&, T) for one running state, StepGroup(State&, T) for one among
//   many; Combine(State&, const State&); Valid(const State&): whether received bytes can be a
//   state; Output (double or int64_t), Finish(const State&); kStateType: DOUBLE, LONG, or BYTES =
//   State's bytes; kExactDecimals: whether BIG_DECIMALs without groups are summed exactly first;
//   kIntegers: whether only INT and LONG columns are stepped.
// Without groups a batch is folded from Identity and then combined into the state, which is Pinot's
// order of additions; under null handling each run of non-null rows is.
template <class Op>
class FoldStates final : public AggregateStates {
 public:
  using State = typename Op::State;
  static_assert(std::is_trivially_copyable_v<State>);
  FoldStates(ValueType argument, bool null_handling)
      : argument_(argument), null_handling_(null_handling) {}

  void Resize(size_t groups) override {
    states_.resize(groups, Op::Identity());
    if (null_handling_) seen_.resize(groups);
  }

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, {&argument_, 1}));
    if constexpr (Op::kExactDecimals) {
      if (argument_.type == DataType::kBigDecimal && rows.groups == nullptr)
        return AddDecimals(*arguments[0], rows);
    }
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, AsNumbers(*arguments[0], scratch));
    WithNumeric(column->physical(), [&](auto tag) {
      using T = decltype(tag);
      if constexpr (!Op::kIntegers || std::is_integral_v<T>) AddNumbers<T>(*column, rows);
    });
    return {};
  }

  Status Merge(const ColumnVector& states, std::span<const uint32_t> groups) override {
    TRELLIS_RETURN_IF_ERROR(CheckStates(states, Op::kStateType, groups));
    for (size_t row = 0; row < groups.size(); ++row) {
      if (states.is_null(row)) continue;
      State state;
      TRELLIS_RETURN_IF_ERROR(Load(states, states.is_constant() ? 0 : row, state));
      Op::Combine(states_[groups[row]], state);
      if (null_handling_) seen_[groups[row]] = 1;
    }
    return {};
  }

  void Export(ColumnVector& out) const override {
    out.Reset({Op::kStateType, false});
    if constexpr (Op::kStateType == DataType::kBytes) {
      for (const State& state : states_) {
        AppendBytesRow({reinterpret_cast<const char*>(&state), sizeof(State)}, out);
      }
    } else {
      out.values<State>() = states_;
      out.SetSize(states_.size());
    }
    MarkEmpty(out);
  }

  Status Finish(ColumnVector& out) const override {
    using Output = typename Op::Output;
    out.Reset({std::is_same_v<Output, double> ? DataType::kDouble : DataType::kLong, false});
    auto& values = out.values<Output>();
    values.reserve(states_.size());
    for (const State& state : states_) values.push_back(Op::Finish(state));
    out.SetSize(states_.size());
    MarkEmpty(out);
    return {};
  }

  size_t memory_bytes() const override {
    return states_.capacity() * sizeof(State) + seen_.capacity();
  }
 private:
  template <class T>
  void AddNumbers(const ColumnVector& column, const RowsToGroups& rows) {
    if (rows.groups != nullptr) {
      State* states = states_.data();
      ForEachValue<T>(column, rows, null_handling_,
                      [states](size_t group, T value)
                          TRELLIS_ALWAYS_INLINE { Op::StepGroup(states[group], value); });
      MarkSeen(column, rows);
      return;
    }
    if (NullsToSkip(column, null_handling_) != nullptr) return AddRuns<T>(column, rows);
    State batch = Op::Identity();
    bool any = false;
    ForEachValue<T>(column, rows, false, [&](size_t, T value) TRELLIS_ALWAYS_INLINE {
      Op::Step(batch, value);
      any = true;
    });
    if (!any) return;
    Op::Combine(states_[0], batch);
    if (null_handling_) seen_[0] = 1;
  }

  Status AddDecimals(const ColumnVector& column, const RowsToGroups& rows) {
    BigDecimal sum;
    bool any = false;
    Status status;
    const auto add = [&](size_t, std::string_view bytes) {
      const Result<BigDecimal> value = BigDecimal::FromBytes(bytes);
      if (!value.ok()) status = value.status();
      if (value.ok()) sum = sum.Add(*value);
      any = true;
    };
    ForEachValue<std::string_view>(column, rows, null_handling_, add);
    TRELLIS_RETURN_IF_ERROR(status);
    if (!any) return {};
    Op::Step(states_[0], sum.ToDouble());
    if (null_handling_) seen_[0] = 1;
    return {};
  }

  template <class T>
  void AddRuns(const ColumnVector& column, const RowsToGroups& rows) {
    State batch = Op::Identity();
    State run = Op::Identity();
    bool any = false;
    bool in_run = false;
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (column.is_null(row)) {
        if (in_run) Op::Combine(batch, run);
        run = Op::Identity();
        in_run = false;
        continue;
      }
      const size_t flat = column.is_constant() ? 0 : row;
      const size_t begin = column.is_multi_value() ? column.offsets()[row] : flat;
      const size_t end = column.is_multi_value() ? column.offsets()[row + 1] : flat + 1;
      for (size_t at = begin; at < end; ++at) {
        Op::Step(run, column.values<T>()[at]);
        any = in_run = true;
      }
    }
    if (!any) return;
    if (in_run) Op::Combine(batch, run);
    Op::Combine(states_[0], batch);
    seen_[0] = 1;
  }

  // Notes the groups that got a value; they are told from empty ones only under null handling.
  void MarkSeen(const ColumnVector& column, const RowsToGroups& rows) {
    if (!null_handling_) return;
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (column.is_null(row)) continue;
      if (column.is_multi_value() && column.offsets()[row] == column.offsets()[row + 1]) continue;
      seen_[rows.groups[i]] = 1;
    }
  }

  void MarkEmpty(ColumnVector& out) const {
    if (!null_handling_ || std::find(seen_.begin(), seen_.end(), 0) == seen_.end()) return;
    auto& nulls = out.mutable_nulls();
    for (size_t group = 0; group < seen_.size(); ++group) nulls[group] = !seen_[group];
  }

  static Status Load(const ColumnVector& states, size_t row, State& state) {
    if constexpr (Op::kStateType == DataType::kBytes) {
      const std::string_view bytes = states.values<std::string_view>()[row];
      if (bytes.size() != sizeof(State)) {
        return Status::Corrupt("aggregation state of {} bytes, not {}", bytes.size(),
                               sizeof(State));
      }
      std::memcpy(&state, bytes.data(), sizeof(State));
    } else {
      state = states.values<State>()[row];
    }
    if (!Op::Valid(state)) return Status::Corrupt("aggregation state with a negative count");
    return {};
  }

  ValueType argument_;
  bool null_handling_;
  std::vector<State> states_;
  std::vector<uint8_t> seen_;  // one a group, only under null handling
};

}  // namespace trellis::aggregate
