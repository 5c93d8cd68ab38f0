#include "server/operators/explain.h"

#include <catch2/catch.hpp>

#include "server/operators/lane.h"
#include "tests/unit/common/index/range_index_bytes.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;

const Expression kI = Expression::Column("i", {DataType::kInt, false});
const Expression kS = Expression::Column("s", {DataType::kString, false});

Filter Equal(const Expression& subject, Value value) {
  Predicate predicate;
  predicate.subject = subject;
  predicate.values = {std::move(value)};
  return Filter::Of(std::move(predicate));
}

Filter Above(const Expression& subject, Value value) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kRange;
  predicate.subject = subject;
  predicate.lower = std::move(value);
  return Filter::Of(std::move(predicate));
}

Filter NullTest(Predicate::Kind kind, const Expression& subject) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = subject;
  return Filter::Of(std::move(predicate));
}

// The three documents of TinySegment: `i` in a dictionary {7, 9} with a null, `s` sorted.
class Explained {
 public:
  explicit Explained(const segment::TinySegment& tiny = {}) {
    tiny.WriteV3(folder_.path());
    auto opened = segment::Segment::Open(folder_.path());
    INFO(opened.status().message());
    REQUIRE(opened.ok());
    segment_ = *opened;
  }
  const segment::Segment& segment() const { return *segment_; }

  std::shared_ptr<LeafQuery> Query(plan::LeafStage stage) const {
    stage.table = "t_OFFLINE";
    stage.explain = true;
    // The table has a MAP column that this segment predates.
    std::vector<FieldSpec> fields = segment::DeriveSchema("t", segment_->metadata()).fields();
    FieldSpec map;
    map.name = "m";
    map.type = DataType::kMap;
    map.default_null = DefaultNullValue(DataType::kMap, false);
    fields.push_back(map);
    auto schema = std::make_shared<const Schema>("t", std::move(fields));
    auto query = LeafQuery::Create(std::move(stage), std::move(schema), 100);
    REQUIRE(query.ok());
    return *query;
  }
  // A line a row: parent's id, ">", id, text.
  std::vector<std::string> Of(plan::LeafStage stage) const {
    const auto rows = ExplainSegment(*Query(std::move(stage)), *segment_);
    INFO(rows.status().message());
    REQUIRE(rows.ok());
    std::vector<std::string> lines;
    for (const PlanRow& row : *rows)
      lines.push_back(fmt::format("{}>{} {}", row.parent_id, row.id, row.text));
    return lines;
  }
  // The filter's lines below SELECT, PROJECT and DOC_ID_SET.
  std::vector<std::string> OfFilter(Filter filter) const {
    plan::LeafStage stage;
    stage.select = {kI};
    stage.filter = std::move(filter);
    std::vector<std::string> lines = Of(std::move(stage));
    REQUIRE(lines.size() > 3);
    lines.erase(lines.begin(), lines.begin() + 3);
    return lines;
  }

 private:
  segment::ScratchFolder folder_;
  std::shared_ptr<segment::Segment> segment_;
};

plan::LeafStage Stage(plan::QueryShape shape) {
  plan::LeafStage stage;
  stage.shape = shape;
  return stage;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a selection reads its columns of the documents its filter finds") {
  plan::LeafStage stage = Stage(plan::QueryShape::kSelection);
  stage.select = {kI, kS};
  stage.filter = Equal(kI, Value::Int(7));
  CHECK(Explained().Of(stage) == Lines{"2>3 SELECT(selectList:i, s)", "3>4 PROJECT(i, s)",
                                       "4>5 DOC_ID_SET",
                                       "5>6 FILTER_FULL_SCAN(operator:EQ,predicate:i = '7')"});
  stage.select = {Expression::Function("plus", {DataType::kDouble, false},
                                       {kI, Expression::Literal(Value::Int(1))}),
                  kI};
  stage.filter = Filter::True();
  CHECK(Explained().Of(stage) ==
        Lines{"2>3 SELECT(selectList:plus(i,'1'), i)", "3>4 TRANSFORM(i, plus(i,'1'))",
              "4>5 PROJECT(i)", "5>6 DOC_ID_SET", "6>7 FILTER_MATCH_ENTIRE_SEGMENT(docs:3)"});
  stage.limit = 0;
  CHECK(Explained().Of(stage) ==
        Lines{"2>3 SELECT_EMPTY", "3>4 TRANSFORM(i, plus(i,'1'))", "4>5 PROJECT(i)"});
}

