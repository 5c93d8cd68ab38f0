#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "broker/routing/segment_pruner.h"
#include "common/partition/partition_function.h"
#include "common/types/order_key.h"
#include "tests/unit/broker/catalog/announced.h"

// Pruning never loses a row: random segments of known rows, random filters, every row looked at.

namespace trellis::broker {
namespace {

using plan::Filter;
using plan::Predicate;
using Kind = Predicate::Kind;

// Values of one row: by column, several for a multi-value column.
using Row = std::vector<std::vector<Value>>;
struct ColumnSpec {
  const char* name;
  DataType type;
  bool multi_value;
};
constexpr ColumnSpec kColumns[] = {{"n", DataType::kInt, false},    {"l", DataType::kLong, false},
                                   {"d", DataType::kDouble, false}, {"f", DataType::kFloat, false},
                                   {"s", DataType::kString, false}, {"m", DataType::kInt, true}};
constexpr size_t kColumnCount = std::size(kColumns);
// By which each is partitioned, if its values allow.
constexpr const char* kFunctions[] = {"Murmur", "Modulo",   "Murmur3",
                                      "Murmur", "HashCode", "Murmur3"};
static_assert(std::size(kFunctions) == kColumnCount);

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  size_t Below(size_t limit) { return random_() % limit; }
  bool OneIn(size_t n) { return Below(n) == 0; }

  Value Any(DataType type) {
    switch (type) {
      case DataType::kInt:
        return Value::Int(static_cast<int32_t>(Below(60)) - 30);
      case DataType::kLong:
        return Value::Long(OneIn(20) ? std::numeric_limits<int64_t>::max() - Below(2)
                                     : static_cast<int64_t>(Below(90)) - 10);
      case DataType::kDouble:
        return Value::Double(Float());
      case DataType::kFloat:
        return Value::Float(static_cast<float>(Float()));
      default: {
        static const char* const kPieces[] = {"a", "b", "abcdefgh", "\xee\x80\x80",
                                              "\xf0\x9f\x98\x80"};
        std::string text;
        for (size_t i = Below(4); i > 0; --i) text += kPieces[Below(std::size(kPieces))];
        return Value::String(text);
      }
    }
  }

  Filter AnyFilter(int depth) {
    const size_t choice = Below(depth == 0 ? 6 : 10);
    if (choice >= 6) {
      std::vector<Filter> children;
      for (size_t i = 1 + Below(3); i > 0; --i) children.push_back(AnyFilter(depth - 1));
      if (choice == 9) return Filter::Not(std::move(children[0]));
      return choice % 2 == 0 ? Filter::And(std::move(children)) : Filter::Or(std::move(children));
    }
    const ColumnSpec& column = kColumns[Below(kColumnCount)];
    Predicate predicate;
    predicate.subject = plan::Expression::Column(column.name, {column.type, column.multi_value});
    if (choice < 2) {
      predicate.kind = choice == 0 ? Kind::kEqual : Kind::kNotEqual;
      predicate.values = {Any(column.type)};
    } else if (choice == 2) {
      predicate.kind = Kind::kIn;
      for (size_t i = 1 + Below(4); i > 0; --i) predicate.values.push_back(Any(column.type));
    } else {
      predicate.kind = Kind::kRange;
      if (!OneIn(3)) predicate.lower = Any(column.type);
      if (!OneIn(3)) predicate.upper = Any(column.type);
      predicate.lower_inclusive = OneIn(2);
      predicate.upper_inclusive = OneIn(2);
    }
    return Filter::Of(predicate);
  }

