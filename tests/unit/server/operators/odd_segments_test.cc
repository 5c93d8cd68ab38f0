// Hand-made segments that the example data lacks, asked as queries ask them.
#include <catch2/catch.hpp>

#include "server/operators/document_filter.h"
#include "server/operators/lane.h"
#include "tests/unit/common/segment/open_struct_segment.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;
using Docs = std::vector<uint32_t>;

// A segment from `tiny` and the schema it implies.
struct Opened {
  explicit Opened(const segment::TinySegment& tiny) {
    tiny.WriteV3(folder.path());
    segment = segment::Segment::Open(folder.path()).value();
    schema = segment::DeriveSchema("t", segment->metadata());
  }
  Expression Column(const char* name) const {
    return Expression::Column(name, schema.Find(name)->value_type());
  }
  Expression Key(const char* key) const {
    return Expression::MapKey("o", key, {schema.Find("o")->KeyType(key), false});
  }
  std::vector<Value> Values(const Expression& expression) const {
    SegmentSource source(*segment, schema);
    const Docs docs = {0, 1, 2};
    source.SetDocuments(docs);
    const auto vector = source.MapKey(expression.name, expression.key, expression.type.type);
    REQUIRE(vector.status().message() == "");
    std::vector<Value> values;
    for (size_t row = 0; row < docs.size(); ++row) values.push_back((*vector)->Get(row));
    return values;
  }
  bool IsConstant(const Expression& expression) const {
    SegmentSource source(*segment, schema);
    const Docs docs = {0, 1, 2};
    source.SetDocuments(docs);
    const auto vector = source.MapKey(expression.name, expression.key, expression.type.type);
    REQUIRE(vector.status().message() == "");
    return (*vector)->is_constant();
  }
  Docs Select(const Predicate& predicate, bool null_handling = false) const {
    SegmentSource source(*segment, schema);
    int64_t scanned = 0;
    auto node = CompileFilter(Filter::Of(predicate), source, null_handling, &scanned);
    REQUIRE(node.status().message() == "");
    Docs selected;
    const Status status = ForEachMatch(node->get(), segment->document_count(), 2,
                                       [&](std::span<const uint32_t> docs) -> Result<bool> {
                                         selected.insert(selected.end(), docs.begin(), docs.end());
                                         return true;
                                       });
    REQUIRE(status.message() == "");
    return selected;
  }

  segment::ScratchFolder folder;
  std::shared_ptr<segment::Segment> segment;
  Schema schema;
};

Predicate Test(Predicate::Kind kind, Expression subject, std::vector<Value> values = {}) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.subject = std::move(subject);
  predicate.values = std::move(values);
  return predicate;
}

Predicate AtLeast(Expression subject, Value lower) {
  Predicate predicate = Test(Predicate::Kind::kRange, std::move(subject));
  predicate.lower = std::move(lower);
  predicate.lower_inclusive = true;
  return predicate;
}

TEST_CASE("a key of an OPEN_STRUCT is read dense, sparse or not at all; rows without it are null") {
  const Opened made(segment::OpenStructSegment());
  const Value no_text = Value::Null(DataType::kString);
  CHECK(made.Values(made.Key("n")) ==
        std::vector<Value>{Value::Int(9), Value::Int(7), Value::Null(DataType::kInt)});
  CHECK(made.Values(made.Key("x y")) ==
        std::vector<Value>{no_text, Value::String("[1, 2]"), no_text});
  CHECK(made.Values(made.Key("e")) == std::vector<Value>{no_text, no_text, Value::String("\"q\"")});
  CHECK(made.Values(made.Key("zz")) == std::vector<Value>(3, no_text));
  // As rows: COUNT counts a constant, which is a literal to it, null or not.
  CHECK_FALSE(made.IsConstant(made.Key("zz")));
  CHECK(made.Values(Expression::MapKey("o", "n", {DataType::kString, false})) ==
        std::vector<Value>{Value::String("9"), Value::String("7"), no_text});
}

