#include "common/segment/segment_columns.h"

#include <catch2/catch.hpp>

#include "common/memory/mapping_bound.h"
#include "common/memory/mapping_guard.h"
#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

// Sets how many more files may be mapped than are now; takes it back.
class MoreMappings {
 public:
  explicit MoreMappings(uint64_t more) {
    memory::SetMappingsBound(memory::RegisteredMappings() + more);
  }
  ~MoreMappings() { memory::SetMappingsBound(0); }
};

bool IsMapped(const Segment& segment, std::string_view column) {
  const uint64_t before = memory::RegisteredMappings();
  const bool ok = segment.OpenColumn(column).ok();
  return ok && memory::RegisteredMappings() == before;
}

TEST_CASE("V1 columns give way to each other, the one asked for longest ago first") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path() / "a");
  TinySegment().WriteV1(folder.path() / "b");
  const auto a = Segment::Open(folder.path() / "a").value();
  const auto b = Segment::Open(folder.path() / "b").value();
  const uint64_t before = memory::RegisteredMappings();
  const MoreMappings bound(5);  // `i` has 3 files, `s` has 2
  REQUIRE(a->OpenColumn("i").ok());
  REQUIRE(a->OpenColumn("s").ok());
  CHECK(memory::RegisteredMappings() == before + 5);
  REQUIRE(a->OpenColumn("i").ok());  // now `s` of a is the oldest
  REQUIRE(b->OpenColumn("s").ok());
  CHECK(memory::RegisteredMappings() == before + 5);
  CHECK(IsMapped(*a, "i"));
  CHECK(IsMapped(*b, "s"));
  REQUIRE(a->OpenColumn("s").ok());  // i of a goes, the bound is kept
  CHECK(memory::RegisteredMappings() <= before + 5);
}

TEST_CASE("a column that is held does not give way, and then there is no room") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const MoreMappings bound(3);
  ColumnPointer held = segment->OpenColumn("i").value();
  const Status full = segment->OpenColumn("s").status();
  CHECK(full.code() == StatusCode::kResourceExhausted);
  CHECK_THAT(full.message(), Catch::Contains("segment-mappings-max"));
  ColumnVector out;
  const auto scratch = held->forward().NewScratch();
  const std::vector<uint32_t> docs = {0, 1};
  REQUIRE(held->Read(docs, *scratch, out).ok());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{9, 7});
  held.reset();
  CHECK(segment->OpenColumn("s").ok());  // the refusal was not for ever
}

TEST_CASE("V3 segments beyond the room are mapped when they are used, and answer the same") {
  const ScratchFolder folder;
  const uint64_t before = memory::RegisteredMappings();
  const MoreMappings bound(8);
  std::vector<std::shared_ptr<Segment>> segments;
  for (int i = 0; i < 40; ++i) {
    const auto path = folder.path() / std::to_string(i);
    TinySegment().WriteV3(path);
    auto opened = Segment::Open(path);
    REQUIRE(opened.status().message() == "");
    segments.push_back(std::move(*opened));
  }
  CHECK(memory::RegisteredMappings() < before + 8);
  for (const auto& segment : segments) {
    int rows = 0;
    const Status status = DumpRows(*segment, {}, [&](std::string_view) { return ++rows > 0; });
    CHECK(status.message() == "");
    CHECK(rows == 3);
    CHECK(memory::RegisteredMappings() <= before + 8);
  }
  segments.clear();
  CHECK(memory::RegisteredMappings() == before);
}

TEST_CASE("a file cut short is told of after its mapping gave way") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path() / "a");
  TinySegment().WriteV1(folder.path() / "b");
  const auto a = Segment::Open(folder.path() / "a").value();
  const auto b = Segment::Open(folder.path() / "b").value();
  const MoreMappings bound(3);
  REQUIRE(a->OpenColumn("s").ok());
  const auto file = folder.path() / "a" / "s.dict";
  std::filesystem::resize_file(file, 1);
  REQUIRE(b->OpenColumn("i").ok());
  const Status status = a->CheckIntact();
  CHECK(status.IsCorrupt());
  CHECK_THAT(status.message(), Catch::Contains(file.string()));
}

}  // namespace
}  // namespace trellis::segment
