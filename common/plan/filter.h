#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/plan/expression.h"

namespace trellis::plan {

// A test of one expression against constants. Constants have the subject's own type (elements' type
// for a multi-value subject, where a positive predicate matches if any element does and
// kNotEqual/kNotIn if none).
struct Predicate {
  enum class Kind : uint8_t {
    kEqual,
    kNotEqual,
    kIn,
    kNotIn,       // `values`
    kRange,       // `lower`/`upper`, absent = unbounded
    kRegexpLike,  // `pattern` is found anywhere in the text, RE2 syntax after translation
    kLike,        // `pattern` is the LIKE pattern
    kIsNull,
    kIsNotNull,
  };
  Kind kind = Kind::kEqual;
  Expression subject;
  std::vector<Value> values;
  std::optional<Value> lower;
  std::optional<Value> upper;
  bool lower_inclusive = false;
  bool upper_inclusive = false;
  std::string pattern;
  bool ignore_case = false;
  bool operator==(const Predicate&) const = default;
};

// A Boolean combination of predicates, three-valued under null handling.
struct Filter {
  enum class Kind : uint8_t { kTrue, kFalse, kAnd, kOr, kNot, kPredicate };
  Kind kind = Kind::kTrue;
  std::vector<Filter> children;
  Predicate predicate;

  static Filter True() { return {}; }
  static Filter False() { return {Kind::kFalse, {}, {}}; }
  static Filter Of(Predicate p) { return {Kind::kPredicate, {}, std::move(p)}; }
  static Filter And(std::vector<Filter> c) { return {Kind::kAnd, std::move(c), {}}; }
  static Filter Or(std::vector<Filter> c) { return {Kind::kOr, std::move(c), {}}; }
  static Filter Not(Filter c) {
    Filter f{Kind::kNot, {}, {}};
    f.children.push_back(std::move(c));
    return f;
  }
  bool operator==(const Filter&) const = default;
};

// The predicate in Pinot's printed form, as EXPLAIN shows it: `x > '1'`, `x BETWEEN '1' AND '2'`,
// `x IN ('a','b')`, `regexp_like(x,'^a','i')` (also for LIKE), `x IS NULL`.
std::string PrintPredicate(const Predicate& predicate);

}  // namespace trellis::plan
