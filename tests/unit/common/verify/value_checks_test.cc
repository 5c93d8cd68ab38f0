#include "common/verify/value_checks.h"

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

TEST_CASE("bounds of a dictionary are its ends, those of raw values may be wider") {
  OpenedTiny tiny{
      segment::TinySegment().Metadata("column.i.minValue = 7\ncolumn.i.maxValue = 10\n")};
  const ColumnView view = tiny.Column("i");
  CheckBounds(view, Value::Int(7), Value::Int(10), true);
  tiny.None();
  CheckBounds(view, Value::Int(7), Value::Int(9), true);
  tiny.One("i", "metadata", "expected maxValue 9, found 10");
  CheckBounds(view, Value::Int(7), Value::Int(9), false);
  tiny.One("i", "metadata", "expected maxValue 9, found 10", true);
  CheckBounds(view, Value::Int(6), Value::Int(10), false);
  tiny.One("i", "metadata", "expected minValue 6, found 7");
}

TEST_CASE("text that was cut to be a bound is a note") {
  OpenedTiny tiny{segment::TinySegment().Metadata("column.s.maxValue = xy\n")};
  CheckBounds(tiny.Column("s"), Value::String("a\"b"), Value::String("xyz"), true);
  tiny.One("s", "metadata", "expected maxValue 'xyz', found 'xy'", true);
}

TEST_CASE("the range of raw values and their order are seen over batches") {
  ValueRange range;
  ColumnVector vector(DataType::kString);
  for (const char* text : {"b", "c"}) vector.Append(Value::String(text));
  range.Take({0, 2, {}, {}, &vector});
  CHECK(range.ascends());
  vector.Reset({DataType::kString, false});
  vector.Append(Value::String("a"));
  range.Take({2, 1, {}, {}, &vector});
  CHECK_FALSE(range.ascends());
  CHECK(range.smallest() == Value::String("a"));
  CHECK(range.largest() == Value::String("c"));
}

TEST_CASE("rows flagged null hold the default value") {
  OpenedTiny tiny{segment::TinySegment()};
  const ColumnView view = tiny.Column("i");
  const auto column = tiny.view().segment().OpenColumn("i").value();
  Planted planted;
  const std::string bytes = RoaringOf({0, 2});
  auto nulls = NullRows::Open(View(bytes), view, column->dictionary(), planted.log);
  REQUIRE(nulls);
  const std::vector<uint32_t> ids = {1, 0, 0};
  nulls->Take({0, 3, {}, ids, nullptr});
  planted.One(std::nullopt, "expected the default value in row 0, which is null, found another");
  const std::vector<uint32_t> offsets = {0, 1, 1, 2}, two = {0, 0};
  nulls->Take({0, 3, offsets, two, nullptr});
  planted.None();
  const std::vector<uint32_t> longer = {0, 2, 2, 3}, three = {0, 0, 0};
  nulls->Take({0, 3, longer, three, nullptr});
  planted.One(std::nullopt, "row 0, which is null, found 2 values");
  CHECK_FALSE(NullRows::Open(View(RoaringOf({3})), view, column->dictionary(), planted.log));
  planted.One(0, "a bitmap of rows below 3");
}

TEST_CASE("what lies under a null may be anything where no default is known") {
  segment::TinySegment with_time;
  with_time.Metadata("segment.time.column.name = i\n");
  for (const char* column_name : {"s", "i"}) {
    CAPTURE(column_name);
    OpenedTiny tiny{with_time};
    const ColumnView view = tiny.Column(column_name);
    const auto column = tiny.view().segment().OpenColumn(column_name).value();
    Planted planted;
    auto nulls =
        NullRows::Open(View(RoaringOf({0, 1, 2})), view, column->dictionary(), planted.log);
    REQUIRE(nulls);
    const std::vector<uint32_t> ids = {1, 0, 0};
    nulls->Take({0, 3, {}, ids, nullptr});
    planted.None();
  }
}

TEST_CASE("a bloom filter that does not know a value is at fault") {
  // One hash function, 64 bits, none set.
  Planted planted;
  OpenedTiny tiny{segment::TinySegment()};
  const auto column = tiny.view().segment().OpenColumn("i").value();
  const std::string none = Ints({1, 1}) + "\x01\x01" + Be(1) + Be(uint64_t{0});
  BloomRows rows(index::BloomFilter::Open(View(none)).value(), planted.log);
  rows.TakeDictionary(*column->dictionary());
  CHECK(planted.list.fault_count() == 2);
  CHECK(planted.list.Take().at(0).found == "dictId 0, 7, is not");
  ColumnVector vector(DataType::kInt);
  vector.Append(Value::Int(5));
  rows.Take({0, 1, {}, {}, &vector});
  planted.One(std::nullopt, "expected every value to be known, found 5 is not");
}

TEST_CASE("every row of a sparse remainder is a JSON object or empty") {
  Planted planted;
  SparseRows rows(nullptr, planted.log);
  const auto take = [&](const std::string& text) {
    ColumnVector vector(DataType::kString);
    vector.Append(Value::String(text));
    rows.Take({7, 1, {}, {}, &vector});
  };
  take("");
  take("{}");
  take(R"({"a b":[1,{"c":null}],"\u0065":"x"})");
  planted.None();
  for (const char* bad :
       {"x", "[1]", "\"text\"", "{", R"({"a":1} x)", R"({"a" 1})", R"({"a":"x})"}) {
    CAPTURE(bad);
    take(bad);
    planted.One(std::nullopt, "a JSON object in row 7");
  }
  take(R"({"\ud":1})");
  planted.One(std::nullopt, "the broken key");
  take(R"({"a":nope})");
  planted.OneNote(std::nullopt, "no JSON: nope");
}

}  // namespace
}  // namespace trellis::verify
