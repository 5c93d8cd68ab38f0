#include "common/verify/column_check.h"

#include "tests/unit/common/segment/open_struct_segment.h"
#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

using segment::TinySegment;

Fault OneOf(const TinySegment& planted, const std::string& column, const std::string& index,
            const std::string& text, bool note = false) {
  OpenedTiny tiny{planted};
  CheckColumn(tiny.Column(column));
  return tiny.One(column, index, text, note);
}

TEST_CASE("a column with all its indexes has no faults") {
  TinySegment planted;
  planted.Metadata("column.i.minValue = 7\ncolumn.i.maxValue = 9\n");
  planted.Buffer("i", "inverted_index") = InvertedOf({{1, 2}, {0}});
  planted.Buffer("i", "range_index") = Ints({2}) + Be(int64_t{0}) + Le(uint16_t{0xF00D}) +
                                       "\x02\x01" + Le(uint16_t{1}) + Le(uint32_t{3}) + "\x01" +
                                       "\x02" + Le(uint16_t{2}) + Le(uint16_t{1}) + Le(uint16_t{2});
  planted.Buffer("i", "bloom_filter") = Ints({1, 1}) + "\x01\x01" + Be(1) + Be(~uint64_t{0});
  OpenedTiny tiny{planted};
  CheckColumn(tiny.Column("i"));
  CheckColumn(tiny.Column("s"));
  tiny.None();
}

TEST_CASE("a fault is told with its column, its index and its place in the file") {
  TinySegment planted;
  planted.Buffer("i", "dictionary") = Ints({9, 7});
  CHECK(OneOf(planted, "i", "dictionary", "dictId 1 above 9, found 7").offset == 8 + 4);
  planted = TinySegment();
  planted.Buffer("i", "forward_index") = "\x81";
  CHECK(OneOf(planted, "i", "forward_index", "5 bits of 0 behind the last value").offset == 24);
  planted = TinySegment();
  planted.Buffer("i", "nullvalue_vector") = RoaringOf({0});
  OneOf(planted, "i", "nullvalue_vector", "the default value in row 0");
  planted = TinySegment();
  planted.Buffer("s", "forward_index") = Ints({0, 1, 1, 2});
  OneOf(planted, "s", "forward_index", "rows of dictId 1 from 2, below 3, found [1, 2]");
  planted = TinySegment();
  planted.Buffer("i", "inverted_index") = InvertedOf({{0, 2}, {1}});
  OpenedTiny tiny{planted};
  CheckColumn(tiny.Column("i"));
  CHECK(tiny.faults.fault_count() == 4);  // a row too many and one too few, of both
  tiny.faults.Take();
  planted = TinySegment();
  planted.Buffer("i", "json_index") = "short";
  OneOf(planted, "i", "json_index", "a header of 32 bytes");
  planted = TinySegment();
  planted.Buffer("i", "bloom_filter") = Ints({1, 1}) + "\x01\x01" + Be(1) + Be(uint64_t{1});
  OpenedTiny bloom{planted};
  CheckColumn(bloom.Column("i"));
  CHECK(bloom.faults.Take().at(0).index == "bloom_filter");
  planted = TinySegment();
  planted.Buffer("i", "range_index") = Ints({7});
  OneOf(planted, "i", "range_index", "version 1 or 2, found 7");
}

TEST_CASE("a sparse cell of an OPEN_STRUCT that is no JSON object is a fault") {
  TinySegment planted = segment::OpenStructSegment();
  std::string& raw = planted.Buffer("o$__sparse__", "forward_index");
  raw[raw.find('{')] = '[';
  OneOf(planted, "o$__sparse__", "forward_index", "a JSON object in row 1");
}

TEST_CASE("bounds of the metadata are compared with dictionary and rows") {
  OneOf(TinySegment().Metadata("column.i.minValue = 8\n"), "i", "metadata",
        "expected minValue 7, found 8");
  TinySegment raw;
  raw.Metadata("column.i.hasDictionary = false\ncolumn.i.isSorted = true\n");
  raw.Drop("i", "dictionary");
  raw.Buffer("i", "forward_index") =
      Ints({5, 1, 4, 4, 3, 0, 28}) + Be(int64_t{36}) + Ints({9, 7, 7});
  OneOf(raw, "i", "metadata", "isSorted false", true);
  raw.Metadata("column.i.isSorted = false\ncolumn.i.maxValue = 8\n");
  OneOf(raw, "i", "metadata", "expected maxValue 9, found 8");
}

TEST_CASE("without a forward index the bitmaps are checked by themselves") {
  TinySegment planted;
  planted.Drop("i", "forward_index");
  planted.Buffer("i", "inverted_index") = InvertedOf({{1, 2}, {0}});
  OneOf(planted, "i", "metadata", "none: it is disabled", true);
  planted.Buffer("i", "inverted_index") = InvertedOf({{1, 3}, {0}});
  OpenedTiny tiny{planted};
  CheckColumn(tiny.Column("i"));
  const auto faults = tiny.faults.Take();
  REQUIRE(faults.size() == 2);
  CHECK(faults[1].index == "inverted_index");
  planted.Buffer("i", "inverted_index") = InvertedOf({{1, 2}, {0}});
  planted.Buffer("i", "nullvalue_vector") = RoaringOf({3});
  OpenedTiny nulls{planted};
  CheckColumn(nulls.Column("i"));
  CHECK(nulls.faults.Take().at(1).index == "nullvalue_vector");
}

}  // namespace
}  // namespace trellis::verify