TEST_CASE("ORDER BY reads other columns late unless the segment is sorted that way") {
  plan::LeafStage stage = Stage(plan::QueryShape::kSelection);
  stage.select = {kS};
  stage.order_by = {{kI, true, false}};
  CHECK(Explained().Of(stage) == Lines{"2>3 SELECT_ORDERBY(selectList:i, s)", "3>4 PROJECT(i)",
                                       "4>5 DOC_ID_SET",
                                       "5>6 FILTER_MATCH_ENTIRE_SEGMENT(docs:3)"});
  stage.select = {kI};
  stage.order_by = {{kS, true, false}};
  CHECK(Explained().Of(stage)[0] ==
        "2>3 SELECT_PARTIAL_ORDER_BY_LINEAR(sortedList: (s), unsortedList: (), rest: (i))");
  stage.order_by = {{kS, false, true}, {kI, true, false}};
  CHECK(Explained().Of(stage)[0] ==
        "2>3 SELECT_PARTIAL_ORDER_BY_DESC(sortedList: (s), unsortedList: (i), rest: ())");
}

TEST_CASE("aggregations scan only what metadata and dictionaries do not tell") {
  const Explained tiny;
  plan::LeafStage stage = Stage(plan::QueryShape::kAggregate);
  stage.aggregates = {{"count", {}, {}, {}}, {"max", {kI}, {}, {}}};
  CHECK(tiny.Of(stage) == Lines{"2>3 AGGREGATE_NO_SCAN"});
  stage.null_handling = true;
  CHECK(tiny.Of(stage)[0] == "2>3 AGGREGATE(aggregations:count(*), max(i))");
  stage.null_handling = false;
  stage.aggregates = {{"sum", {kI}, {}, {}}};
  CHECK(tiny.Of(stage)[0] == "2>3 AGGREGATE(aggregations:sum(i))");
  stage.aggregates = {{"count", {}, {}, {}}};
  stage.filter = Equal(kS, Value::String("xyz"));
  CHECK(tiny.Of(stage) ==
        Lines{"2>3 FAST_FILTERED_COUNT",
              "3>4 FILTER_SORTED_INDEX(indexLookUp:sorted_index,operator:EQ,predicate:s = 'xyz')"});
  stage.filter = Equal(kI, Value::Int(7));
  CHECK(tiny.Of(stage)[0] == "2>3 AGGREGATE(aggregations:count(*))");
  CHECK(tiny.Of(stage)[1] == "3>4 PROJECT()");
}

TEST_CASE("each FILTER of an aggregation has its own tree, the calls without one the last") {
  plan::LeafStage stage = Stage(plan::QueryShape::kGroupBy);
  stage.keys = {kS};
  stage.aggregates = {{"count", {}, {}, {}},
                      {"sum", {kI}, {}, Equal(kI, Value::Int(9))},
                      {"distinctavg", {kI}, {}, Equal(kI, Value::Int(9))}};
  CHECK(Explained().Of(stage) ==
        Lines{"2>3 GROUP_BY_FILTERED(groupKeys:s, aggregations:count(*), sum(i), distinctAvg(i))",
              "3>4 PROJECT(i, s)", "4>5 DOC_ID_SET",
              "5>6 FILTER_FULL_SCAN(operator:EQ,predicate:i = '9')", "3>7 PROJECT(s)",
              "7>8 DOC_ID_SET", "8>9 FILTER_MATCH_ENTIRE_SEGMENT(docs:3)"});
}

TEST_CASE("DISTINCT of one column is the dictionary's where no document is filtered out") {
  plan::LeafStage stage = Stage(plan::QueryShape::kDistinct);
  stage.keys = {kI};
  CHECK(Explained().Of(stage) == Lines{"2>3 DISTINCT_DICTIONARY"});
  stage.null_handling = true;
  CHECK(Explained().Of(stage)[0] == "2>3 DISTINCT(keyColumns:i)");
  stage.null_handling = false;
  stage.filter = Equal(kI, Value::Int(7));
  CHECK(Explained().Of(stage)[0] == "2>3 DISTINCT(keyColumns:i)");
}

TEST_CASE("an AND asks indexes before scans, an OR keeps the order written") {
  const Filter scan = Equal(kI, Value::Int(7));
  const Filter sorted = Equal(kS, Value::String("xyz"));
  const std::string scan_text = " FILTER_FULL_SCAN(operator:EQ,predicate:i = '7')";
  const std::string sorted_text =
      " FILTER_SORTED_INDEX(indexLookUp:sorted_index,operator:EQ,predicate:s = 'xyz')";
  const Explained tiny;
  CHECK(tiny.OfFilter(Filter::And({scan, sorted})) ==
        Lines{"5>6 FILTER_AND", "6>7" + sorted_text, "6>8" + scan_text});
  CHECK(tiny.OfFilter(Filter::Or({scan, Filter::Not(sorted)})) ==
        Lines{"5>6 FILTER_OR", "6>7" + scan_text, "6>8 FILTER_NOT", "8>9" + sorted_text});
}