TEST_CASE("sparse keys of an OPEN_STRUCT that are read together are read as each alone") {
  const Opened made(segment::OpenStructSegment());
  MapKeySet keys;
  for (const char* key : {"x y", "e", "n", "zz"}) keys.Add(made.Key(key));
  keys.Add("o", "e", DataType::kInt);  // cannot be read, which is no matter of the others
  const Docs docs = {0, 2};
  for (const char* key : {"e", "x y", "n", "zz"}) {
    for (const bool with_bad : {false, true}) {
      MapKeySet some;
      for (const MapKeySet::Key& one : keys.KeysOf("o")) {
        if (with_bad || one.type != DataType::kInt || one.key == "n")
          some.Add("o", one.key, one.type);
      }
      SegmentSource together(*made.segment, made.schema);
      together.ReadTogether(&some);
      together.SetDocuments(docs);
      SegmentSource alone(*made.segment, made.schema);
      alone.SetDocuments(docs);
      for (const char* asked : {key, "e", "x y"}) {
        const auto read = together.MapKey("o", asked, made.Key(asked).type.type);
        REQUIRE(read.status().message() == "");
        const ColumnVector* expected = alone.MapKey("o", asked, made.Key(asked).type.type).value();
        for (size_t row = 0; row < docs.size(); ++row)
          CHECK((*read)->Get(row) == expected->Get(row));
      }
    }
  }
}

TEST_CASE("what is wrong with a key of an OPEN_STRUCT names the document") {
  const Opened made(segment::OpenStructSegment());
  SegmentSource source(*made.segment, made.schema);
  const Docs docs = {1, 2};
  source.SetDocuments(docs);
  const Status sparse = source.MapKey("o", "e", DataType::kInt).status();
  CHECK(sparse.pinot_code() == PinotCode::kQueryExecution);
  for (const char* word : {"column 'o'", "key 'e'", "docId 2"})
    CHECK(sparse.message().find(word) != std::string::npos);
  const Status dense = source.MapKey("o", "n", DataType::kBytes).status();
  for (const char* word : {"column 'o'", "key 'n'", "docId 1"})
    CHECK(dense.message().find(word) != std::string::npos);
}

TEST_CASE("keys of an OPEN_STRUCT are filtered by value and by presence") {
  const Opened made(segment::OpenStructSegment());
  using Kind = Predicate::Kind;
  CHECK(made.Select(Test(Kind::kEqual, made.Key("n"), {Value::Int(9)})) == Docs{0});
  CHECK(made.Select(Test(Kind::kNotEqual, made.Key("n"), {Value::Int(9)}), true) == Docs{1});
  CHECK(made.Select(AtLeast(made.Key("n"), Value::Int(7)), true) == Docs{0, 1});
  CHECK(made.Select(Test(Kind::kEqual, made.Key("e"), {Value::String("\"q\"")})) == Docs{2});
  // Without null handling a row without the key holds the type's default.
  CHECK(made.Select(Test(Kind::kEqual, made.Key("e"), {Value::String("null")})) == Docs{0, 1});
  CHECK(made.Select(Test(Kind::kIsNull, made.Key("n"))) == Docs{2});
  CHECK(made.Select(Test(Kind::kIsNotNull, made.Key("n"))) == Docs{0, 1});
  CHECK(made.Select(Test(Kind::kIsNull, made.Key("x y"))) == Docs{0, 2});
  CHECK(made.Select(Test(Kind::kIsNull, made.Key("zz"))) == Docs{0, 1, 2});
}

TEST_CASE("a segment older than its OPEN_STRUCT column has no key of it") {
  Opened made{segment::TinySegment()};
  std::vector<FieldSpec> fields = made.schema.fields();
  FieldSpec parent;
  parent.name = "o";
  parent.type = DataType::kOpenStruct;
  parent.default_null = DefaultNullValue(DataType::kOpenStruct, false);
  parent.struct_keys = {{"n", DataType::kInt}};
  fields.push_back(parent);
  made.schema = Schema("t", fields);
  CHECK(made.Values(made.Key("n")) == std::vector<Value>(3, Value::Null(DataType::kInt)));
  CHECK(made.Select(Test(Predicate::Kind::kIsNull, made.Key("n"))) == Docs{0, 1, 2});
}

