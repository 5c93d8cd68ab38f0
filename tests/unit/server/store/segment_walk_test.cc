#include "server/store/segment_walk.h"

#include "tests/unit/server/store/data_folder.h"

namespace trellis::server {
namespace {

TEST_CASE("a segment's stamp covers every file, its glance two and their folder") {
  DataFolder data;
  data.Segment("t", kSegment);
  const fs::path segment = data.path() / "t" / kSegment;
  const SegmentStamp stamp = WalkSegment(segment).stamp;
  CHECK(stamp.v3);
  CHECK(stamp.files.size() == 6);  // itself, v3, and four files
  CHECK(stamp.SameFiles(WalkSegment(segment).stamp));
  CHECK(GlanceHolds(segment, stamp));
  fs::resize_file(segment / "v3" / "index_map", 10);
  CHECK_FALSE(stamp.SameFiles(WalkSegment(segment).stamp));
  CHECK(GlanceHolds(segment, stamp));
  fs::resize_file(segment / "v3" / "creation.meta", 10);
  CHECK_FALSE(GlanceHolds(segment, stamp));
  fs::remove_all(segment);
  CHECK_FALSE(GlanceHolds(segment, WalkSegment(data.path() / "t").stamp));
  CHECK(WalkSegment(segment).stamp.glance[0] == FileStamp());
}

TEST_CASE("a glance tells that a file was away and came back, or was put beside the others") {
  const bool v3 = GENERATE(false, true);
  DataFolder data;
  const std::string folder = v3 ? "t/s/v3/" : "t/s/";
  data.File(folder + "metadata.properties", "m").File(folder + "a.dict", "d");
  const fs::path segment = data.path() / "t" / "s";
  const fs::path own = data.path() / folder;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  const auto settle = [&] {
    fs::last_write_time(own, long_ago);
    return WalkSegment(segment).stamp;
  };
  SegmentStamp stamp = settle();
  CHECK(stamp.v3 == v3);
  CHECK(GlanceHolds(segment, stamp));
  fs::rename(own / "a.dict", data.path() / "a.dict");
  CHECK_FALSE(GlanceHolds(segment, stamp));
  stamp = settle();
  CHECK(GlanceHolds(segment, stamp));
  fs::rename(data.path() / "a.dict", own / "a.dict");
  CHECK_FALSE(GlanceHolds(segment, stamp));
}

TEST_CASE("an archive's stamp is its own") {
  DataFolder data;
  data.File("a.tar.gz", "archive");
  const fs::path archive = data.path() / "a.tar.gz";
  const SegmentStamp stamp = WalkSegment(archive).stamp;
  CHECK_FALSE(stamp.v3);
  CHECK(stamp.glance[0].size_bytes == 7);
  CHECK(GlanceHolds(archive, stamp));
  data.File("a.tar.gz", "another archive");
  CHECK_FALSE(GlanceHolds(archive, stamp));
}

TEST_CASE("a walk finds links, another segment and what upsert leaves") {
  DataFolder data;
  data.Segment("t", kSegment).Segment("u", kOther);
  const fs::path segment = data.path() / "t" / kSegment;
  SegmentWalk walk = WalkSegment(segment);
  CHECK(walk.links.empty());
  CHECK(walk.nested.empty());
  CHECK_FALSE(walk.upsert_snapshot);
  fs::create_directory_symlink(segment, segment / "v3" / "circle");
  fs::create_directory_symlink(data.path() / "u" / kOther, segment / "another");
  fs::create_symlink(data.path() / "nowhere", segment / "dangling");
  data.File("t/" + std::string(kSegment) + "/v3/validdocids.bitmap.snapshot", "");
  walk = WalkSegment(segment);
  std::sort(walk.links.begin(), walk.links.end());
  CHECK(walk.links == std::vector<fs::path>{segment / "another", segment / "dangling",
                                            segment / "v3" / "circle"});
  CHECK(walk.nested == "another");
  CHECK(walk.upsert_snapshot);
  fs::create_directory_symlink(segment, data.path() / "link");
  walk = WalkSegment(data.path() / "link");
  CHECK(walk.links.front() == data.path() / "link");
  CHECK(walk.stamp.v3);
}

}  // namespace
}  // namespace trellis::server
