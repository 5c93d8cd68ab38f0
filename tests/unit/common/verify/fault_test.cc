#include "common/verify/fault.h"

#include <catch2/catch.hpp>

namespace trellis::verify {
namespace {

TEST_CASE("a fault is one line that names segment, column, index and place") {
  FaultList list("s\n1", 10);
  FaultLog(list, "c", "dictionary", "v3/columns.psf", 100).At(8).Fault(4, "a < b", "b");
  const std::vector<Fault> faults = list.Take();
  REQUIRE(faults.size() == 1);
  CHECK(FaultText(faults[0]) ==
        "fault: segment s\\x0a1, column c, dictionary, offset 112 of v3/columns.psf: expected "
        "a < b, found b");
}

TEST_CASE("a note of a whole segment leaves out what is absent") {
  FaultList list("s", 10);
  FaultLog(list, "", "directory", "").Note(std::nullopt, "", "a file too many");
  CHECK(list.fault_count() == 0);
  const std::vector<Fault> faults = list.Take();
  REQUIRE(faults.size() == 1);
  CHECK(FaultText(faults[0]) == "note: segment s, directory: a file too many");
}

TEST_CASE("past the limit of an index faults are counted, and notes do not crowd them out") {
  FaultList list("s", 2);
  FaultLog log(list, "c", "bloom_filter", "f");
  for (int i = 0; i < 5; ++i) log.Note(i, "", "n");
  for (int i = 0; i < 4; ++i) log.Fault(i, "", "f");
  FaultLog(list, "d", "bloom_filter", "f").Fault(9, "", "f");
  CHECK(list.fault_count() == 5);
  const std::vector<Fault> faults = list.Take();
  REQUIRE(faults.size() == 7);
  CHECK(faults[4].column == "d");
  CHECK(faults[5].found == "2 more faults");
  CHECK(faults[5].count == 2);
  CHECK(faults[6].found == "3 more notes");
  CHECK(faults[6].is_note);
}

}  // namespace
}  // namespace trellis::verify