TEST_CASE("what a dictionary or the nulls decide is no predicate any more") {
  const Explained tiny;
  const Filter absent = Equal(kI, Value::Int(8));
  const Filter scan = Equal(kI, Value::Int(7));
  CHECK(tiny.OfFilter(absent) == Lines{"5>6 FILTER_EMPTY"});
  CHECK(tiny.OfFilter(Filter::Not(absent)) == Lines{"5>6 FILTER_MATCH_ENTIRE_SEGMENT(docs:3)"});
  CHECK(tiny.OfFilter(Filter::And({absent, scan})) == Lines{"5>6 FILTER_EMPTY"});
  CHECK(tiny.OfFilter(Filter::Or({absent, scan})) ==
        Lines{"5>6 FILTER_FULL_SCAN(operator:EQ,predicate:i = '7')"});
  CHECK(tiny.OfFilter(NullTest(Predicate::Kind::kIsNull, kI)) == Lines{"5>6 FILTER_BITMAP"});
  CHECK(tiny.OfFilter(NullTest(Predicate::Kind::kIsNull, kS)) == Lines{"5>6 FILTER_EMPTY"});
}

TEST_CASE("a range index serves ranges, and equality only if it is bit-sliced") {
  segment::TinySegment indexed;
  indexed.Buffer("i", "range_index") =
      index::BucketedBytes<int32_t>("INT", {0, 1}, {{1}, {0}, {0}});
  const std::string range =
      "5>6 FILTER_RANGE_INDEX(indexLookUp:range_index,operator:RANGE,predicate:i > '7')";
  CHECK(Explained(indexed).OfFilter(Above(kI, Value::Int(7))) == Lines{range});
  CHECK(Explained(indexed).OfFilter(Equal(kI, Value::Int(7))) ==
        Lines{"5>6 FILTER_FULL_SCAN(operator:EQ,predicate:i = '7')"});
  indexed.Buffer("i", "range_index") = index::BitSlicedBytes({1, 0, 0});
  CHECK(Explained(indexed).OfFilter(Equal(kI, Value::Int(7))) ==
        Lines{"5>6 FILTER_RANGE_INDEX(indexLookUp:range_index,operator:EQ,predicate:i = '7')"});
  indexed.Buffer("i", "range_index") = segment::BigEndian<int32_t>(9);  // unknown: not used
  CHECK(Explained(indexed).OfFilter(Equal(kI, Value::Int(7))) ==
        Lines{"5>6 FILTER_FULL_SCAN(operator:EQ,predicate:i = '7')"});
}

TEST_CASE("expressions and MAP keys are filtered by value") {
  const Explained tiny;
  const Expression lower = Expression::Function("lower", {DataType::kString, false}, {kS});
  CHECK(tiny.OfFilter(Equal(lower, Value::String("a"))) ==
        Lines{"5>6 FILTER_EXPRESSION(operator:EQ,predicate:lower(s) = 'a')"});
  const Expression key = Expression::MapKey("m", "k1", {DataType::kString, false});
  CHECK(tiny.OfFilter(Equal(key, Value::String("alpha"))) ==
        Lines{"5>6 FILTER_MAP(column:m,key:k1,indexLookUp:map_index,operator:EQ,predicate:"
              "item(m,'k1') = 'alpha',delegateTo:expression_filter)"});
}

TEST_CASE("projected columns come in the order of Java's hash tables") {
  CHECK(ProjectionOrder({"runs", "playerName"}) == Lines{"playerName", "runs"});
  CHECK(ProjectionOrder({"a", "d"}) == Lines{"d", "a"});
  CHECK(ProjectionOrder({}).empty());
}

TEST_CASE("the lane counts the segments of each plan and scans nothing") {
  const Explained one;
  const Explained two;
  plan::LeafStage stage = Stage(plan::QueryShape::kSelection);
  stage.select = {kI};
  const auto query = one.Query(stage);
  auto a = Lane::Create(query);
  auto b = Lane::Create(query);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  REQUIRE((*a)->Process(one.segment()).ok());
  REQUIRE((*b)->Process(two.segment()).ok());
  REQUIRE((*a)->Absorb(**b).ok());
  const auto block = (*a)->Finish();
  REQUIRE(block.ok());
  REQUIRE(block->rows == 1);
  CHECK(block->columns[0].Get(0) == Value::Long(2));
  CHECK(block->columns[1].Get(0).elements().size() == 4);
  CHECK((*a)->statistics().documents_scanned == 0);
  CHECK((*a)->statistics().segments_processed == 0);
}

}  // namespace trellis::server
