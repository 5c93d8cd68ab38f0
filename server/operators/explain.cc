#include "server/operators/explain.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <array>
#include <bit>

#include "common/types/text_order.h"
#include "common/types/virtual_column.h"
#include "server/operators/explain_filter.h"

namespace trellis::server {
namespace {

using plan::Expression;

struct PlanNode {
  std::string text;
  std::vector<PlanNode> children;
};

PlanNode Over(std::string text, PlanNode child) {
  PlanNode node{std::move(text), {}};
  node.children.push_back(std::move(child));
  return node;
}

PlanNode ToNode(FilterPlan filter) {
  PlanNode node{std::move(filter.text), {}};
  for (FilterPlan& child : filter.children) node.children.push_back(ToNode(std::move(child)));
  return node;
}

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (size_t i = 0; i < texts.size(); ++i) joined += (i > 0 ? ", " : "") + texts[i];
  return joined;
}

std::vector<std::string> Printed(std::span<const Expression> expressions) {
  std::vector<std::string> texts;
  for (const Expression& expression : expressions)
    texts.push_back(plan::PrintExpression(expression));
  return texts;
}

void AddOnce(const Expression& expression, std::vector<Expression>& to) {
  if (std::find(to.begin(), to.end(), expression) == to.end()) to.push_back(expression);
}

void CollectColumns(const Expression& expression, std::vector<std::string>& names) {
  const bool reads = expression.is_column() || expression.kind == Expression::Kind::kMapKey;
  if (reads && std::find(names.begin(), names.end(), expression.name) == names.end())
    names.push_back(expression.name);
  for (const Expression& argument : expression.arguments) CollectColumns(argument, names);
}

// Aggregations print their type's name, which is in camel case; of those Trellis has, these are not
// all lower case.
std::string TypeName(const std::string& function) {
  static const absl::flat_hash_map<std::string_view, std::string_view> names = {
      {"arrayagg", "arrayAgg"},
      {"booland", "boolAnd"},
      {"boolor", "boolOr"},
      {"covarpop", "covarPop"},
      {"covarsamp", "covarSamp"},
      {"distinctavg", "distinctAvg"},
      {"distinctcount", "distinctCount"},
      {"distinctcountbitmap", "distinctCountBitmap"},
      {"distinctcounthll", "distinctCountHLL"},
      {"distinctcounthllplus", "distinctCountHLLPlus"},
      {"distinctcountrawhll", "distinctCountRawHLL"},
      {"distinctsum", "distinctSum"},
      {"exprmax", "exprMax"},
      {"exprmin", "exprMin"},
      {"firstwithtime", "firstWithTime"},
      {"lastwithtime", "lastWithTime"},
      {"listagg", "listAgg"},
      {"minmaxrange", "minMaxRange"},
      {"percentileest", "percentileEst"},
      {"percentiletdigest", "percentileTDigest"},
      {"stddevpop", "stdDevPop"},
      {"stddevsamp", "stdDevSamp"},
      {"sumprecision", "sumPrecision"},
      {"varpop", "varPop"},
      {"varsamp", "varSamp"},
  };
  const auto found = names.find(function);
  return found == names.end() ? function : std::string(found->second);
}

// `sum(runs)`; parameters are not shown.
std::string PrintCall(const plan::AggregateCall& call) {
  if (call.function == "count" && call.arguments.empty()) return "count(*)";
  return TypeName(call.function) + "(" + Joined(Printed(call.arguments)) + ")";
}

class SegmentExplainer {
 public:
  SegmentExplainer(const LeafQuery& query, const segment::Segment& segment)
      : stage_(query.stage), source_(segment, *query.schema) {}

  Result<PlanNode> Explain() {
    TRELLIS_ASSIGN_OR_RETURN(filter_, ExplainFilter(stage_.filter, source_));
    switch (stage_.shape) {
      case plan::QueryShape::kSelection:
        return ExplainSelection();
      case plan::QueryShape::kDistinct:
        return ExplainDistinct();
      case plan::QueryShape::kAggregate:
      case plan::QueryShape::kGroupBy:
        return ExplainAggregation();
    }
    return Status::Internal("query of unknown shape");
  }

 private:
  // Columns are read and expressions computed over `below`.
  static PlanNode Project(const std::vector<Expression>& expressions, std::vector<PlanNode> below) {
    std::vector<std::string> columns;
    for (const Expression& expression : expressions) CollectColumns(expression, columns);
    PlanNode project{"PROJECT(" + Joined(ProjectionOrder(std::move(columns))) + ")",
                     std::move(below)};
    const bool bare = std::all_of(expressions.begin(), expressions.end(),
                                  [](const Expression& e) { return e.is_column(); });
    if (bare) return project;
    std::vector<std::string> texts = Printed(expressions);
    std::sort(texts.begin(), texts.end(),
              [](const auto& a, const auto& b) { return CompareUtf16(a, b) < 0; });
    return Over("TRANSFORM(" + Joined(texts) + ")", std::move(project));
  }

