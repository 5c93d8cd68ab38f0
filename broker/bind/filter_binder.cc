#include "broker/bind/filter_binder.h"

#include <algorithm>
#include <set>

#include "broker/bind/expression_binder.h"
#include "broker/bind/literal_comparison.h"

namespace trellis::broker {
namespace {

using plan::Filter;
using plan::Predicate;

std::optional<Comparison> ParseComparison(std::string_view name) {
  if (name == "equals") return Comparison::kEqual;
  if (name == "not_equals") return Comparison::kNotEqual;
  if (name == "less_than") return Comparison::kLess;
  if (name == "less_than_or_equal") return Comparison::kLessOrEqual;
  if (name == "greater_than") return Comparison::kGreater;
  if (name == "greater_than_or_equal") return Comparison::kGreaterOrEqual;
  return std::nullopt;
}

// a < b is b > a.
std::string_view Flipped(std::string_view name) {
  if (name == "less_than") return "greater_than";
  if (name == "less_than_or_equal") return "greater_than_or_equal";
  if (name == "greater_than") return "less_than";
  if (name == "greater_than_or_equal") return "less_than_or_equal";
  return name;
}

Status NullLiteral(const sql::Position& position) {
  return Status::Query(PinotCode::kSqlParsing,
                       "a comparison with NULL: use IS NULL or IS NOT NULL{}", At(position));
}

Status WithPlace(const Status& status, const sql::Position& position) {
  return Status(status.code(), status.message() + At(position), status.pinot_code());
}

Filter Constant(bool value) { return value ? Filter::True() : Filter::False(); }

Predicate MakePredicate(Predicate::Kind kind, plan::Expression subject) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = std::move(subject);
  return predicate;
}

Filter MakeComparison(plan::Expression subject, Comparison comparison, Value value) {
  if (comparison == Comparison::kEqual || comparison == Comparison::kNotEqual) {
    Predicate predicate = MakePredicate(
        comparison == Comparison::kEqual ? Predicate::Kind::kEqual : Predicate::Kind::kNotEqual,
        std::move(subject));
    predicate.values.push_back(std::move(value));
    return Filter::Of(std::move(predicate));
  }
  Predicate predicate = MakePredicate(Predicate::Kind::kRange, std::move(subject));
  const bool inclusive =
      comparison == Comparison::kLessOrEqual || comparison == Comparison::kGreaterOrEqual;
  if (comparison == Comparison::kLess || comparison == Comparison::kLessOrEqual) {
    predicate.upper = std::move(value);
    predicate.upper_inclusive = inclusive;
  } else {
    predicate.lower = std::move(value);
    predicate.lower_inclusive = inclusive;
  }
  return Filter::Of(std::move(predicate));
}

// Numeric folding is for bare single-value columns and casts.
bool FoldsNumbers(const plan::Expression& subject) {
  if (subject.type.multi_value || !IsNumeric(subject.type.type)) return false;
  return subject.is_column() ||
         (subject.kind == plan::Expression::Kind::kFunction && subject.name == "cast");
}

Status CheckComparable(const plan::Expression& subject, bool range, const sql::Position& position) {
  const DataType type = subject.type.type;
  if (IsMapLike(type) || (range && type == DataType::kJson)) {
    return Status::Query(PinotCode::kQueryValidation, "{} is {}, which cannot be compared so{}",
                         plan::PrintExpression(subject), ValueTypeName(subject.type), At(position));
  }
  return Status::Ok();
}

}  // namespace

Result<Filter> FilterBinder::Bind(const sql::Expr& expr) const {
  if (expr.is_literal()) {
    if (expr.literal.type() == DataType::kBoolean && !expr.literal.is_null())
      return Constant(expr.literal.int32() != 0);
    return Status::Query(PinotCode::kSqlParsing, "a condition is expected, not a literal{}",
                         At(expr.position));
  }
  if (expr.is_function("and") || expr.is_function("or")) return BindAndOr(expr);
  if (expr.is_function("not") && expr.args.size() == 1) {
    TRELLIS_ASSIGN_OR_RETURN(Filter child, Bind(expr.args[0]));
    if (child.kind == Filter::Kind::kTrue) return Filter::False();
    if (child.kind == Filter::Kind::kFalse) return Filter::True();
    return Filter::Not(std::move(child));
  }
  if (expr.is_function() && ParseComparison(expr.name) && expr.args.size() == 2)
    return BindComparison(expr);
  if (expr.is_function("between") && expr.args.size() == 3) return BindBetween(expr);
  if ((expr.is_function("in") || expr.is_function("not_in")) && expr.args.size() >= 2)
    return BindIn(expr);
  if (expr.is_function("like") || expr.is_function("regexp_like")) return BindPattern(expr);
  if (expr.is_function("is_null") || expr.is_function("is_not_null")) return BindNullTest(expr);
  if (expr.is_function("text_match") || expr.is_function("json_match") ||
      expr.is_function("vector_similarity") || expr.is_function("vector_similarity_radius") ||
      expr.is_function("semantic_match")) {
    return Status::Query(PinotCode::kQueryValidation, "{} is not supported yet{}", expr.name,
                         At(expr.position));
  }
  return BindTruth(expr);
}

