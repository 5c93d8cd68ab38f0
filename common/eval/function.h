#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"
#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::eval {

// Pinot has two families of functions of the same names (pinot-functions.md 1.2): transform
// functions run over columns on the leaf (`a + b` is DOUBLE there), scalar ones run at the broker:
// constant folding and expressions over finished aggregates (`COUNT(*) * 2` is LONG there).
enum class Layer : uint8_t { kTransform, kScalar };

struct Argument {
  ValueType type;
  const Value* literal = nullptr;  // set when the argument is a literal
  bool is_column = false;          // stored text is cast more strictly than computed text
};

struct EvaluationContext {
  bool null_handling = false;
};

// A function resolved for given argument types. Immutable, safe for many threads.
class Function {
 public:
  virtual ~Function() = default;
  ValueType result_type() const { return result_type_; }

  // Fills `out` (Reset to the result type here) with one row for each of `rows` rows. Literal
  // arguments arrive as constant vectors. Nulls of the arguments' rows are already handled by the
  // caller for ordinary functions: `out` may be computed from the values under them. Errors:
  // Query(kQueryExecution) for a value error at run time, with the value in the message.
  virtual Status Evaluate(std::span<const ColumnVector* const> arguments, size_t rows,
                          const EvaluationContext& context, ColumnVector& out) const = 0;

  // Ordinary functions are null where any argument is; the evaluator sets these rows' null flags.
  // The exceptions (case, coalesce, and, or, is_null, ...) read and write null flags themselves.
  virtual bool handles_nulls() const { return false; }

 protected:
  explicit Function(ValueType result_type) : result_type_(result_type) {}
  ValueType result_type_;
};

// Resolves a canonical name (lower case, no underscores; comparison names keep theirs) for its
// arguments. Errors: Query(kQueryValidation) "Unsupported function: x" for unknown names, with the
// nearest known one, and "Unsupported function: x with arguments of type: [...]" for unsuitable
// arguments.
Result<std::shared_ptr<const Function>> ResolveFunction(std::string_view name,
                                                        std::span<const Argument> arguments,
                                                        Layer layer);

bool IsKnownFunction(std::string_view name);
// Whether a call with literal arguments only may be folded at the broker: a deterministic scalar
// function.
bool IsFoldable(std::string_view name);
std::vector<std::string> FunctionNames();

}  // namespace trellis::eval