TEST_CASE("a predicate on a RAW column with a dictionary reads no dictIds from it") {
  const bool inverted = GENERATE(false, true);
  segment::TinySegment tiny;
  tiny.MakeRaw();
  if (inverted) tiny.Buffer("i", "inverted_index") = segment::InvertedBytes({{1, 2}, {0}});
  const Opened made(tiny);
  using Kind = Predicate::Kind;
  CHECK(made.Select(Test(Kind::kEqual, made.Column("i"), {Value::Int(9)})) == Docs{0});
  CHECK(made.Select(Test(Kind::kNotEqual, made.Column("i"), {Value::Int(9)})) == Docs{1, 2});
  CHECK(made.Select(Test(Kind::kNotEqual, made.Column("i"), {Value::Int(9)}), true) == Docs{1});
  CHECK(made.Select(AtLeast(made.Column("i"), Value::Int(8))) == Docs{0});
  CHECK(made.Select(Test(Kind::kEqual, made.Column("i"), {Value::Int(8)})).empty());
}

TEST_CASE(
    "a column of any type that a segment lacks reads as Pinot's default, in a list if it is MV") {
  const Opened made{segment::TinySegment()};
  for (const DataType type :
       {DataType::kInt, DataType::kLong, DataType::kFloat, DataType::kDouble, DataType::kBigDecimal,
        DataType::kBoolean, DataType::kTimestamp, DataType::kString, DataType::kJson,
        DataType::kBytes, DataType::kUuid, DataType::kMap}) {
    for (const bool multi_value : {false, true}) {
      if (multi_value && type == DataType::kMap) continue;
      FieldSpec field;
      field.name = "later";
      field.type = type;
      field.multi_value = multi_value;
      field.default_null = DefaultNullValue(type, false);
      const Schema schema("t", {field});
      SegmentSource source(*made.segment, schema);
      const Docs docs = {0, 2};
      source.SetDocuments(docs);
      const auto vector = source.Column("later");
      REQUIRE(vector.status().message() == "");
      CHECK((*vector)->size() == 2);
      CHECK((*vector)->Get(1) ==
            (multi_value ? Value::Array(type, {field.default_null}) : field.default_null));
    }
  }
}

TEST_CASE("a segment that stores another type than the schema says is named with both types") {
  const Opened made{segment::TinySegment()};
  std::vector<FieldSpec> fields = made.schema.fields();
  for (FieldSpec& field : fields)
    if (field.name == "i") field.type = DataType::kLong;
  const Schema schema("t", fields);
  SegmentSource source(*made.segment, schema);
  const Docs docs = {0};
  source.SetDocuments(docs);
  CHECK(source.Column("i").status().message() ==
        "segment tiny stores column 'i' as INT, the table's schema says LONG");
  CHECK(source.Column("s").ok());
}

// Four texts that UTF-8 bytes and UTF-16 code units order differently.
segment::TinySegment Utf16Segment() {
  segment::TinySegment tiny;
  for (const char* index : {"dictionary", "forward_index", "nullvalue_vector"})
    tiny.Drop("i", index);
  tiny.Buffer("s", "dictionary") = std::string("\0\0\0\0z\0\0\0\xF0\x9F\x98\x80\xEF\xBC\xA1\0", 16);
  std::string pairs;
  for (const int32_t doc : {0, 1, 2, 3}) pairs += segment::BigEndian(doc) + segment::BigEndian(doc);
  tiny.Buffer("s", "forward_index") = pairs;
  tiny.Metadata(
      "segment.total.docs = 4\nsegment.dimension.column.names = s\ncolumn.s.cardinality = 4\n"
      "column.s.lengthOfEachEntry = 4\n");
  return tiny;
}