 private:
  double Float() {
    constexpr double kSpecial[] = {-0.0, 0.0, std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
    if (OneIn(40)) return std::nan("");
    return OneIn(6) ? kSpecial[Below(4)] : (static_cast<double>(Below(80)) - 40) / 8;
  }
  std::mt19937_64 random_;
};

bool IsFloating(DataType type) { return type == DataType::kDouble || type == DataType::kFloat; }

// Both ways in which rows are compared count: by value, where both zeros are equal and NaN is like
// nothing, and as dictionaries are sorted.
bool Matches(const Predicate& p, const Value& value) {
  const auto equal = [&](const Value& constant) {
    return CompareValues(value, constant) == 0 ||
           (IsFloating(value.type()) && value.AsDouble() == constant.AsDouble());
  };
  switch (p.kind) {
    case Kind::kEqual:
    case Kind::kIn:
      return std::any_of(p.values.begin(), p.values.end(), equal);
    case Kind::kNotEqual:
      return !equal(p.values[0]);
    default:
      break;
  }
  const auto above = [&](int order) { return order > 0 || (order == 0 && p.lower_inclusive); };
  const auto below = [&](int order) { return order < 0 || (order == 0 && p.upper_inclusive); };
  const bool sorted = (!p.lower || above(CompareValues(value, *p.lower))) &&
                      (!p.upper || below(CompareValues(value, *p.upper)));
  if (sorted || !IsFloating(value.type())) return sorted;
  const double v = value.AsDouble();
  const auto order = [v](const Value& bound) {
    return v < bound.AsDouble() ? -1 : v > bound.AsDouble() ? 1 : 0;
  };
  return !std::isnan(v) && (!p.lower || above(order(*p.lower))) &&
         (!p.upper || below(order(*p.upper)));
}

bool Matches(const Filter& filter, const Row& row) {
  switch (filter.kind) {
    case Filter::Kind::kAnd:
      return std::all_of(filter.children.begin(), filter.children.end(),
                         [&](const Filter& child) { return Matches(child, row); });
    case Filter::Kind::kOr:
      return std::any_of(filter.children.begin(), filter.children.end(),
                         [&](const Filter& child) { return Matches(child, row); });
    case Filter::Kind::kNot:
      return true;  // never pruned by
    default:
      break;
  }
  for (size_t c = 0; c < kColumnCount; ++c) {
    if (filter.predicate.subject.name != kColumns[c].name) continue;
    return std::any_of(row[c].begin(), row[c].end(),
                       [&](const Value& value) { return Matches(filter.predicate, value); });
  }
  return true;
}

struct Segments {
  std::vector<std::vector<Row>> rows;  // by segment
  std::shared_ptr<const Table> table;
};

// Rows of a segment lie close together, so that there is something to prune.
Segments AnySegments(Generator& any, size_t count) {
  Segments segments;
  std::vector<std::pair<uint32_t, std::string>> names;
  for (size_t i = 0; i < count; ++i) {
    names.emplace_back(i, "s_" + std::to_string(i));
    std::vector<Row>& rows = segments.rows.emplace_back();
    const int32_t base = static_cast<int32_t>(any.Below(50)) - 25;
    for (size_t r = 1 + any.Below(4); r > 0; --r) {
      Row& row = rows.emplace_back();
      for (const ColumnSpec& column : kColumns) {
        auto& values = row.emplace_back();
        for (size_t v = column.multi_value ? any.Below(3) : 1; v > 0; --v) {
          values.push_back(column.type == DataType::kInt
                               ? Value::Int(base + static_cast<int32_t>(any.Below(5)))
                               : any.Any(column.type));
        }
      }
    }
  }
  wire::SegmentBatch batch = BatchOf(names);
  for (size_t c = 0; c < kColumnCount; ++c) {
    wire::ZoneColumn& zones = batch.zones.emplace_back();
    zones.column = kColumns[c].name;
    const char* const name = kFunctions[c];
    const auto function = partition::PartitionFunction::Create(name, 4);
    REQUIRE(function.ok());
    wire::PartitionColumn partitions{kColumns[c].name, name, 4, {}};
    for (const auto& rows : segments.rows) {
      std::optional<int64_t> low, high;
      std::optional<uint32_t> partition;
      bool known = !any.OneIn(5), one_partition = true;
      for (const Row& row : rows) {
        for (const Value& value : row[c]) {
          const auto key = OrderKey(value);
          known &= key.has_value();
          low = std::min(low.value_or(key.value_or(0)), key.value_or(0));
          high = std::max(high.value_or(key.value_or(0)), key.value_or(0));
          const auto of_value = function->CertainPartitionOf(value);
          one_partition &= of_value && of_value == partition.value_or(*of_value);
          partition = of_value;
        }
      }
      known &= low.has_value();
      zones.present.push_back(known);
      zones.min.push_back(known ? *low : 0);
      zones.max.push_back(known ? *high : 0);
      partitions.partition.push_back(one_partition && partition ? *partition
                                                                : wire::PartitionColumn::kUnknown);
    }
    batch.partitions.push_back(std::move(partitions));
  }
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(1, 1, std::move(batch))).ok());
  segments.table = state.Build()->tables.at("t_OFFLINE");
  return segments;
}

}  // namespace

TEST_CASE("a segment with a row that matches is never pruned") {
  size_t pruned = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Generator any(seed);
    const Segments segments = AnySegments(any, 40);
    for (int i = 0; i < 100; ++i) {
      const Filter filter = any.AnyFilter(2);
      const Roaring kept = PruneSegments(segments.table->segments->prune_index(), filter);
      pruned += segments.rows.size() - kept.cardinality();
      for (uint32_t id = 0; id < segments.rows.size(); ++id) {
        if (kept.contains(id)) continue;
        for (const Row& row : segments.rows[id]) {
          INFO("seed " << seed << ", filter " << i << ", segment " << id);
          REQUIRE_FALSE(Matches(filter, row));
        }
      }
    }
  }
  CHECK(pruned > 20'000);  // of 160,000: the test would be empty without
}

}  // namespace trellis::broker