Result<Filter> FilterBinder::BindAndOr(const sql::Expr& expr) const {
  const bool is_and = expr.name == "and";
  std::vector<Filter> children;
  std::optional<Filter> decided;
  for (const sql::Expr& arg : expr.args) {
    TRELLIS_ASSIGN_OR_RETURN(Filter child, Bind(arg));
    if (child.kind == (is_and ? Filter::Kind::kTrue : Filter::Kind::kFalse)) continue;
    if (child.kind == (is_and ? Filter::Kind::kFalse : Filter::Kind::kTrue)) {
      decided = std::move(child);  // the rest is still bound, for its errors
      continue;
    }
    children.push_back(std::move(child));
  }
  if (decided) return std::move(*decided);
  if (children.empty()) return Constant(is_and);
  if (children.size() == 1) return std::move(children[0]);
  return is_and ? Filter::And(std::move(children)) : Filter::Or(std::move(children));
}

Result<Filter> FilterBinder::Compare(plan::Expression subject, std::string_view op,
                                     const Value& literal, const sql::Position& position) const {
  if (literal.is_null()) return NullLiteral(position);
  if (literal.is_array())
    return Status::Query(PinotCode::kSqlParsing, "a comparison with an array{}", At(position));
  Comparison comparison = *ParseComparison(op);
  const bool range = comparison != Comparison::kEqual && comparison != Comparison::kNotEqual;
  TRELLIS_RETURN_IF_ERROR(CheckComparable(subject, range, position));
  if (fold_numbers_ && FoldsNumbers(subject)) {
    auto folded = FoldComparison(subject.type.type, comparison, literal);
    if (!folded.ok()) return WithPlace(folded.status(), position);
    if (folded->constant) return Constant(*folded->constant);
    return MakeComparison(std::move(subject), folded->comparison, std::move(folded->value));
  }
  auto value = ConvertLiteral(literal, subject.type.type);
  if (!value.ok()) return WithPlace(value.status(), position);
  return MakeComparison(std::move(subject), comparison, std::move(*value));
}

Result<Filter> FilterBinder::BindComparison(const sql::Expr& expr) const {
  const sql::Expr* left = &expr.args[0];
  const sql::Expr* right = &expr.args[1];
  std::string_view op = expr.name;
  if (left->is_literal() && !right->is_literal()) {
    std::swap(left, right);
    op = Flipped(op);
  }
  if (left->is_literal()) {
    return left->literal.is_null() || right->literal.is_null()
               ? Result<Filter>(NullLiteral(expr.position))
               : BindTruth(expr);
  }
  if (right->is_literal()) {
    TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(*left));
    return Compare(std::move(subject), op, right->literal, right->position);
  }
  if (*left == *right) {
    // One expression with itself: Pinot folds it, nulls notwithstanding.
    TRELLIS_RETURN_IF_ERROR(bind_(*left).status());
    const Comparison comparison = *ParseComparison(op);
    return Constant(comparison == Comparison::kEqual || comparison == Comparison::kLessOrEqual ||
                    comparison == Comparison::kGreaterOrEqual);
  }
  return BindTruth(expr);
}

Result<Filter> FilterBinder::BindBetween(const sql::Expr& expr) const {
  const sql::Expr& low = expr.args[1];
  const sql::Expr& high = expr.args[2];
  if (!low.is_literal() || !high.is_literal()) {
    return Status::Query(PinotCode::kSqlParsing, "BETWEEN needs literals for its bounds{}",
                         At(expr.position));
  }
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(expr.args[0]));
  TRELLIS_ASSIGN_OR_RETURN(Filter lower,
                           Compare(subject, "greater_than_or_equal", low.literal, low.position));
  TRELLIS_ASSIGN_OR_RETURN(
      Filter upper, Compare(std::move(subject), "less_than_or_equal", high.literal, high.position));
  if (lower.kind == Filter::Kind::kFalse || upper.kind == Filter::Kind::kFalse)
    return Filter::False();
  if (lower.kind == Filter::Kind::kTrue) return upper;
  if (upper.kind == Filter::Kind::kTrue) return lower;
  // One range, not two: for multi-value columns one element must lie within both bounds.
  lower.predicate.upper = upper.predicate.upper;
  lower.predicate.upper_inclusive = upper.predicate.upper_inclusive;
  return lower;
}

