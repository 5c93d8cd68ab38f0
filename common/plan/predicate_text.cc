#include <string_view>

#include "common/plan/filter.h"

namespace trellis::plan {
namespace {

std::string Quoted(const Value& value) { return "'" + ValueToText(value) + "'"; }

// LIKE's pattern as the regular expression Pinot searches for in its place: anchored where the
// pattern neither begins nor ends with %, which the search makes superfluous there.
std::string RegexpOfLike(std::string_view pattern) {
  const size_t begin = pattern.find_first_not_of('%');
  if (begin == std::string_view::npos) return pattern.empty() ? "^$" : "";
  size_t end = pattern.find_last_not_of('%') + 1;
  if (end < pattern.size() && pattern[end - 1] == '\\') ++end;  // an escaped % is text
  std::string regexp(begin == 0 ? "^" : "");
  for (size_t i = begin; i < end; ++i) {
    const char c = pattern[i];
    const bool escapes =
        c == '\\' && i + 1 < end && (pattern[i + 1] == '%' || pattern[i + 1] == '_');
    if (escapes) {
      regexp += pattern[++i];
    } else if (c == '%') {
      regexp += ".*";
    } else if (c == '_') {
      regexp += '.';
    } else {
      if (std::string_view("\\.[{(*+?^$|)]}").find(c) != std::string_view::npos) regexp += '\\';
      regexp += c;
    }
  }
  return end == pattern.size() ? regexp + '$' : regexp;
}

std::string PrintRange(const Predicate& predicate, const std::string& subject) {
  const std::string above = predicate.lower_inclusive ? " >= " : " > ";
  const std::string below = predicate.upper_inclusive ? " <= " : " < ";
  if (!predicate.lower && !predicate.upper) return subject;
  if (!predicate.upper) return subject + above + Quoted(*predicate.lower);
  if (!predicate.lower) return subject + below + Quoted(*predicate.upper);
  const std::string lower = Quoted(*predicate.lower);
  const std::string upper = Quoted(*predicate.upper);
  if (predicate.lower_inclusive && predicate.upper_inclusive)
    return subject + " BETWEEN " + lower + " AND " + upper;
  return "(" + subject + above + lower + " AND " + subject + below + upper + ")";
}

std::string PrintList(const std::vector<Value>& values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) text += (i > 0 ? "," : "") + Quoted(values[i]);
  return text + ")";
}

}  // namespace

std::string PrintPredicate(const Predicate& predicate) {
  const std::string subject = PrintExpression(predicate.subject);
  switch (predicate.kind) {
    case Predicate::Kind::kEqual:
      return subject + " = " + Quoted(predicate.values.at(0));
    case Predicate::Kind::kNotEqual:
      return subject + " != " + Quoted(predicate.values.at(0));
    case Predicate::Kind::kIn:
      return subject + " IN " + PrintList(predicate.values);
    case Predicate::Kind::kNotIn:
      return subject + " NOT IN " + PrintList(predicate.values);
    case Predicate::Kind::kRange:
      return PrintRange(predicate, subject);
    case Predicate::Kind::kRegexpLike:
      return "regexp_like(" + subject + ",'" + predicate.pattern +
             (predicate.ignore_case ? "','i')" : "')");
    case Predicate::Kind::kLike:
      return "regexp_like(" + subject + ",'" + RegexpOfLike(predicate.pattern) + "','i')";
    case Predicate::Kind::kIsNull:
      return subject + " IS NULL";
    case Predicate::Kind::kIsNotNull:
      return subject + " IS NOT NULL";
  }
  return subject;
}

}  // namespace trellis::plan
