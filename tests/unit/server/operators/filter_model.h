#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/plan/filter.h"
#include "tests/unit/server/example_rides.h"

namespace trellis::server {

inline plan::Predicate PredicateOf(plan::Predicate::Kind kind, plan::Expression subject,
                                   std::vector<Value> values = {}) {
  plan::Predicate predicate;
  predicate.kind = kind;
  predicate.subject = std::move(subject);
  predicate.values = std::move(values);
  return predicate;
}

// LIKE without escapes, by definition rather than by regular expression. Pinot's ignores case; only
// ASCII letters are folded here.
inline bool LikeMatches(std::string_view pattern, std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '%') {
    for (size_t skip = 0; skip <= text.size(); ++skip)
      if (LikeMatches(pattern.substr(1), text.substr(skip))) return true;
    return false;
  }
  return !text.empty() && lower(pattern[0]) == lower(text[0]) &&
         LikeMatches(pattern.substr(1), text.substr(1));
}

// Answers a filter one row at a time from plain scans of the columns it names, three-valued where
// asked. REGEXP_LIKE patterns must be plain text.
class FilterModel {
 public:
  FilterModel(const segment::Segment& segment, const Schema& schema, bool null_handling)
      : segment_(segment), schema_(schema), null_handling_(null_handling) {}

  // TRUE, FALSE, or neither.
  std::optional<bool> Test(const plan::Filter& filter, size_t row) {
    using Kind = plan::Filter::Kind;
    switch (filter.kind) {
      case Kind::kTrue:
        return true;
      case Kind::kFalse:
        return false;
      case Kind::kNot: {
        const auto inner = Test(filter.children[0], row);
        return inner ? std::optional(!*inner) : inner;
      }
      case Kind::kPredicate:
        return TestPredicate(filter.predicate, row);
      case Kind::kAnd:
      case Kind::kOr:
        break;
    }
    const bool deciding = filter.kind == Kind::kOr;
    bool unknown = false;
    for (const plan::Filter& child : filter.children) {
      const auto answer = Test(child, row);
      if (answer == deciding) return deciding;
      unknown |= !answer;
    }
    return unknown ? std::nullopt : std::optional(!deciding);
  }

  std::vector<uint32_t> Rows(const plan::Filter& filter, bool wanted) {
    std::vector<uint32_t> rows;
    for (uint32_t row = 0; row < segment_.document_count(); ++row)
      if (Test(filter, row) == wanted) rows.push_back(row);
    return rows;
  }

 private:
  using PredicateKind = plan::Predicate::Kind;

  std::optional<bool> TestPredicate(const plan::Predicate& predicate, size_t row) {
    const ScannedColumn& column = Scanned(predicate.subject);
    if (predicate.kind == PredicateKind::kIsNull) return column.nulls[row];
    if (predicate.kind == PredicateKind::kIsNotNull) return !column.nulls[row];
    if (null_handling_ && column.nulls[row]) return std::nullopt;
    const Value& value = column.values[row];
    bool any = false;
    if (value.is_array()) {
      for (const Value& element : value.elements()) any |= Matches(predicate, element);
    } else {
      any = Matches(predicate, value);
    }
    const bool negated =
        predicate.kind == PredicateKind::kNotEqual || predicate.kind == PredicateKind::kNotIn;
    return any != negated;
  }

  static bool Matches(const plan::Predicate& predicate, const Value& value) {
    switch (predicate.kind) {
      case PredicateKind::kRange: {
        const int low = predicate.lower ? CompareValues(value, *predicate.lower) : 1;
        const int high = predicate.upper ? CompareValues(value, *predicate.upper) : -1;
        return (low > 0 || (low == 0 && predicate.lower_inclusive)) &&
               (high < 0 || (high == 0 && predicate.upper_inclusive));
      }
      case PredicateKind::kLike:
        return LikeMatches(predicate.pattern, value.bytes());
      case PredicateKind::kRegexpLike:
        return value.bytes().find(predicate.pattern) != std::string::npos;
      default:
        for (const Value& wanted : predicate.values)
          if (CompareValues(value, wanted) == 0) return true;
        return false;
    }
  }

  const ScannedColumn& Scanned(const plan::Expression& subject) {
    const std::string id = plan::PrintExpression(subject);
    const auto found = columns_.find(id);
    if (found != columns_.end()) return found->second;
    return columns_.emplace(id, Scan(segment_, schema_, subject)).first->second;
  }

  const segment::Segment& segment_;
  const Schema& schema_;
  bool null_handling_;
  std::map<std::string, ScannedColumn> columns_;
};

}  // namespace trellis::server