Result<Filter> FilterBinder::BindIn(const sql::Expr& expr) const {
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(expr.args[0]));
  TRELLIS_RETURN_IF_ERROR(CheckComparable(subject, false, expr.position));
  const bool negated = expr.name == "not_in";
  for (size_t i = 1; i < expr.args.size(); ++i) {
    const sql::Expr& arg = expr.args[i];
    if (!arg.is_literal()) {
      return Status::Query(PinotCode::kSqlParsing, "IN needs a list of literals{}",
                           At(arg.position));
    }
    if (arg.literal.is_null()) return NullLiteral(arg.position);
  }
  if (expr.args.size() == 2) {
    return Compare(std::move(subject), negated ? "not_equals" : "equals", expr.args[1].literal,
                   expr.args[1].position);
  }
  Predicate predicate =
      MakePredicate(negated ? Predicate::Kind::kNotIn : Predicate::Kind::kIn, std::move(subject));
  std::set<std::string> seen;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    if (!seen.insert(ValueToText(expr.args[i].literal)).second) continue;
    auto value = ConvertLiteral(expr.args[i].literal, predicate.subject.type.type);
    if (!value.ok()) return WithPlace(value.status(), expr.args[i].position);
    predicate.values.push_back(std::move(*value));
  }
  return Filter::Of(std::move(predicate));
}

Result<Filter> FilterBinder::BindPattern(const sql::Expr& expr) const {
  const bool like = expr.name == "like";
  if (expr.args.size() < 2 || expr.args.size() > 3) {
    return Status::Query(PinotCode::kQueryValidation, "{} takes a text and a pattern{}", expr.name,
                         At(expr.position));
  }
  if (!expr.args[1].is_literal() || expr.args[1].literal.is_null()) {
    return Status::Query(PinotCode::kSqlParsing, "{} needs a literal pattern{}",
                         like ? "LIKE" : "REGEXP_LIKE", At(expr.position));
  }
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(expr.args[0]));
  if (!IsText(subject.type.type)) {
    return Status::Query(PinotCode::kQueryValidation, "{} needs a STRING, {} is {}{}",
                         like ? "LIKE" : "REGEXP_LIKE", plan::PrintExpression(subject),
                         ValueTypeName(subject.type), At(expr.position));
  }
  Predicate predicate = MakePredicate(like ? Predicate::Kind::kLike : Predicate::Kind::kRegexpLike,
                                      std::move(subject));
  predicate.pattern = ValueToText(expr.args[1].literal);
  if (!like && expr.args.size() == 3) {
    const std::string flag = expr.args[2].is_literal() ? ValueToText(expr.args[2].literal) : "?";
    if (flag != "i" && flag != "I" && flag != "c" && flag != "C" && !flag.empty()) {
      return Status::Query(PinotCode::kQueryValidation,
                           "REGEXP_LIKE's third argument is 'i' or 'c'{}", At(expr.position));
    }
    predicate.ignore_case = flag == "i" || flag == "I";
  }
  return Filter::Of(std::move(predicate));
}

Result<Filter> FilterBinder::BindNullTest(const sql::Expr& expr) const {
  if (expr.args.size() != 1) {
    return Status::Query(PinotCode::kQueryValidation, "{} takes one argument{}", expr.name,
                         At(expr.position));
  }
  if (expr.args[0].is_literal())
    return Constant(expr.args[0].literal.is_null() == (expr.name == "is_null"));
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(expr.args[0]));
  return Filter::Of(
      MakePredicate(expr.name == "is_null" ? Predicate::Kind::kIsNull : Predicate::Kind::kIsNotNull,
                    std::move(subject)));
}

Result<Filter> FilterBinder::BindTruth(const sql::Expr& expr) const {
  TRELLIS_ASSIGN_OR_RETURN(plan::Expression subject, bind_(expr));
  const DataType type = subject.type.type;
  auto value = ParseValue("true", type);
  if (!value.ok()) {
    return Status::Query(PinotCode::kQueryValidation, "a condition is expected, {} is {}{}",
                         plan::PrintExpression(subject), ValueTypeName(subject.type),
                         At(expr.position));
  }
  return MakeComparison(std::move(subject), Comparison::kEqual, std::move(*value));
}

}  // namespace trellis::broker
