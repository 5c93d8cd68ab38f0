#include "common/verify/verify_segment.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::verify {
namespace {

using segment::ScratchFolder;
using segment::TinySegment;

TEST_CASE("a whole segment has no faults in either layout") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path() / "a");
  TinySegment().WriteV1(folder.path() / "b");
  for (const char* name : {"a", "b"}) {
    const auto faults = VerifySegment(folder.path() / name);
    REQUIRE(faults.ok());
    for (const Fault& fault : *faults) FAIL(FaultText(fault));
    CHECK(FaultsAsStatus(*faults).ok());
  }
}

TEST_CASE("each column that cannot be read is a fault of its own") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Metadata("column.i.cardinality = 3\ncolumn.s.lengthOfEachEntry = 4\n");
  segment.WriteV3(folder.path());
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  REQUIRE(faults->size() >= 2);
  CHECK(faults->front().segment == "tiny");
  CHECK(faults->front().column == "i");
  CHECK(faults->back().column == "s");
  const Status status = FaultsAsStatus(*faults);
  CHECK(status.IsCorrupt());
  CHECK(status.message().find("faults, the first: fault: segment tiny, column i") !=
        std::string::npos);
}

TEST_CASE("a file cut short is a fault and no segment at all is an error") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::filesystem::resize_file(folder.path() / "v3" / "columns.psf", 20);
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  CHECK(!faults->empty());
  CHECK(VerifySegment(folder.path() / "nothing").status().code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace trellis::verify