TEST_CASE("texts are found and ranged over in the order of UTF-16 code units") {
  const Opened made(Utf16Segment());
  const auto equal = [&](const char* text) {
    return made.Select(Test(Predicate::Kind::kEqual, made.Column("s"), {Value::String(text)}));
  };
  CHECK(equal("\xF0\x9F\x98\x80") == Docs{2});  // U+1F600
  CHECK(equal("\xEF\xBC\xA1") == Docs{3});      // U+FF21
  CHECK(equal("") == Docs{0});
  CHECK(equal("y").empty());
  // U+FF00: above the surrogates of U+1F600, below U+FF21.
  CHECK(made.Select(AtLeast(made.Column("s"), Value::String("\xEF\xBC\x80"))) == Docs{3});
  CHECK(made.Select(AtLeast(made.Column("s"), Value::String("\xF0\x9F\x98\x80"))) == Docs{2, 3});
}

segment::TinySegment EmptySegment() {
  segment::TinySegment tiny;
  for (const char* column : {"i", "s"})
    for (const char* index : {"dictionary", "forward_index", "nullvalue_vector"})
      tiny.Drop(column, index);
  tiny.Metadata("segment.name = none\nsegment.total.docs = 0\n");
  return tiny;
}

Block Run(plan::LeafStage stage, const Schema& schema,
          const std::vector<const segment::Segment*>& segments) {
  stage.table = "t_OFFLINE";
  auto query = LeafQuery::Create(std::move(stage), std::make_shared<const Schema>(schema), 1000);
  REQUIRE(query.status().message() == "");
  auto lane = Lane::Create(*query).value();
  for (const segment::Segment* segment : segments) REQUIRE(lane->Process(*segment).message() == "");
  auto block = lane->Finish();
  REQUIRE(block.status().message() == "");
  return std::move(*block);
}

TEST_CASE("an empty segment beside a full one is as if it were absent") {
  const Opened full{segment::TinySegment()};
  const Opened empty(EmptySegment());
  const std::vector<const segment::Segment*> both = {empty.segment.get(), full.segment.get()};
  const std::vector<const segment::Segment*> none = {empty.segment.get()};

  plan::LeafStage select;
  select.select = {full.Column("i"), full.Column("s")};
  select.limit = 10;
  CHECK(Run(select, full.schema, both).rows == 3);
  CHECK(Run(select, full.schema, none).rows == 0);
  plan::SortItem order;
  order.expression = full.Column("s");
  order.ascending = false;
  select.order_by = {order};
  CHECK(Run(select, full.schema, both).rows == 3);

  plan::LeafStage count;
  count.shape = plan::QueryShape::kAggregate;
  plan::AggregateCall call;
  call.function = "count";
  count.aggregates = {call};
  count.limit = 10;
  CHECK(Run(count, full.schema, both).columns.at(0).Get(0) == Value::Long(3));
  CHECK(Run(count, full.schema, none).columns.at(0).Get(0) == Value::Long(0));
  count.shape = plan::QueryShape::kGroupBy;
  count.keys = {full.Column("s")};
  CHECK(Run(count, full.schema, both).rows == 2);
  CHECK(Run(count, full.schema, none).rows == 0);
}

TEST_CASE("an ORDER BY text is in the order of UTF-16 code units") {
  const Opened made(Utf16Segment());
  plan::LeafStage stage;
  stage.select = {made.Column("s")};
  plan::SortItem order;
  order.expression = made.Column("s");
  order.ascending = false;
  stage.order_by = {order};
  stage.limit = 1;
  const Block block = Run(stage, made.schema, {made.segment.get()});
  REQUIRE(block.rows == 1);
  CHECK(block.columns.at(0).Get(0) == Value::String("\xEF\xBC\xA1"));
}

}  // namespace
}  // namespace trellis::server
