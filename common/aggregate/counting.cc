// COUNT and COUNTMV. Both travel as LONG.
#include "common/aggregate/argument.h"
#include "common/aggregate/families.h"
#include "common/aggregate/state_codec.h"

namespace trellis::aggregate {
namespace {

// Counts as Java's long does: wrapping, so that a hostile state cannot overflow.
int64_t WrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

class CountStates : public AggregateStates {
 public:
  CountStates(std::vector<ValueType> arguments, bool null_handling)
      : arguments_(std::move(arguments)), null_handling_(null_handling) {}

  void Resize(size_t groups) override { counts_.resize(groups); }

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    const ColumnVector* column = arguments.empty() ? nullptr : arguments[0];
    int64_t* counts = counts_.data();
    // A literal counts rows, COUNT(NULL) too.
    if (column != nullptr && !column->is_constant() &&
        NullsToSkip(*column, null_handling_) != nullptr) {
      for (size_t i = 0; i < rows.count; ++i)
        counts[rows.group(i)] += !column->is_null(rows.row(i));
    } else if (rows.groups != nullptr) {
      for (size_t i = 0; i < rows.count; ++i) ++counts[rows.groups[i]];
    } else {
      counts[0] += static_cast<int64_t>(rows.count);
    }
    return {};
  }

  Status Merge(const ColumnVector& states, std::span<const uint32_t> groups) override {
    TRELLIS_RETURN_IF_ERROR(CheckStates(states, DataType::kLong, groups));
    const RowReader<int64_t> counts(states);
    for (size_t row = 0; row < groups.size(); ++row) {
      if (states.is_null(row)) continue;
      counts_[groups[row]] = WrappingAdd(counts_[groups[row]], counts[row]);
    }
    return {};
  }

  void Export(ColumnVector& out) const override {
    out.Reset({DataType::kLong, false});
    out.values<int64_t>() = counts_;
    out.SetSize(counts_.size());
  }

  Status Finish(ColumnVector& out) const override {
    Export(out);
    return {};
  }

  size_t memory_bytes() const override { return counts_.capacity() * sizeof(int64_t); }

 protected:
  std::vector<ValueType> arguments_;
  bool null_handling_;
  std::vector<int64_t> counts_;
};

// COUNTMV adds up element counts; Pinot reads a single-value argument as such counts.
class CountMvStates final : public CountStates {
 public:
  using CountStates::CountStates;

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    const ColumnVector& column = *arguments[0];
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (null_handling_ && column.is_null(row)) continue;
      int64_t& count = counts_[rows.group(i)];
      if (column.is_multi_value()) {
        count = WrappingAdd(count, column.offsets()[row + 1] - column.offsets()[row]);
      } else {
        count = WrappingAdd(count, column.values<int32_t>()[column.is_constant() ? 0 : row]);
      }
    }
    return {};
  }
};

}  // namespace

Resolved ResolveCounting(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  const ValueType as_long{DataType::kLong, false};
  if (spec.function == "count") {
    return MakeFunction<CountStates>(as_long, DataType::kLong, spec.argument_types,
                                     spec.null_handling);
  }
  const ValueType argument = spec.argument_types[0];
  if (!argument.multi_value && PhysicalOf(argument.type) != Physical::kInt32) {
    return Status::Query(PinotCode::kQueryValidation,
                         "Cannot compute countmv for single-value type: {}",
                         DataTypeName(argument.type));
  }
  return MakeFunction<CountMvStates>(as_long, DataType::kLong, spec.argument_types,
                                     spec.null_handling);
}

}  // namespace trellis::aggregate
