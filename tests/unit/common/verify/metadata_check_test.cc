#include "common/verify/metadata_check.h"

#include "common/verify/verify_segment.h"
#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

using segment::TinySegment;

TEST_CASE("buffers go with what the metadata say of a column") {
  OpenedTiny whole{TinySegment()};
  CHECK(CheckPresence(whole.Column("i")));
  whole.None();
  OpenedTiny non_null{TinySegment().Metadata("column.i.isNonNull = true\n")};
  CHECK(CheckPresence(non_null.Column("i")));
  non_null.One("i", "metadata", "no null vector: isNonNull is true");
  TinySegment tiny;
  tiny.Drop("i", "dictionary");
  OpenedTiny missing{tiny};
  CHECK_FALSE(CheckPresence(missing.Column("i")));
  missing.One("i", "metadata", "a dictionary: hasDictionary is true, found none");
  tiny = TinySegment();
  tiny.Drop("i", "forward_index");
  OpenedTiny disabled{tiny};
  CheckPresence(disabled.Column("i"));
  disabled.One("i", "metadata",
               "expected a forward index, found none, and no dictionary and inverted index to "
               "rebuild it from",
               false);
}

TEST_CASE("counts of the metadata are those of the rows") {
  OpenedTiny tiny{TinySegment().Metadata(
      "column.i.isSingleValues = false\ncolumn.i.bitsPerElement = 2\n"
      "column.i.totalNumberOfEntries = 5\ncolumn.i.maxNumberOfMultiValues = 2\n")};
  CheckCounts(tiny.Column("i"), 5, 2);
  tiny.One("i", "metadata", "expected bitsPerElement 1, found 2");
  OpenedTiny good{
      TinySegment().Metadata("column.i.isSingleValues = false\ncolumn.i.totalNumberOfEntries = 5\n"
                             "column.i.maxNumberOfMultiValues = 2\n")};
  CheckCounts(good.Column("i"), 5, 2);
  good.None();
  CheckCounts(good.Column("i"), 6, 2);
  good.One("i", "metadata", "expected totalNumberOfEntries 6, found 5");
  CheckCounts(good.Column("i"), 5, 3);
  good.One("i", "metadata", "expected maxNumberOfMultiValues 3, found 2");
  CheckCounts(good.Column("i"), 5, 1);
  good.One("i", "metadata", "expected maxNumberOfMultiValues 1, found 2", true);
}

TEST_CASE("entries that no row uses are a note") {
  OpenedTiny tiny{TinySegment()};
  CheckUse(tiny.Column("i"), {{true, false, false}, 3, 1});
  tiny.One("i", "dictionary", "2 that none does, the first dictId 1", true);
}

TEST_CASE("a file of layout V1 is named by its encoding, and there is one") {
  const segment::ScratchFolder folder;
  TinySegment().WriteV1(folder.path());
  std::filesystem::rename(folder.path() / "i.sv.unsorted.fwd", folder.path() / "i.mv.fwd");
  auto faults = VerifySegment(folder.path()).value();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].column == "i");
  CHECK(faults[0].expected == "a file named i.sv.unsorted.fwd");
  CHECK(faults[0].found == "i.mv.fwd");
  segment::WriteFile(folder.path() / "i.sv.unsorted.fwd", "\x80");
  faults = VerifySegment(folder.path()).value();
  REQUIRE_FALSE(faults.empty());
  CHECK(faults[0].expected == "one file");
}

}  // namespace
}  // namespace trellis::verify
