#include "common/eval/scalar_function.h"

#include <algorithm>

namespace trellis::eval {

Status CheckMadeTextSize(uint64_t size_bytes) {
  if (size_bytes <= kMadeTextSizeBytesMax) return Status::Ok();
  return Status::Query(PinotCode::kQueryExecution,
                       "A text of {} bytes would be made, at most {} are allowed", size_bytes,
                       kMadeTextSizeBytesMax);
}

void AddScalar(Registry& registry, std::initializer_list<const char*> names,
               std::vector<Overload> overloads, Folding folding) {
  registry.Add(
      names, folding, [overloads = std::move(overloads)](const Call& call) -> Result<FunctionPtr> {
        for (const Overload& overload : overloads) {
          if (overload.arity == call.size()) return overload.resolver(call);
        }
        return Status::Query(PinotCode::kQueryValidation,
                             "Unsupported function: {} with {} arguments", call.name, call.size());
      });
}

}  // namespace trellis::eval
