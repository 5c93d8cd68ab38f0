#include "common/verify/column_view.h"

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

TEST_CASE("a log knows where a buffer lies in its file") {
  OpenedTiny tiny{segment::TinySegment()};
  tiny.Column("i").Log("forward_index").Fault(3, "a", "b");
  // Behind the first marker, the dictionary of 8 bytes and the second marker.
  const Fault fault = tiny.One("i", "forward_index", "found b");
  CHECK(fault.offset == 8 + 8 + 8 + 3);
  CHECK(fault.file == "v3/columns.psf");
  tiny.Column("s").MetadataLog().Note(std::nullopt, "a", "b");
  CHECK(tiny.One("s", "metadata", "b", true).file == "v3/metadata.properties");
}

TEST_CASE("keys of a column are read as written") {
  OpenedTiny tiny{segment::TinySegment().Metadata(
      "column.i.maxNumberOfMultiValues = 3\ncolumn.i.isNonNull = true\n")};
  const ColumnView view = tiny.Column("i");
  CHECK(view.Number("maxNumberOfMultiValues") == 3);
  CHECK(view.IsTrue("isNonNull"));
  CHECK_FALSE(view.Key("nothing"));
  CHECK_FALSE(view.Number("dataType"));
  CHECK(view.Has("dictionary"));
  CHECK_FALSE(view.Has("range_index"));
}

TEST_CASE("a buffer that cannot be had is a fault") {
  OpenedTiny tiny{segment::TinySegment()};
  CHECK(tiny.Column("i").Buffer("dictionary")->size() == 8);
  tiny.None();
  CHECK_FALSE(tiny.Column("i").Buffer("range_index"));
  tiny.One("i", "range_index", "bytes that can be read");
}

}  // namespace
}  // namespace trellis::verify
