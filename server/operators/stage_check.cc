#include "server/operators/stage_check.h"

#include "common/eval/evaluator.h"
#include "common/types/virtual_column.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;

class StageChecker {
 public:
  explicit StageChecker(const Schema& schema) : schema_(schema) {}

  Status Check(const Expression& expression) const {
    TRELLIS_RETURN_IF_ERROR(CheckColumns(expression));
    Expression inferred = expression;
    TRELLIS_RETURN_IF_ERROR(eval::InferTypes(inferred, eval::Layer::kTransform));
    return SameType(expression, inferred.type);
  }

  Status Check(const Filter& filter) const {
    for (const Filter& child : filter.children) TRELLIS_RETURN_IF_ERROR(Check(child));
    if (filter.kind == Filter::Kind::kNot && filter.children.size() != 1) {
      return Status::Query(PinotCode::kQueryValidation, "NOT with {} children",
                           filter.children.size());
    }
    return filter.kind == Filter::Kind::kPredicate ? Check(filter.predicate) : Status::Ok();
  }

 private:
  Status Check(const Predicate& predicate) const {
    TRELLIS_RETURN_IF_ERROR(Check(predicate.subject));
    for (const Value& value : predicate.values)
      TRELLIS_RETURN_IF_ERROR(CheckValue(predicate, value));
    if (predicate.lower) TRELLIS_RETURN_IF_ERROR(CheckValue(predicate, *predicate.lower));
    if (predicate.upper) TRELLIS_RETURN_IF_ERROR(CheckValue(predicate, *predicate.upper));
    return Status::Ok();
  }

  static Status CheckValue(const Predicate& predicate, const Value& value) {
    if (!value.is_null() && !value.is_array() && value.type() == predicate.subject.type.type) {
      return Status::Ok();
    }
    return Status::Query(PinotCode::kQueryValidation, "predicate on {} compares {} with {}",
                         plan::PrintExpression(predicate.subject),
                         ValueTypeName(predicate.subject.type), ValueTypeName(value.value_type()));
  }

  static Status SameType(const Expression& expression, ValueType real) {
    if (expression.type == real) return Status::Ok();
    return Status::Query(PinotCode::kQueryValidation, "{} is {} here, the stage says {}",
                         plan::PrintExpression(expression), ValueTypeName(real),
                         ValueTypeName(expression.type));
  }

  Status CheckColumns(const Expression& expression) const {
    for (const Expression& argument : expression.arguments) {
      TRELLIS_RETURN_IF_ERROR(CheckColumns(argument));
    }
    if (!expression.is_column() && expression.kind != Expression::Kind::kMapKey)
      return Status::Ok();
    if (expression.is_column()) {
      if (const VirtualColumn* column = FindVirtualColumn(expression.name))
        return SameType(expression, column->type);
    }
    const FieldSpec* field = schema_.Find(expression.name);
    if (!field || field->name != expression.name) {
      return Status::Query(PinotCode::kUnknownColumn, "unknown column '{}'", expression.name);
    }
    if (expression.is_column()) return SameType(expression, field->value_type());
    if (!IsMapLike(field->type)) {
      return Status::Query(PinotCode::kQueryValidation, "{} is not a MAP column", field->name);
    }
    return SameType(expression, {field->KeyType(expression.key), false});
  }

  const Schema& schema_;
};

}  // namespace

Status CheckStage(const plan::LeafStage& stage, const Schema& schema) {
  const StageChecker checker(schema);
  TRELLIS_RETURN_IF_ERROR(checker.Check(stage.filter));
  for (const Expression& e : stage.select) TRELLIS_RETURN_IF_ERROR(checker.Check(e));
  for (const Expression& e : stage.keys) {
    TRELLIS_RETURN_IF_ERROR(checker.Check(e));
    if (IsMapLike(e.type.type)) {
      return Status::Query(PinotCode::kQueryValidation, "cannot group by {}, a {}", e.name,
                           ValueTypeName(e.type));
    }
  }
  // ORDER BY of a DISTINCT is over the keys' positions, which the broker sorts.
  if (stage.shape == plan::QueryShape::kSelection) {
    for (const plan::SortItem& item : stage.order_by) {
      TRELLIS_RETURN_IF_ERROR(checker.Check(item.expression));
    }
  }
  for (const plan::AggregateCall& call : stage.aggregates) {
    for (const Expression& e : call.arguments) TRELLIS_RETURN_IF_ERROR(checker.Check(e));
    if (call.filter) TRELLIS_RETURN_IF_ERROR(checker.Check(*call.filter));
  }
  return Status::Ok();
}

}  // namespace trellis::server
