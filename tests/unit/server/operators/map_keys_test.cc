#include "server/operators/map_keys.h"

#include <catch2/catch.hpp>

#include "tests/unit/server/operators/map_segment.h"

namespace trellis::server {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;

Expression Key(const char* column, const char* key, DataType type = DataType::kString) {
  return Expression::MapKey(column, key, {type, false});
}

ColumnVector Frames(const std::vector<std::string>& frames) {
  ColumnVector vector(DataType::kMap);
  for (const std::string& frame : frames)
    vector.values<std::string_view>().push_back(vector.arena().Copy(frame));
  vector.SetSize(frames.size());
  return vector;
}

TEST_CASE("the keys of a MAP are collected out of whatever reads them, each type once") {
  MapKeySet keys;
  keys.Add(Key("m", "a"));
  keys.Add(Expression::Function(
      "concat", {DataType::kString, false},
      {Key("m", "b"), Expression::Function("upper", {DataType::kString, false}, {Key("m", "a")}),
       Key("other", "a")}));
  keys.Add(Key("m", "a", DataType::kInt));
  keys.Add(Expression::Column("m", {DataType::kMap, false}));
  const auto of_m = keys.KeysOf("m");
  CHECK(std::vector<MapKeySet::Key>(of_m.begin(), of_m.end()) ==
        std::vector<MapKeySet::Key>{
            {"a", DataType::kString}, {"b", DataType::kString}, {"a", DataType::kInt}});
  CHECK(keys.KeysOf("other").size() == 1);
  CHECK(keys.KeysOf("another").empty());
  CHECK(keys.columns() == std::vector<std::string_view>{"m", "other"});
  keys.Clear();
  CHECK(keys.KeysOf("m").empty());
}

TEST_CASE("a filter reads the keys of its predicates, but a null test none") {
  Predicate equal;
  equal.subject = Key("m", "a");
  Predicate null;
  null.kind = Predicate::Kind::kIsNull;
  null.subject = Key("m", "b");
  Predicate not_null = null;
  not_null.kind = Predicate::Kind::kIsNotNull;
  MapKeySet keys;
  keys.Add(Filter::And({Filter::Of(null), Filter::Not(Filter::Of(equal)), Filter::Of(not_null)}));
  REQUIRE(keys.KeysOf("m").size() == 1);
  CHECK(keys.KeysOf("m")[0].key == "a");
}

TEST_CASE("an error of a frame names the document, not the row") {
  const std::string good = MapFrame({{"a", "1"}, {"b", "2"}});
  const std::vector<uint32_t> docs = {7, 19, 23};
  ColumnVector a, b;
  const std::vector<column::MapKeyRead> reads = {{"a", DataType::kInt, &a},
                                                 {"b", DataType::kInt, &b}};
  REQUIRE(ReadMapKeys(Frames({good, good, good}), docs, reads).ok());
  CHECK(a.values<int32_t>() == std::vector<int32_t>{1, 1, 1});
  CHECK(b.values<int32_t>() == std::vector<int32_t>{2, 2, 2});

  const std::string half = good.substr(0, good.size() / 2);
  const Status damaged = ReadMapKeys(Frames({good, good, half}), docs, reads);
  CHECK(damaged.IsCorrupt());
  CHECK_THAT(damaged.message(), Catch::Contains("docId 23"));

  const std::string text = MapFrame({{"a", "1"}, {"b", "\"two\""}});
  const Status unreadable = ReadMapKeys(Frames({good, text, good}), docs, reads);
  CHECK(unreadable.pinot_code() == PinotCode::kQueryExecution);
  CHECK_THAT(unreadable.message(), Catch::Contains("docId 19") && Catch::Contains("'b'"));
  CHECK(ReadMapKeys(Frames({}), {}, reads).ok());
}

TEST_CASE("rows are taken as views that live as long as what they are taken from") {
  ColumnVector taken;
  {
    ColumnVector from(DataType::kString);
    for (const char* text : {"zero", "one", "two"})
      from.values<std::string_view>().push_back(from.arena().Copy(text));
    from.SetSize(3);
    from.SetNull(2);
    const std::vector<uint32_t> rows = {0, 2, 2};
    TakeViews(from, rows, taken);
    CHECK(taken.values<std::string_view>()[0].data() == from.values<std::string_view>()[0].data());
  }
  CHECK(taken.Get(0) == Value::String("zero"));
  CHECK(taken.is_null(1));
  CHECK(taken.is_null(2));
  CHECK(taken.size() == 3);

  const ColumnVector constant = ColumnVector::Constant(Value::Int(5), 9);
  const std::vector<uint32_t> rows = {1, 8};
  TakeViews(constant, rows, taken);
  CHECK(taken.values<int32_t>() == std::vector<int32_t>{5, 5});
  CHECK_FALSE(taken.has_nulls());
  TakeViews(constant, {}, taken);
  CHECK(taken.size() == 0);
}

}  // namespace
}  // namespace trellis::server