  static PlanNode Scan(const std::vector<Expression>& expressions, FilterPlan filter) {
    return Project(expressions, {Over("DOC_ID_SET", ToNode(std::move(filter)))});
  }

  PlanNode ExplainSelection() {
    std::vector<Expression> sorted;
    for (const plan::SortItem& item : stage_.order_by) AddOnce(item.expression, sorted);
    std::vector<Expression> all = sorted;
    for (const Expression& expression : stage_.select) AddOnce(expression, all);
    if (stage_.limit == 0) return Over("SELECT_EMPTY", Project(all, {}));
    const std::string list = "(selectList:" + Joined(Printed(all)) + ")";
    if (sorted.empty()) return Over("SELECT" + list, Scan(all, filter_));
    const size_t prefix = SortedPrefix();
    if (prefix > 0) return Over(PartialOrder(all, prefix), Scan(all, filter_));
    // Other columns are read later, of the rows that are left.
    return Over("SELECT_ORDERBY" + list, Scan(sorted, filter_));
  }

  std::string PartialOrder(const std::vector<Expression>& all, size_t prefix) const {
    const std::span<const Expression> items(all);
    const size_t order_by = stage_.order_by.size();
    return fmt::format(
        "SELECT_PARTIAL_ORDER_BY_{}(sortedList: ({}), unsortedList: ({}), rest: ({}))",
        stage_.order_by[0].ascending ? "LINEAR" : "DESC", Joined(Printed(items.first(prefix))),
        Joined(Printed(items.subspan(prefix, order_by - prefix))),
        Joined(Printed(items.subspan(order_by))));
  }

  // How many ORDER BY items the segment's own order serves: sorted columns, all in the first one's
  // direction.
  size_t SortedPrefix() {
    size_t prefix = 0;
    for (const plan::SortItem& item : stage_.order_by) {
      if (!item.expression.is_column() || item.ascending != stage_.order_by[0].ascending) break;
      const segment::Column* column = Find(item.expression.name);
      if (!column || !column->metadata().sorted) break;
      if (stage_.null_handling && column->null_documents()) break;
      ++prefix;
    }
    return prefix;
  }

  PlanNode ExplainDistinct() {
    const bool alone = stage_.keys.size() == 1 && stage_.keys[0].is_column() &&
                       stage_.filter.kind == plan::Filter::Kind::kTrue;
    if (alone) {
      const segment::Column* column = Find(stage_.keys[0].name);
      if (column && column->dictionary() && !(stage_.null_handling && column->null_documents()))
        return {"DISTINCT_DICTIONARY", {}};
    }
    return Over("DISTINCT(keyColumns:" + Joined(Printed(stage_.keys)) + ")",
                Scan(stage_.keys, filter_));
  }

  Result<PlanNode> ExplainAggregation() {
    const bool grouped = stage_.shape == plan::QueryShape::kGroupBy;
    std::string inside = grouped ? "groupKeys:" + Joined(Printed(stage_.keys)) + ", " : "";
    std::vector<std::string> calls;
    for (const plan::AggregateCall& call : stage_.aggregates) calls.push_back(PrintCall(call));
    inside = "(" + inside + "aggregations:" + Joined(calls) + ")";
    const std::string name = grouped ? "GROUP_BY" : "AGGREGATE";
    const bool filtered = std::any_of(stage_.aggregates.begin(), stage_.aggregates.end(),
                                      [](const auto& call) { return call.filter.has_value(); });
    if (filtered) return ExplainFiltered(name + "_FILTERED" + inside);
    if (!grouped && stage_.limit == 0) return PlanNode{"AGGREGATE_EMPTY", {}};
    if (!grouped && !stage_.null_handling) {
      if (filter_.kind == FilterPlan::Kind::kMatchAll && NeedsNoScan())
        return PlanNode{"AGGREGATE_NO_SCAN", {}};
      if (calls.size() == 1 && calls[0] == "count(*)" && filter_.counts_fast)
        return Over("FAST_FILTERED_COUNT", ToNode(filter_));
    }
    return Over(name + inside, Scan(Inputs(nullptr, false), filter_));
  }

  // What the aggregations with this FILTER (null: without one) read, and the keys; all aggregations
  // unless `filtered`.
  std::vector<Expression> Inputs(const plan::Filter* filter, bool filtered) const {
    std::vector<Expression> inputs = stage_.keys;
    for (const plan::AggregateCall& call : stage_.aggregates) {
      const bool same = filter ? call.filter && *call.filter == *filter : !call.filter;
      if (filtered && !same) continue;
      for (const Expression& argument : call.arguments) AddOnce(argument, inputs);
    }
    return inputs;
  }

