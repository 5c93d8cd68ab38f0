#include "cli/segment/segment_verify.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::cli {
namespace {

using segment::ScratchFolder;
using segment::TinySegment;

std::string CreationMeta(uint32_t crc) {
  std::string bytes(16, '\0');
  for (int i = 0; i < 4; ++i) bytes[4 + i] = static_cast<char>(crc >> (24 - 8 * i));
  return bytes;
}

TEST_CASE("a whole segment has no faults") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  CHECK(faults->empty());
}

TEST_CASE("a checksum that is not that of the files is a fault that names both numbers") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::ofstream(folder.path() / "v3" / "creation.meta", std::ios::binary) << CreationMeta(12345);
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  REQUIRE(faults->size() == 1);
  CHECK(faults->front().find("creation.meta says 12345") != std::string::npos);
}

TEST_CASE("each column that cannot be read is a fault of its own") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Metadata("column.i.cardinality = 3\ncolumn.s.lengthOfEachEntry = 4\n");
  segment.WriteV3(folder.path());
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  REQUIRE(faults->size() == 2);
  CHECK(faults->at(0).find("'i'") != std::string::npos);
  CHECK(faults->at(1).find("'s'") != std::string::npos);
}

TEST_CASE("a file cut short is a fault and no segment at all is an error") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::filesystem::resize_file(folder.path() / "v3" / "columns.psf", 20);
  const auto faults = VerifySegment(folder.path());
  REQUIRE(faults.ok());
  CHECK(faults->size() == 1);
  CHECK(VerifySegment(folder.path() / "nothing").status().code() == StatusCode::kNotFound);
}

}  // namespace
}  // namespace trellis::cli
