// Which filter operator Pinot picks for a predicate (pinot-sql.md section 8): a predicate that the
// dictionary decides is constant; otherwise the sorted index, then the inverted index (the range
// index for ranges), then a scan. ANDs ask cheap children first.
#include "server/operators/explain_filter.h"

#include <algorithm>
#include <string_view>

#include "common/predicate/value_matcher.h"
#include "common/types/virtual_column.h"
#include "server/operators/dictionary_match.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;

enum Priority : int {
  kSorted,
  kBitmap,
  kRange,
  kAnd,
  kOr,
  kScan,
  kMultiValueScan,
  kExpression,
  kUnordered,
};

std::string_view OperatorName(Predicate::Kind kind) {
  switch (kind) {
    case Predicate::Kind::kEqual:
      return "EQ";
    case Predicate::Kind::kNotEqual:
      return "NOT_EQ";
    case Predicate::Kind::kIn:
      return "IN";
    case Predicate::Kind::kNotIn:
      return "NOT_IN";
    case Predicate::Kind::kRange:
      return "RANGE";
    case Predicate::Kind::kRegexpLike:
    case Predicate::Kind::kLike:
      return "REGEXP_LIKE";
    case Predicate::Kind::kIsNull:
      return "IS_NULL";
    case Predicate::Kind::kIsNotNull:
      return "IS_NOT_NULL";
  }
  return "UNKNOWN";
}

FilterPlan Leaf(std::string text, int priority, bool counts_fast) {
  return {FilterPlan::Kind::kOther, std::move(text), {}, priority, counts_fast};
}

std::string Described(const Predicate& predicate) {
  return fmt::format("operator:{},predicate:{}", OperatorName(predicate.kind),
                     plan::PrintPredicate(predicate));
}

FilterPlan Indexed(std::string_view index, int priority, const Predicate& predicate) {
  std::string upper(index);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return Leaf(fmt::format("FILTER_{}(indexLookUp:{},{})", upper, index, Described(predicate)),
              priority, true);
}

class FilterExplainer {
 public:
  explicit FilterExplainer(SegmentSource& source) : source_(source) {}

  Result<FilterPlan> Explain(const Filter& filter) {
    switch (filter.kind) {
      case Filter::Kind::kTrue:
        return Constant(true);
      case Filter::Kind::kFalse:
        return Constant(false);
      case Filter::Kind::kAnd:
      case Filter::Kind::kOr:
        return ExplainAndOr(filter);
      case Filter::Kind::kNot:
        return ExplainNot(filter);
      case Filter::Kind::kPredicate:
        return ExplainPredicate(filter.predicate);
    }
    return Status::Internal("filter of unknown kind");
  }

 private:
  FilterPlan Constant(bool value) const {
    if (!value) return {FilterPlan::Kind::kEmpty, "FILTER_EMPTY", {}, kSorted, true};
    return {FilterPlan::Kind::kMatchAll,
            fmt::format("FILTER_MATCH_ENTIRE_SEGMENT(docs:{})", source_.segment().document_count()),
            {},
            kSorted,
            true};
  }

  Result<FilterPlan> ExplainAndOr(const Filter& filter) {
    const bool is_and = filter.kind == Filter::Kind::kAnd;
    const auto decides = is_and ? FilterPlan::Kind::kEmpty : FilterPlan::Kind::kMatchAll;
    FilterPlan made =
        Leaf(is_and ? "FILTER_AND" : "FILTER_OR", is_and ? Priority::kAnd : Priority::kOr, true);
    bool decided = false;
    for (const Filter& child : filter.children) {
      TRELLIS_ASSIGN_OR_RETURN(FilterPlan explained, Explain(child));
      decided |= explained.kind == decides;
      if (explained.kind != FilterPlan::Kind::kOther) continue;
      made.counts_fast &= explained.counts_fast;
      made.children.push_back(std::move(explained));
    }
    if (decided || made.children.empty()) return Constant(decided != is_and);
    if (made.children.size() == 1) {
      FilterPlan only = std::move(made.children[0]);
      return only;
    }
    if (is_and) {
      std::stable_sort(
          made.children.begin(), made.children.end(),
          [](const FilterPlan& a, const FilterPlan& b) { return a.priority < b.priority; });
    }
    return made;
  }

