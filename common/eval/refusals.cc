// Functions that Pinot itself refuses on columns: the recorded error codes are answered.

#include "common/eval/kernel.h"

namespace trellis::eval {
namespace {

// A scalar that takes or returns Object resolves, and fails when it runs (pinot-functions.md 1.9).
Resolver FailsAtRunTime(const char* message) {
  return [message](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 10));
    return MakeNullHandlingFunction(
        DataType::kString, [message](Vectors, size_t, const EvaluationContext&, ColumnVector&) {
          return Status::Query(PinotCode::kQueryExecution, "{}", message);
        });
  };
}

// The parallel multi-value columns of a hand-made map. An absent key is an error in Pinot, and no
// recorded answer has a present one.
Result<FunctionPtr> ResolveMapValue(const Call& call) {
  if (call.size() != 3)
    return Status::Query(PinotCode::kQueryValidation, "mapvalue: 3 arguments are required");
  if (!call.multi_value(0) || call.multi_value(1) || !call.multi_value(2)) return call.Unsuitable();
  TRELLIS_ASSIGN_OR_RETURN(const std::string key, call.LiteralText(1));
  return MakeFunction(
      DataType::kString, [](Vectors, size_t, const EvaluationContext&, ColumnVector&) {
        return Status::Query(PinotCode::kQueryExecution, "mapvalue is not supported by Trellis");
      });
}

Result<FunctionPtr> ResolveInIdSet(const Call& call) {
  return Status::Query(PinotCode::kQueryValidation,
                       "Unsupported function: {}: id sets are not read by Trellis", call.name);
}

}  // namespace

void RegisterRefusals(Registry& registry) {
  registry.Add({"nullif"}, Folding::kNever,
               FailsAtRunTime("Cannot convert ColumnDataType: OBJECT to DataType"));
  registry.Add({"jsonpathstring", "jsonpathlong", "jsonpathdouble", "jsonpatharray",
                "jsonpathexists", "jsonpath", "jsonformat"},
               Folding::kNever, FailsAtRunTime("Unsupported parameter type: OBJECT"));
  registry.Add({"mapvalue"}, Folding::kNever, ResolveMapValue);
  registry.Add({"inidset"}, Folding::kNever, ResolveInIdSet);
}

}  // namespace trellis::eval
