#include "broker/routing/segment_pruner.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "common/partition/partition_function.h"
#include "common/types/order_key.h"

namespace trellis::broker {
namespace {

using plan::Filter;
using plan::Predicate;

// Segments that may match; nullopt = all of them, which costs nothing to combine.
using Survivors = std::optional<Roaring>;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

struct KeyRange {
  int64_t low = kLowest;
  int64_t high = kHighest;
};

bool IsZero(const Value& value) {
  return (value.type() == DataType::kFloat || value.type() == DataType::kDouble) &&
         value.AsDouble() == 0;
}

// The keys of every value that may be equal to a constant: both zeros are equal somewhere, and text
// shares its key with text that begins alike. nullopt for a constant without a key.
std::optional<KeyRange> KeysOf(const Value& value) {
  if (!value.is_null() && !value.is_array() && IsZero(value))
    return KeyRange{*OrderKey(Value::Double(-0.0)), *OrderKey(Value::Double(0.0))};
  const auto key = OrderKey(value);
  if (!key) return std::nullopt;
  return KeyRange{*key, *key};
}

// Keys of these types are the values: an open bound is the next key's closed one.
bool KeyIsValue(DataType type) {
  return type == DataType::kInt || type == DataType::kLong || type == DataType::kBoolean ||
         type == DataType::kTimestamp;
}

// nullopt: nothing can be said; a range with low > high: no value can match.
std::optional<KeyRange> RangeOf(const Predicate& predicate) {
  KeyRange range;
  if (predicate.lower) {
    const auto keys = KeysOf(*predicate.lower);
    if (!keys) return std::nullopt;
    range.low = keys->low;
    if (!predicate.lower_inclusive && KeyIsValue(predicate.lower->type())) {
      if (range.low == kHighest) return KeyRange{kHighest, kLowest};
      ++range.low;
    }
  }
  if (predicate.upper) {
    const auto keys = KeysOf(*predicate.upper);
    if (!keys) return std::nullopt;
    range.high = keys->high;
    if (!predicate.upper_inclusive && KeyIsValue(predicate.upper->type())) {
      if (range.high == kLowest) return KeyRange{kHighest, kLowest};
      --range.high;
    }
  }
  return range;
}

std::optional<KeyRange> HullOf(const std::vector<Value>& values) {
  KeyRange hull{kHighest, kLowest};
  for (const Value& value : values) {
    const auto keys = KeysOf(value);
    if (!keys) return std::nullopt;
    hull.low = std::min(hull.low, keys->low);
    hull.high = std::max(hull.high, keys->high);
  }
  return hull;
}

// The partitions of one way to partition that may hold one of `values`; nullopt = any may.
std::optional<std::vector<bool>> PartitionsOf(const PruneIndex::Partitioning& way,
                                              const std::vector<Value>& values) {
  // Functions with settings of their own are not announced: the name says all.
  const auto function = partition::PartitionFunction::Create(way.function, way.count);
  if (!function.ok()) return std::nullopt;
  std::vector<bool> hit(way.count);
  size_t hits = 0;
  for (const Value& value : values) {
    const auto partition = function->CertainPartitionOf(value);
    if (!partition) return std::nullopt;
    hits += !hit[*partition];
    if (hits == way.count) return std::nullopt;
    hit[*partition] = true;
  }
  return hit;
}

// Segments whose partition of `column` may hold one of `values`.
Survivors PrunePartitions(const PruneIndex& index, const std::string& column,
                          const std::vector<Value>& values) {
  const auto& ways = index.Partitionings(column);
  std::vector<std::optional<std::vector<bool>>> hits;
  bool restricts = false;
  for (const PruneIndex::Partitioning& way : ways)
    restricts |= hits.emplace_back(PartitionsOf(way, values)).has_value();
  if (!restricts) return std::nullopt;
  Roaring found = index.Unpartitioned(column);
  for (size_t w = 0; w < ways.size(); ++w) {
    for (size_t p = 0; p < ways[w].ids.size(); ++p) {
      if (!hits[w] || (*hits[w])[p]) found |= ways[w].ids[p];
    }
  }
  return found;
}

void Restrict(Survivors& survivors, Roaring by) {
  if (survivors)
    *survivors &= by;
  else
    survivors = std::move(by);
}

void RestrictToRange(const PruneIndex& index, const std::string& column,
                     const std::optional<KeyRange>& range, Survivors& survivors) {
  if (!range || (range->low == kLowest && range->high == kHighest)) return;
  Restrict(survivors, index.InRange(column, range->low, range->high));
}

// Segments with one of `values` in `column`.
Survivors PruneValues(const PruneIndex& index, const std::string& column,
                      const std::vector<Value>& values) {
  Survivors survivors;
  if (index.HasZones(column)) RestrictToRange(index, column, HullOf(values), survivors);
  if (Survivors by = PrunePartitions(index, column, values)) Restrict(survivors, std::move(*by));
  return survivors;
}

Survivors PrunePredicate(const PruneIndex& index, const Predicate& predicate) {
  if (!predicate.subject.is_column()) return std::nullopt;
  const std::string& column = predicate.subject.name;
  switch (predicate.kind) {
    case Predicate::Kind::kEqual:
    case Predicate::Kind::kIn:
      return PruneValues(index, column, predicate.values);
    case Predicate::Kind::kRange: {
      Survivors survivors;
      if (index.HasZones(column)) RestrictToRange(index, column, RangeOf(predicate), survivors);
      return survivors;
    }
    case Predicate::Kind::kNotEqual:
    case Predicate::Kind::kNotIn:
    case Predicate::Kind::kRegexpLike:
    case Predicate::Kind::kLike:
    case Predicate::Kind::kIsNull:
    case Predicate::Kind::kIsNotNull:
      break;
  }
  return std::nullopt;
}

Survivors Prune(const PruneIndex& index, const Filter& filter) {
  switch (filter.kind) {
    case Filter::Kind::kFalse:
      return Roaring();
    case Filter::Kind::kPredicate:
      return PrunePredicate(index, filter.predicate);
    case Filter::Kind::kAnd: {
      Survivors survivors;
      for (const Filter& child : filter.children) {
        if (Survivors by = Prune(index, child)) Restrict(survivors, std::move(*by));
        if (survivors && survivors->isEmpty()) break;
      }
      return survivors;
    }
    case Filter::Kind::kOr: {
      Roaring any;
      for (const Filter& child : filter.children) {
        const Survivors by = Prune(index, child);
        if (!by) return std::nullopt;
        any |= *by;
      }
      return any;
    }
    case Filter::Kind::kTrue:
    case Filter::Kind::kNot:
      break;
  }
  return std::nullopt;
}

}  // namespace

Roaring PruneSegments(const PruneIndex& index, const Filter& filter) {
  Survivors survivors = Prune(index, filter);
  return survivors ? std::move(*survivors) : index.all();
}

}  // namespace trellis::broker
