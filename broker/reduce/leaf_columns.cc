#include "broker/reduce/leaf_columns.h"

#include <charconv>

#include "common/plan/filter.h"
#include "common/predicate/value_matcher.h"

namespace trellis::broker {
namespace {

using plan::Filter;
using plan::Predicate;

Result<std::vector<uint8_t>> Holds(const Predicate& predicate, const Block& block,
                                   bool null_handling) {
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector vector,
                           EvaluateOver(predicate.subject, block, null_handling));
  std::vector<uint8_t> holds(block.rows);
  if (predicate.kind == Predicate::Kind::kIsNull || predicate.kind == Predicate::Kind::kIsNotNull) {
    for (size_t row = 0; row < block.rows; ++row)
      holds[row] = vector.is_null(row) == (predicate.kind == Predicate::Kind::kIsNull);
    return holds;
  }
  TRELLIS_ASSIGN_OR_RETURN(const auto matcher, ValueMatcher::Create(predicate));
  matcher->MatchFlat(vector, holds);
  for (size_t row = 0; row < block.rows; ++row) {
    holds[row] = !(null_handling && vector.is_null(row)) && (holds[row] != 0) != matcher->negated();
  }
  return holds;
}

Result<std::vector<uint8_t>> Holds(const Filter& filter, const Block& block, bool null_handling) {
  switch (filter.kind) {
    case Filter::Kind::kTrue:
    case Filter::Kind::kFalse:
      return std::vector<uint8_t>(block.rows, filter.kind == Filter::Kind::kTrue);
    case Filter::Kind::kPredicate:
      return Holds(filter.predicate, block, null_handling);
    case Filter::Kind::kNot: {
      TRELLIS_ASSIGN_OR_RETURN(auto holds, Holds(filter.children.at(0), block, null_handling));
      for (uint8_t& h : holds) h = !h;
      return holds;
    }
    case Filter::Kind::kAnd:
    case Filter::Kind::kOr:
      break;
  }
  const bool is_and = filter.kind == Filter::Kind::kAnd;
  std::vector<uint8_t> all(block.rows, is_and);
  for (const Filter& child : filter.children) {
    TRELLIS_ASSIGN_OR_RETURN(const auto holds, Holds(child, block, null_handling));
    for (size_t row = 0; row < all.size(); ++row)
      all[row] = is_and ? all[row] & holds[row] : all[row] | holds[row];
  }
  return all;
}

}  // namespace

Result<const ColumnVector*> LeafColumns::Column(std::string_view name) {
  size_t position = SIZE_MAX;
  if (name.starts_with("#")) std::from_chars(name.data() + 1, name.data() + name.size(), position);
  if (position >= block_.columns.size()) {
    return Status::Internal("reduce stage reads column '{}' of {}", name, block_.columns.size());
  }
  return &block_.columns[position];
}

Result<const ColumnVector*> LeafColumns::MapKey(std::string_view column, std::string_view,
                                                DataType) {
  return Status::Internal("reduce stage reads a key of '{}'", column);
}

Result<ColumnVector> EvaluateOver(const plan::Expression& expression, const Block& block,
                                  bool null_handling) {
  TRELLIS_ASSIGN_OR_RETURN(
      auto evaluator,
      eval::Evaluator::Create(expression, eval::Layer::kScalar, {.null_handling = null_handling}));
  LeafColumns columns(block);
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* vector, evaluator.Evaluate(columns));
  if (!vector->is_constant()) return *vector;
  ColumnVector spread(vector->value_type());
  spread.AppendAll(*vector);
  return spread;
}

Result<std::vector<uint32_t>> RowsHaving(const Filter& having, const Block& block,
                                         bool null_handling) {
  TRELLIS_ASSIGN_OR_RETURN(const auto holds, Holds(having, block, null_handling));
  std::vector<uint32_t> rows;
  for (size_t row = 0; row < holds.size(); ++row) {
    if (holds[row]) rows.push_back(static_cast<uint32_t>(row));
  }
  return rows;
}

}  // namespace trellis::broker
