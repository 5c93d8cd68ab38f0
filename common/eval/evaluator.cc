#include "common/eval/evaluator.h"

#include <optional>

namespace trellis::eval {
namespace {

// The rows where an ordinary function's arguments are null are null in its result.
void UniteNulls(std::span<const ColumnVector* const> arguments, size_t rows, ColumnVector& out) {
  for (const ColumnVector* argument : arguments) {
    if (!argument->has_nulls()) continue;
    std::vector<uint8_t>& nulls = out.mutable_nulls();
    if (argument->is_constant()) {
      if (argument->is_null(0)) std::fill(nulls.begin(), nulls.end(), uint8_t{1});
      continue;
    }
    const std::vector<uint8_t>& from = argument->nulls();
    for (size_t row = 0; row < rows; ++row) nulls[row] |= from[row];
  }
}

std::vector<Argument> ArgumentsOf(const plan::Expression& expression) {
  std::vector<Argument> arguments;
  arguments.reserve(expression.arguments.size());
  for (const plan::Expression& argument : expression.arguments) {
    arguments.push_back(
        {argument.type, argument.is_literal() ? &argument.literal : nullptr, argument.is_column()});
  }
  return arguments;
}

bool IsNullLiteral(const plan::Expression& expression) {
  return expression.is_literal() && expression.literal.is_null();
}

}  // namespace

struct Evaluator::Node {
  plan::Expression::Kind kind;
  ValueType type;
  std::string name;  // the column
  std::string key;
  Value literal;
  std::shared_ptr<const Function> function;
  std::vector<std::shared_ptr<Node>> children;
  bool is_constant = false;  // no column below: evaluated once
  std::optional<Value> constant;
  ColumnVector out;

  static Result<std::shared_ptr<Node>> Create(const plan::Expression& expression, Layer layer);
  Result<const ColumnVector*> Evaluate(ColumnSource& source, size_t rows,
                                       const EvaluationContext& context);
  const ColumnVector* Repeat(const Value& value, size_t rows);
  Status EvaluateFunction(ColumnSource& source, size_t rows, const EvaluationContext& context);
};

Result<std::shared_ptr<Evaluator::Node>> Evaluator::Node::Create(const plan::Expression& expression,
                                                                 Layer layer) {
  auto node = std::make_shared<Node>();
  node->kind = expression.kind;
  node->type = expression.type;
  node->name = expression.name;
  node->key = expression.key;
  if (expression.is_literal()) {
    node->type = expression.literal.value_type();
    node->literal = expression.literal;
    node->is_constant = true;
    return node;
  }
  if (expression.kind != plan::Expression::Kind::kFunction) return node;

  std::vector<Argument> arguments = ArgumentsOf(expression);
  bool all_constant = true;
  bool any_null_literal = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    TRELLIS_ASSIGN_OR_RETURN(auto child, Create(expression.arguments[i], layer));
    arguments[i].type = child->type;
    all_constant &= child->is_constant;
    any_null_literal |= IsNullLiteral(expression.arguments[i]);
    node->children.push_back(std::move(child));
  }
  TRELLIS_ASSIGN_OR_RETURN(node->function, ResolveFunction(expression.name, arguments, layer));
  node->type = node->function->result_type();
  node->is_constant = all_constant && !arguments.empty() && !node->type.multi_value;
  if (any_null_literal && !node->function->handles_nulls()) {
    // An ordinary function of NULL is NULL whatever else it is given (pinot-functions.md 1.8).
    node->kind = plan::Expression::Kind::kLiteral;
    node->literal = Value::Null(node->type.type);
    node->is_constant = !node->type.multi_value;
    node->children.clear();
  }
  return node;
}

const ColumnVector* Evaluator::Node::Repeat(const Value& value, size_t rows) {
  if (out.size() != rows || out.value_type() != type) {
    out = ColumnVector::Constant(value, rows);
  }
  return &out;
}

Status Evaluator::Node::EvaluateFunction(ColumnSource& source, size_t rows,
                                         const EvaluationContext& context) {
  std::vector<const ColumnVector*> arguments;
  arguments.reserve(children.size());
  for (const auto& child : children) {
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* argument, child->Evaluate(source, rows, context));
    arguments.push_back(argument);
  }
  TRELLIS_RETURN_IF_ERROR(function->Evaluate(arguments, rows, context, out));
  if (!function->handles_nulls()) UniteNulls(arguments, rows, out);
  return Status::Ok();
}

Result<const ColumnVector*> Evaluator::Node::Evaluate(ColumnSource& source, size_t rows,
                                                      const EvaluationContext& context) {
  switch (kind) {
    case plan::Expression::Kind::kColumn:
      return source.Column(name);
    case plan::Expression::Kind::kMapKey:
      return source.MapKey(name, key, type.type);
    case plan::Expression::Kind::kLiteral:
      return Repeat(literal, rows);
    case plan::Expression::Kind::kFunction:
      break;
  }
  if (!is_constant || rows == 0) {
    TRELLIS_RETURN_IF_ERROR(EvaluateFunction(source, rows, context));
    return static_cast<const ColumnVector*>(&out);
  }
  if (!constant) {
    TRELLIS_RETURN_IF_ERROR(EvaluateFunction(source, 1, context));
    constant = out.Get(0);
    out = ColumnVector::Constant(*constant, rows);
  }
  return Repeat(*constant, rows);
}

Evaluator::Evaluator(std::shared_ptr<Node> root, EvaluationContext context)
    : root_(std::move(root)), context_(context) {}

Result<Evaluator> Evaluator::Create(const plan::Expression& expression, Layer layer,
                                    EvaluationContext context) {
  TRELLIS_ASSIGN_OR_RETURN(auto root, Node::Create(expression, layer));
  return Evaluator(std::move(root), context);
}

ValueType Evaluator::type() const { return root_->type; }

Result<const ColumnVector*> Evaluator::Evaluate(ColumnSource& source) {
  return root_->Evaluate(source, source.rows(), context_);
}

Status InferTypes(plan::Expression& expression, Layer layer) {
  if (expression.is_literal()) expression.type = expression.literal.value_type();
  if (expression.kind != plan::Expression::Kind::kFunction) return Status::Ok();
  for (plan::Expression& argument : expression.arguments)
    TRELLIS_RETURN_IF_ERROR(InferTypes(argument, layer));
  TRELLIS_ASSIGN_OR_RETURN(const auto function,
                           ResolveFunction(expression.name, ArgumentsOf(expression), layer));
  expression.type = function->result_type();
  return Status::Ok();
}

Result<Value> EvaluateConstant(const plan::Expression& expression, Layer layer) {
  class NoColumns final : public ColumnSource {
   public:
    size_t rows() const override { return 1; }
    Result<const ColumnVector*> Column(std::string_view name) override {
      return Status::Internal("a constant expression reads column {}", name);
    }
    Result<const ColumnVector*> MapKey(std::string_view column, std::string_view,
                                       DataType) override {
      return Status::Internal("a constant expression reads column {}", column);
    }
  };
  TRELLIS_ASSIGN_OR_RETURN(Evaluator evaluator,
                           Evaluator::Create(expression, layer, {.null_handling = true}));
  NoColumns source;
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* result, evaluator.Evaluate(source));
  return result->Get(0);
}

}  // namespace trellis::eval
