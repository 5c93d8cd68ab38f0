#include "common/segment/rebuilt_forward.h"

#include <catch2/catch.hpp>

#include "common/segment/segment.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

Result<column::HeldIds> Rebuild(const std::vector<std::vector<uint32_t>>& documents, uint32_t count,
                                bool multi_value, uint64_t max = 100) {
  const std::string bytes = InvertedBytes(documents);
  auto inverted =
      index::InvertedIndex::Open(AsBytes(bytes), static_cast<uint32_t>(documents.size()), count);
  return RebuildForward(*inverted.value(), count, multi_value, max);
}

using Ids = std::vector<uint32_t>;

TEST_CASE("a forward index is rebuilt from an inverted one") {
  CHECK(Rebuild({{0, 2}, {1}}, 3, false)->ids == Ids{0, 1, 0});
  const auto several = Rebuild({{0, 2}, {0}}, 3, true);
  CHECK(several->ids == Ids{0, 1, 0});
  CHECK(several->offsets == Ids{0, 2, 2, 3});
}

TEST_CASE("a single-value document in no bitmap or in two is corrupt") {
  CHECK(Rebuild({{0}, {1}}, 3, false).status().message() ==
        "inverted index lists document 2 under no dictId");
  CHECK(Rebuild({{0, 1}, {1, 2}}, 3, false).status().message() ==
        "inverted index lists document 1 under dictIds 0 and 1");
}

TEST_CASE("a rebuilt forward index has a limit") {
  CHECK(Rebuild({{0, 2}, {1}}, 3, false, 2).status().code() == StatusCode::kResourceExhausted);
  CHECK(Rebuild({{0, 1, 2}, {0, 1, 2}}, 3, true, 5).status().code() ==
        StatusCode::kResourceExhausted);
  CHECK(Rebuild({{0, 1, 2}, {0, 1, 2}}, 3, true, 6).ok());
}

TEST_CASE("a column without a forward index reads through its inverted index") {
  const ScratchFolder folder;
  TinySegment tiny;
  tiny.Drop("i", "forward_index");
  tiny.Buffer("i", "inverted_index") = InvertedBytes({{1, 2}, {0}});
  tiny.WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const auto column = segment->OpenColumn("i");
  REQUIRE(column.status().message() == "");
  CHECK((*column)->forward_rebuilt());
  const auto scratch = (*column)->forward().NewScratch();
  ColumnVector values;
  REQUIRE((*column)->Read(Ids{0, 1, 2}, *scratch, values).ok());
  CHECK(values.values<int32_t>() == std::vector<int32_t>{9, 7, 7});
  CHECK(values.is_null(2));
  CHECK_FALSE(segment->OpenColumn("s").value()->forward_rebuilt());
}

TEST_CASE("a column with neither forward nor inverted index says so") {
  const ScratchFolder folder;
  TinySegment tiny;
  tiny.Drop("i", "forward_index");
  tiny.WriteV3(folder.path());
  const Status status = Segment::Open(folder.path()).value()->OpenColumn("i").status();
  CHECK(status.IsCorrupt());
  CHECK_THAT(status.message(), Catch::Contains("column 'i' has no forward index in columns.psf") &&
                                   Catch::Contains("no inverted index"));
}

TEST_CASE("a RAW column reads raw values beside its dictionary and inverted index") {
  const ScratchFolder folder;
  TinySegment tiny;
  tiny.MakeRaw();
  tiny.Buffer("i", "inverted_index") = InvertedBytes({{1, 2}, {0}});
  tiny.WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const auto column = segment->OpenColumn("i");
  REQUIRE(column.status().message() == "");
  CHECK_FALSE((*column)->forward().is_dictionary_encoded());
  REQUIRE((*column)->dictionary() != nullptr);
  REQUIRE((*column)->inverted() != nullptr);
  const auto scratch = (*column)->forward().NewScratch();
  ColumnVector values;
  REQUIRE((*column)->Read(Ids{0, 1, 2}, *scratch, values).ok());
  CHECK(values.values<int32_t>() == std::vector<int32_t>{9, 7, 7});
}

TEST_CASE("'%' padding is taken off only where it is wished and the segment is old") {
  const ScratchFolder folder;
  TinySegment tiny;
  tiny.Buffer("s", "dictionary") = "a%%xyz";
  tiny.WriteV3(folder.path() / "old");
  tiny.Metadata("segment.padding.character = \\u0000\n").WriteV3(folder.path() / "new");
  const auto first = [&](const char* name, bool legacy_padding) {
    const auto segment =
        Segment::Open(folder.path() / name, {}, {.legacy_padding = legacy_padding}).value();
    const auto column = segment->OpenColumn("s").value();
    return column->dictionary()->At(0)->bytes();
  };
  CHECK(first("old", false) == "a%%");
  CHECK(first("old", true) == "a");
  CHECK(first("new", true) == "a%%");
}

}  // namespace
}  // namespace trellis::segment
