// BOOL_AND and BOOL_OR. Travel as LONG 0 or 1, null for a group of no rows.
#include "common/aggregate/argument.h"
#include "common/aggregate/families.h"
#include "common/aggregate/state_codec.h"

namespace trellis::aggregate {
namespace {

class LogicalStates final : public AggregateStates {
 public:
  LogicalStates(ValueType argument, bool null_handling, bool is_and)
      : argument_(argument), null_handling_(null_handling), is_and_(is_and) {}

  void Resize(size_t groups) override { values_.resize(groups, kEmpty); }

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, {&argument_, 1}));
    ForEachValue<int32_t>(*arguments[0], rows, null_handling_,
                          [this](size_t group, int32_t value) { AddOne(group, value != 0); });
    return {};
  }

  Status Merge(const ColumnVector& states, std::span<const uint32_t> groups) override {
    TRELLIS_RETURN_IF_ERROR(CheckStates(states, DataType::kLong, groups));
    const RowReader<int64_t> values(states);
    for (size_t row = 0; row < groups.size(); ++row) {
      if (states.is_null(row)) continue;
      if (values[row] != 0 && values[row] != 1) {
        return Status::Corrupt("state of a logical aggregation is {}", values[row]);
      }
      AddOne(groups[row], values[row] != 0);
    }
    return {};
  }

  void Export(ColumnVector& out) const override {
    out.Reset({DataType::kLong, false});
    for (const uint8_t value : values_) {
      AppendRow<int64_t>(value == 1, out);
      if (value == kEmpty) out.SetNull(out.size() - 1);
    }
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({DataType::kBoolean, false});
    for (const uint8_t value : values_) {
      AppendRow<int32_t>(value == kEmpty ? is_and_ : value, out);
      if (value == kEmpty && null_handling_) out.SetNull(out.size() - 1);
    }
    return {};
  }

  size_t memory_bytes() const override { return values_.capacity(); }

 private:
  static constexpr uint8_t kEmpty = 2;

  void AddOne(size_t group, bool value) {
    uint8_t& state = values_[group];
    if (state == kEmpty)
      state = value;
    else
      state = is_and_ ? (state && value) : (state || value);
  }

  ValueType argument_;
  bool null_handling_;
  bool is_and_;
  std::vector<uint8_t> values_;
};

}  // namespace

Resolved ResolveLogical(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec));
  if (spec.argument_types[0].type != DataType::kBoolean) {
    return Status::Query(PinotCode::kQueryValidation, "{} takes a BOOLEAN, got {}", spec.function,
                         DataTypeName(spec.argument_types[0].type));
  }
  return MakeFunction<LogicalStates>({DataType::kBoolean, false}, DataType::kLong,
                                     spec.argument_types[0], spec.null_handling,
                                     spec.function == "booland");
}

}  // namespace trellis::aggregate
