// Merges arbitrary bytes into every function's states, then finishes and exports them: the first
// byte picks the function, the second the null handling and the group, the rest is the state.
#include <cstdlib>
#include <string_view>
#include <vector>

#include "common/aggregate/aggregate_function.h"

namespace trellis::aggregate {
namespace {

std::vector<std::shared_ptr<const AggregateFunction>> MakeFunctions(bool null_handling) {
  const std::vector<Value> parameter_sets[] = {
      {},
      {Value::Int(50)},
      {Value::String("STRING")},
      {Value::String("LONG"), Value::Boolean(true)},
      {Value::Int(0), Value::Int(9), Value::Int(3)},
  };
  std::vector<std::shared_ptr<const AggregateFunction>> functions;
  for (const std::string& name : AggregateNames()) {
    for (const DataType type :
         {DataType::kInt, DataType::kDouble, DataType::kString, DataType::kBoolean}) {
      for (const std::vector<Value>& parameters : parameter_sets) {
        for (size_t arguments = 0; arguments <= 2; ++arguments) {
          std::vector<ValueType> types(arguments, ValueType{type, false});
          auto resolved = ResolveAggregate({name, types, parameters, null_handling});
          if (resolved.ok()) functions.push_back(*resolved);
        }
      }
    }
  }
  return functions;
}

ColumnVector StateColumn(DataType type, std::string_view bytes) {
  ColumnVector column(type);
  if (type == DataType::kBytes) {
    column.Append(Value::Bytes(type, std::string(bytes)));
    return column;
  }
  uint64_t word = 0;
  for (const char c : bytes.substr(0, 8)) word = word << 8 | static_cast<uint8_t>(c);
  if (type == DataType::kLong)
    column.Append(Value::Long(static_cast<int64_t>(word)));
  else
    column.Append(Value::Double(static_cast<double>(word)));
  return column;
}

void MergeOnce(const AggregateFunction& function, std::string_view bytes, uint32_t group) {
  auto states = function.NewStates();
  states->Resize(2);
  const ColumnVector column = StateColumn(function.state_type(), bytes);
  for (int times = 0; times < 2; ++times) {
    const Status status = states->Merge(column, {&group, 1});
    if (!status.ok() && !status.IsCorrupt()) std::abort();
  }
  ColumnVector out;
  if (states->Finish(out).ok() && out.size() != 2) std::abort();
  states->Export(out);
  // What was taken in can be handed on, unless a hostile count has overflowed.
  auto next = function.NewStates();
  next->Resize(2);
  const uint32_t groups[] = {0, 1};
  const Status status = next->Merge(out, groups);
  if (!status.ok() && !status.IsCorrupt()) std::abort();
}

}  // namespace
}  // namespace trellis::aggregate

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis::aggregate;
  static const auto kFunctions = MakeFunctions(false);
  static const auto kNullFunctions = MakeFunctions(true);
  if (size < 2) return 0;
  const auto& functions = data[1] & 1 ? kNullFunctions : kFunctions;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  MergeOnce(*functions[data[0] % functions.size()], bytes, data[1] >> 1 & 1);
  return 0;
}
