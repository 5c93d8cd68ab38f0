#include "server/operators/range_filter.h"

#include <algorithm>

#include "server/operators/dictionary_match.h"

namespace trellis::server {
namespace {

using index::RangeAnswer;
using plan::Predicate;

constexpr int32_t kExactVersion = 2;
// Each interval is a walk over the whole index.
constexpr size_t kIntervalsMax = 4;

struct Interval {
  uint32_t first;
  uint32_t last;
};

// The marked ids as intervals, but no more than one above the limit.
std::vector<Interval> IntervalsOf(const std::vector<uint8_t>& matches) {
  std::vector<Interval> intervals;
  auto at = matches.begin();
  while (intervals.size() <= kIntervalsMax) {
    const auto first = std::find(at, matches.end(), uint8_t{1});
    if (first == matches.end()) break;
    at = std::find(first, matches.end(), uint8_t{0});
    intervals.push_back({static_cast<uint32_t>(first - matches.begin()),
                         static_cast<uint32_t>(at - matches.begin()) - 1});
  }
  return intervals;
}

void Add(const RangeAnswer& more, RangeAnswer& answer) {
  answer.certain |= more.certain;
  answer.possible |= more.possible;
  answer.possible -= answer.certain;
}

bool IsList(Predicate::Kind kind) {
  return kind == Predicate::Kind::kEqual || kind == Predicate::Kind::kNotEqual ||
         kind == Predicate::Kind::kIn || kind == Predicate::Kind::kNotIn;
}

// Dictionaries order NaN and zeros, and tell decimals apart, in ways that a scan of values does
// not.
bool OrdersAsDictionary(DataType type) {
  return type != DataType::kFloat && type != DataType::kDouble && type != DataType::kBigDecimal;
}

}  // namespace

Result<std::optional<RangeAnswer>> AskRangeIndex(const segment::Column& column,
                                                 const std::vector<uint8_t>& matches,
                                                 Predicate::Kind kind) {
  const index::RangeIndex* range = column.range();
  if (range == nullptr || !range->shape().has_dictionary) return std::optional<RangeAnswer>();
  if (range->version() != kExactVersion && kind != Predicate::Kind::kRange)
    return std::optional<RangeAnswer>();
  const std::vector<Interval> intervals = IntervalsOf(matches);
  if (intervals.size() > kIntervalsMax) return std::optional<RangeAnswer>();
  RangeAnswer answer;
  for (const Interval& interval : intervals) {
    TRELLIS_ASSIGN_OR_RETURN(const RangeAnswer some, range->DictIds(interval.first, interval.last));
    Add(some, answer);
  }
  return std::optional<RangeAnswer>(std::move(answer));
}

Result<std::optional<RangeAnswer>> AskRangeIndex(const segment::Column& column,
                                                 const ValueMatcher& matcher) {
  const index::RangeIndex* range = column.range();
  const Predicate& predicate = matcher.predicate();
  const bool list = IsList(predicate.kind);
  if (range == nullptr || (!list && predicate.kind != Predicate::Kind::kRange))
    return std::optional<RangeAnswer>();
  if (range->shape().has_dictionary) {
    if (!OrdersAsDictionary(column.field().type)) return std::optional<RangeAnswer>();
    std::vector<uint8_t> matches;
    TRELLIS_RETURN_IF_ERROR(MatchDictionary(matcher, *column.dictionary(), matches).status());
    return AskRangeIndex(column, matches, predicate.kind);
  }
  if (!list) {
    TRELLIS_ASSIGN_OR_RETURN(RangeAnswer answer,
                             range->Values({predicate.lower, predicate.upper,
                                            predicate.lower_inclusive, predicate.upper_inclusive}));
    return std::optional<RangeAnswer>(std::move(answer));
  }
  if (range->version() != kExactVersion || predicate.values.size() > kIntervalsMax)
    return std::optional<RangeAnswer>();
  RangeAnswer answer;
  for (const Value& value : predicate.values) {
    TRELLIS_ASSIGN_OR_RETURN(const RangeAnswer some, range->Values({value, value, true, true}));
    Add(some, answer);
  }
  return std::optional<RangeAnswer>(std::move(answer));
}

Result<Roaring> TrueDocuments(const RangeAnswer& answer, bool negated, uint32_t document_count,
                              FilterNode& scan) {
  Roaring documents = answer.certain;
  if (negated) {
    documents |= answer.possible;
    documents.flip(0, document_count);
  }
  constexpr size_t kBatch = 8192;
  std::vector<uint32_t> docs, selected;
  for (auto at = answer.possible.begin(); at != answer.possible.end();) {
    docs.clear();
    selected.clear();
    for (; at != answer.possible.end() && docs.size() < kBatch; ++at) docs.push_back(*at);
    TRELLIS_RETURN_IF_ERROR(scan.Select(docs, true, selected));
    documents.addMany(selected.size(), selected.data());
  }
  return documents;
}

}  // namespace trellis::server
