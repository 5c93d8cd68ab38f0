#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <vector>

#include "common/eval/function.h"
#include "common/plan/expression.h"

namespace trellis::eval {

// Gives the column vectors that an expression reads, for one batch of rows.
class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  virtual size_t rows() const = 0;
  // The vector must stay valid and unchanged until the next batch.
  virtual Result<const ColumnVector*> Column(std::string_view name) = 0;
  // One key of a MAP or OPEN_STRUCT column, converted to `type` (format notes 6.4).
  virtual Result<const ColumnVector*> MapKey(std::string_view column, std::string_view key,
                                             DataType type) = 0;
};

// An expression with its functions resolved, ready for batches. One thread at a time: it owns the
// scratch vectors of its inner nodes. Copy the expression, not the evaluator.
class Evaluator {
 public:
  // Errors: as ResolveFunction. The resolved type of a function wins over expression.type.
  static Result<Evaluator> Create(const plan::Expression& expression, Layer layer,
                                  EvaluationContext context);

  ValueType type() const;
  // Evaluates over the source's rows. The result is valid until the next call or the source's next
  // batch; it may be the source's own vector, or a constant.
  Result<const ColumnVector*> Evaluate(ColumnSource& source);

 private:
  struct Node;
  explicit Evaluator(std::shared_ptr<Node> root, EvaluationContext context);
  std::shared_ptr<Node> root_;
  EvaluationContext context_;
};

// The type of an expression whose arguments are typed: resolves functions recursively and fills in
// `type`.
Status InferTypes(plan::Expression& expression, Layer layer);

// Evaluates an expression without columns, e.g. for constant folding. Errors: of the function.
Result<Value> EvaluateConstant(const plan::Expression& expression, Layer layer);

}  // namespace trellis::eval
