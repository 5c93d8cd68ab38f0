#include "server/store/segment_files.h"

#include "tests/unit/server/store/data_folder.h"

namespace trellis::server {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("archives are told by the ends of their names, which are not part of the segment's") {
  for (const char* ending : {".tar.gz", ".tgz", ".tar.zst", ".tar.lz4"}) {
    INFO(ending);
    CHECK(IsArchiveName("a.b" + std::string(ending)));
    CHECK(WithoutArchiveEnding("a.b" + std::string(ending)) == "a.b");
    CHECK_FALSE(IsArchiveName(ending));  // nothing is left for a name
  }
  for (const char* name : {"a.tar", "a.gz", "a.zip", "tar.gz.part", "a"})
    CHECK_FALSE(IsArchiveName(name));
  CHECK(WithoutArchiveEnding("a.tar") == "a.tar");
}

TEST_CASE("a directory comes before an archive of its name; hidden and JSON files are none") {
  DataFolder data;
  data.File("t/b/x", "").File("t/b.tar.zst", "").File("t/a.tar.lz4", "").File("t/.c.tar.gz", "");
  data.File("t/schema.json", "").File("t/notes.txt", "");
  fs::create_symlink(data.path() / "nowhere", data.path() / "t" / "dangling");
  CHECK(SegmentFiles(data.path() / "t").value() == Names{"a.tar.lz4", "b", "dangling"});
  CHECK(SegmentFiles(data.path() / "none").status().code() == StatusCode::kNotFound);
}

TEST_CASE("a link is refused by where it leads, however it is written") {
  DataFolder outside;
  outside.File("secret", "");
  DataFolder data;
  data.File("t/file", "").File("u/file", "");
  const OpenPolicy policy{fs::canonical(data.path())};
  const fs::path link = data.path() / "t" / "link";
  const auto leads_to = [&](const fs::path& target, bool follow = false) {
    fs::remove(link);
    fs::create_symlink(target, link);
    return CheckLink(link, {policy.root, follow});
  };
  CHECK(CheckLink(data.path() / "t" / "file", policy).ok());
  CHECK(leads_to(data.path() / "u" / "file").ok());
  CHECK(leads_to("../u/file").ok());
  CHECK(leads_to("nowhere").ok());
  CHECK(leads_to("link").ok());  // to itself
  CHECK(leads_to(outside.path() / "secret").code() == StatusCode::kPermissionDenied);
  CHECK(leads_to(data.path() / ".." / outside.path().filename() / "secret").code() ==
        StatusCode::kPermissionDenied);
  // A neighbour whose name begins with the directory's.
  const fs::path beside = data.path().string() + "_2";
  fs::create_directories(beside);
  CHECK(leads_to(beside).code() == StatusCode::kPermissionDenied);
  fs::remove_all(beside);
  CHECK(leads_to(outside.path() / "secret", true).ok());
}

TEST_CASE("a folder that holds a segment is told from one that does not") {
  CHECK(HoldsSegment(kExamples / "rides" / kSegment));
  CHECK(HoldsSegment(kExamples / "rides" / kSegment / "v3"));
  CHECK_FALSE(HoldsSegment(kExamples / "rides"));
}

}  // namespace
}  // namespace trellis::server
