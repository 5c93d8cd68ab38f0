#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::aggregate {

// Which rows of the argument vectors go into which group.
struct RowsToGroups {
  size_t count = 0;
  const uint32_t* rows = nullptr;    // `count` row numbers; null = rows 0..count-1
  const uint32_t* groups = nullptr;  // `count` group numbers; null = all into group 0
  size_t row(size_t i) const { return rows ? rows[i] : i; }
  size_t group(size_t i) const { return groups ? groups[i] : 0; }
};

// The running states of one aggregation over many groups. Not thread-safe: one per thread, merged
// after.
class AggregateStates {
 public:
  virtual ~AggregateStates() = default;
  // Makes room for groups 0..groups-1; new ones start empty.
  virtual void Resize(size_t groups) = 0;
  // Adds argument rows. Under null handling, rows null in any argument are skipped (COUNT(x) too).
  // Multi-value arguments contribute each element where the function allows it.
  virtual Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) = 0;
  // Adds exported states: row i of `states` goes into group groups[i].
  // Errors: Corrupt for bytes that are no state of this function.
  virtual Status Merge(const ColumnVector& states, std::span<const uint32_t> groups) = 0;
  // Writes the states of all groups, one row each, typed as state_type(). This is what travels.
  virtual void Export(ColumnVector& out) const = 0;
  // Writes the final values of all groups, typed as result_type(), null where the answer is NULL.
  virtual Status Finish(ColumnVector& out) const = 0;
  // Bytes held, roughly: for memory limits.
  virtual size_t memory_bytes() const = 0;
};

// An aggregation resolved for its argument types. Immutable, safe for many threads.
class AggregateFunction {
 public:
  virtual ~AggregateFunction() = default;
  ValueType result_type() const { return result_type_; }
  DataType state_type() const {
    return state_type_;
  }  // LONG, DOUBLE, or BYTES for composite states
  virtual std::unique_ptr<AggregateStates> NewStates() const = 0;

 protected:
  AggregateFunction(ValueType result_type, DataType state_type)
      : result_type_(result_type), state_type_(state_type) {}
  ValueType result_type_;
  DataType state_type_;
};

struct AggregateSpec {
  std::string function;                   // canonical: lower case, no underscores
  std::vector<ValueType> argument_types;  // of what is read a row; empty for COUNT(*)
  std::vector<Value> parameters;          // literal parameters behind them
  bool null_handling = false;
};

// Splits what the SQL wrote into function, arguments and parameters: how many leading arguments of
// `function` with `argument_count` written arguments are read a row; the rest must be literals.
// `percentile90(x)` is spec {"percentile", x, {90.0}}: `canonical` and `implied` give that.
struct AggregateSyntax {
  std::string function;  // canonical, e.g. "percentile", "sum" for "summv"
  size_t row_arguments = 1;
  std::vector<Value> implied;  // parameters that the name itself implies
  std::string print_name;      // how the column name spells it: "percentile90", "summv"
};
// nullopt-like: Status NotFound when `name` is no aggregation at all; Query(700) when it is one
// that is known and not supported, or the argument count is wrong.
Result<AggregateSyntax> FindAggregate(std::string_view name, size_t argument_count);
bool IsAggregate(std::string_view name);
std::vector<std::string> AggregateNames();

// Errors: Query(kQueryValidation) for unsuitable argument types or parameters, in Pinot's words
// where known
// ("Cannot compute sum for non-numeric type: STRING").
Result<std::shared_ptr<const AggregateFunction>> ResolveAggregate(const AggregateSpec& spec);

}  // namespace trellis::aggregate