  // One tree of columns for each different FILTER, the aggregations without one last.
  Result<PlanNode> ExplainFiltered(std::string text) {
    PlanNode made{std::move(text), {}};
    if (filter_.kind == FilterPlan::Kind::kEmpty) {
      made.children.push_back(Scan(Inputs(nullptr, false), filter_));
      return made;
    }
    std::vector<const plan::Filter*> seen;
    bool rest = false;
    for (const plan::AggregateCall& call : stage_.aggregates) {
      rest |= !call.filter;
      if (!call.filter || std::any_of(seen.begin(), seen.end(),
                                      [&](const auto* f) { return *f == *call.filter; })) {
        continue;
      }
      seen.push_back(&*call.filter);
      TRELLIS_ASSIGN_OR_RETURN(FilterPlan own, ExplainFilter(*call.filter, source_));
      if (filter_.kind == FilterPlan::Kind::kOther && own.kind == FilterPlan::Kind::kOther) {
        FilterPlan both;
        both.text = "FILTER_COMBINED";
        both.children = {filter_, std::move(own)};
        own = std::move(both);
      } else if (own.kind == FilterPlan::Kind::kMatchAll) {
        own = filter_;
      }
      made.children.push_back(Scan(Inputs(&*call.filter, true), std::move(own)));
    }
    if (rest) made.children.push_back(Scan(Inputs(nullptr, true), filter_));
    return made;
  }

  // Counts, extremes and distinct values that metadata and dictionaries tell.
  bool NeedsNoScan() {
    constexpr std::array<std::string_view, 3> kExtremes{"min", "max", "minmaxrange"};
    return std::all_of(
        stage_.aggregates.begin(), stage_.aggregates.end(), [&](const plan::AggregateCall& call) {
          if (call.function == "count") return true;
          if (call.arguments.size() != 1 || !call.arguments[0].is_column()) return false;
          const segment::Column* column = Find(call.arguments[0].name);
          if (!column) return false;
          const bool extreme =
              std::find(kExtremes.begin(), kExtremes.end(), call.function) != kExtremes.end();
          const bool distinct =
              call.function.starts_with("distinct") && call.function != "distinctcountbitmap";
          if (column->dictionary()) return extreme || distinct;
          return extreme && column->metadata().min_value && column->metadata().max_value;
        });
  }

  // Null for virtual columns and those the segment predates.
  const segment::Column* Find(const std::string& name) {
    if (FindVirtualColumn(name)) return nullptr;
    const auto open = source_.Open(name);
    return open.ok() ? (*open)->column.get() : nullptr;
  }

  const plan::LeafStage& stage_;
  SegmentSource source_;
  FilterPlan filter_;
};

void Flatten(PlanNode node, int32_t parent_id, int32_t& next_id, std::vector<PlanRow>& rows) {
  const int32_t id = next_id++;
  rows.push_back({std::move(node.text), id, parent_id});
  for (PlanNode& child : node.children) Flatten(std::move(child), id, next_id, rows);
}

// Java's hash of a string, spread as its HashMap spreads it. Names outside ASCII are hashed by
// byte: only their place in the order differs.
uint32_t SpreadHash(std::string_view text) {
  uint32_t hash = 0;
  for (const char c : text) hash = hash * 31 + static_cast<uint8_t>(c);
  return hash ^ (hash >> 16);
}

void OrderByBucket(size_t buckets, std::vector<std::string>& names) {
  const auto mask = static_cast<uint32_t>(buckets - 1);
  std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return (SpreadHash(a) & mask) < (SpreadHash(b) & mask);
  });
}

}  // namespace

std::vector<std::string> ProjectionOrder(std::vector<std::string> names) {
  const size_t count = names.size();
  // A HashSet starts with 16 buckets and doubles beyond three quarters of them.
  size_t buckets = 16;
  while (count > buckets / 4 * 3) buckets *= 2;
  OrderByBucket(buckets, names);
  OrderByBucket(std::bit_ceil(count * 4 / 3 + 1), names);
  return names;
}

Result<std::vector<PlanRow>> ExplainSegment(const LeafQuery& query,
                                            const segment::Segment& segment) {
  TRELLIS_ASSIGN_OR_RETURN(PlanNode root, SegmentExplainer(query, segment).Explain());
  constexpr int32_t kCombineId = 2;
  std::vector<PlanRow> rows;
  int32_t next_id = kCombineId + 1;
  Flatten(std::move(root), kCombineId, next_id, rows);
  return rows;
}

}  // namespace trellis::server