  Result<FilterPlan> ExplainNot(const Filter& filter) {
    TRELLIS_ASSIGN_OR_RETURN(FilterPlan child, Explain(filter.children.at(0)));
    if (child.kind != FilterPlan::Kind::kOther)
      return Constant(child.kind == FilterPlan::Kind::kEmpty);
    FilterPlan made = Leaf("FILTER_NOT", child.priority, child.counts_fast);
    made.children.push_back(std::move(child));
    return made;
  }

  Result<FilterPlan> ExplainPredicate(const Predicate& predicate) {
    const plan::Expression& subject = predicate.subject;
    if (subject.kind == plan::Expression::Kind::kMapKey) {
      return Leaf(fmt::format("FILTER_MAP(column:{},key:{},indexLookUp:map_index,{},"
                              "delegateTo:expression_filter)",
                              subject.name, subject.key, Described(predicate)),
                  kUnordered, false);
    }
    if (!subject.is_column())
      return Leaf("FILTER_EXPRESSION(" + Described(predicate) + ")", kExpression, false);
    if (FindVirtualColumn(subject.name)) return Scan(predicate);
    TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, source_.Open(subject.name));
    if (!open->column) return Scan(predicate);
    if (predicate.kind == Predicate::Kind::kIsNull || predicate.kind == Predicate::Kind::kIsNotNull)
      return ExplainNullTest(predicate, *open->column);
    return ExplainColumn(predicate, *open->column);
  }

  FilterPlan ExplainNullTest(const Predicate& predicate, const segment::Column& column) const {
    if (column.null_documents()) return Leaf("FILTER_BITMAP", kBitmap, true);
    return Constant(predicate.kind == Predicate::Kind::kIsNotNull);
  }

  static FilterPlan Scan(const Predicate& predicate) {
    return Leaf("FILTER_FULL_SCAN(" + Described(predicate) + ")",
                predicate.subject.type.multi_value ? kMultiValueScan : kScan, false);
  }

  Result<FilterPlan> ExplainColumn(const Predicate& predicate, const segment::Column& column) {
    const bool by_id = column.dictionary() && column.forward().is_dictionary_encoded();
    if (by_id) {
      TRELLIS_ASSIGN_OR_RETURN(const auto matcher, ValueMatcher::Create(predicate));
      std::vector<uint8_t> matches;
      TRELLIS_ASSIGN_OR_RETURN(const size_t count,
                               MatchDictionary(*matcher, *column.dictionary(), matches));
      if (count == 0 || count == matches.size())
        return Constant((count != 0) != matcher->negated());
      if (column.forward().is_sorted()) return Indexed("sorted_index", kSorted, predicate);
      if (predicate.kind != Predicate::Kind::kRange && column.inverted())
        return Indexed("inverted_index", kBitmap, predicate);
    }
    if (TakesRangeIndex(predicate, column)) return Indexed("range_index", kRange, predicate);
    return Scan(predicate);
  }

  // Ranges take any range index, equality one that is exact: the bit-sliced one, version 2.
  static bool TakesRangeIndex(const Predicate& predicate, const segment::Column& column) {
    constexpr int kBitSliced = 2;
    if (column.range() == nullptr) return false;
    return predicate.kind == Predicate::Kind::kRange ||
           (predicate.kind == Predicate::Kind::kEqual && column.range()->version() == kBitSliced);
  }

  SegmentSource& source_;
};

}  // namespace

Result<FilterPlan> ExplainFilter(const Filter& filter, SegmentSource& source) {
  return FilterExplainer(source).Explain(filter);
}

}  // namespace trellis::server
