#include "broker/sql/print.h"

#include <array>
#include <string_view>
#include <utility>

namespace trellis::sql {
namespace {

void PrintTo(const Expr& expr, std::string* out);
void PrintPredicateTo(const Expr& condition, std::string* out);

void PrintList(const std::vector<Expr>& exprs, size_t begin, std::string* out) {
  for (size_t i = begin; i < exprs.size(); ++i) {
    if (i > begin) out->push_back(',');
    PrintTo(exprs[i], out);
  }
}

void PrintTo(const Expr& expr, std::string* out) {
  switch (expr.kind) {
    case Expr::Kind::kIdentifier:
      out->append(expr.name);
      return;
    case Expr::Kind::kStar:
      out->append(expr.name.empty() ? "*" : expr.name + ".*");
      return;
    case Expr::Kind::kLiteral:
      out->append("'").append(ValueToText(expr.literal)).append("'");
      return;
    case Expr::Kind::kFunction:
      break;
  }
  out->append(expr.name).push_back('(');
  PrintList(expr.args, 0, out);
  out->push_back(')');
  if (expr.filter == nullptr) return;
  out->append(" FILTER(WHERE ");
  PrintPredicateTo(*expr.filter, out);
  out->push_back(')');
}

struct Comparison {
  std::string_view name;
  std::string_view sign;
  std::string_view flipped_sign;  // with the sides exchanged
};
constexpr std::array<Comparison, 6> kComparisons{{
    {"equals", " = ", " = "},
    {"not_equals", " != ", " != "},
    {"greater_than", " > ", " < "},
    {"greater_than_or_equal", " >= ", " <= "},
    {"less_than", " < ", " > "},
    {"less_than_or_equal", " <= ", " >= "},
}};

bool PrintComparison(const Expr& condition, std::string* out) {
  if (condition.args.size() != 2) return false;
  for (const Comparison& comparison : kComparisons) {
    if (condition.name != comparison.name) continue;
    const Expr* left = &condition.args[0];
    const Expr* right = &condition.args[1];
    const bool flip = left->is_literal() && !right->is_literal();
    if (flip) std::swap(left, right);
    if (!right->is_literal()) return false;  // compares as a function, = 'true'
    PrintTo(*left, out);
    out->append(flip ? comparison.flipped_sign : comparison.sign);
    PrintTo(*right, out);
    return true;
  }
  return false;
}

// LIKE's pattern as the regular expression that Pinot searches for: anchored but where it begins or
// ends with %, `_` a dot, % inside `.*`, what a regular expression reads as an operator escaped.
std::string LikeToRegex(std::string_view pattern) {
  const size_t begin = pattern.find_first_not_of('%');
  if (begin == std::string_view::npos) return pattern.empty() ? "^$" : "";
  const size_t end = pattern.find_last_not_of('%') + 1;
  std::string regex = begin == 0 ? "^" : "";
  for (size_t i = begin; i < end; ++i) {
    const char c = pattern[i];
    if (c == '%') {
      regex += ".*";
    } else if (c == '_') {
      regex += '.';
    } else if (c == '\\' && i + 1 < end && (pattern[i + 1] == '%' || pattern[i + 1] == '_')) {
      regex += pattern[++i];
    } else {
      if (std::string_view("\\.[{(*+?^$|)]}").find(c) != std::string_view::npos) regex += '\\';
      regex += c;
    }
  }
  if (end == pattern.size()) regex += '$';
  return regex;
}

bool PrintSpecial(const Expr& condition, std::string* out) {
  const std::vector<Expr>& args = condition.args;
  if (args.empty()) return false;
  if (condition.name == "between" && args.size() == 3) {
    PrintTo(args[0], out);
    out->append(" BETWEEN ");
    PrintTo(args[1], out);
    out->append(" AND ");
    PrintTo(args[2], out);
  } else if (condition.name == "in" || condition.name == "not_in") {
    PrintTo(args[0], out);
    out->append(condition.name == "in" ? " IN (" : " NOT IN (");
    PrintList(args, 1, out);
    out->push_back(')');
  } else if (condition.name == "is_null" || condition.name == "is_not_null") {
    PrintTo(args[0], out);
    out->append(condition.name == "is_null" ? " IS NULL" : " IS NOT NULL");
  } else if (condition.name == "not" && args.size() == 1) {
    out->append("(NOT ");
    PrintPredicateTo(args[0], out);
    out->push_back(')');
  } else if (condition.name == "like" && args.size() == 2 && args[1].is_literal()) {
    out->append("regexp_like(");
    PrintTo(args[0], out);
    out->append(",'").append(LikeToRegex(ValueToText(args[1].literal))).append("','i')");
  } else if (condition.name == "regexp_like" || condition.name == "text_match" ||
             condition.name == "json_match" || condition.name.starts_with("vector_similarity")) {
    PrintTo(condition, out);
  } else {
    return false;
  }
  return true;
}

void PrintPredicateTo(const Expr& condition, std::string* out) {
  if (condition.is_function("and") || condition.is_function("or")) {
    const std::string_view between = condition.name == "and" ? " AND " : " OR ";
    out->push_back('(');
    for (size_t i = 0; i < condition.args.size(); ++i) {
      if (i > 0) out->append(between);
      PrintPredicateTo(condition.args[i], out);
    }
    out->push_back(')');
    return;
  }
  if (condition.is_function()) {
    if (PrintComparison(condition, out) || PrintSpecial(condition, out)) return;
  }
  PrintTo(condition, out);
  if (!condition.is_literal()) out->append(" = 'true'");
}

}  // namespace

std::string PrintExpr(const Expr& expr) {
  std::string out;
  PrintTo(expr, &out);
  return out;
}

std::string PrintPredicate(const Expr& condition) {
  std::string out;
  PrintPredicateTo(condition, &out);
  return out;
}

}  // namespace trellis::sql
