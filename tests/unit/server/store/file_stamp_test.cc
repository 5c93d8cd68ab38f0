#include "server/store/file_stamp.h"

#include "tests/unit/server/store/data_folder.h"

namespace trellis::server {
namespace {

TEST_CASE("a file's stamp tells another file, size or time") {
  DataFolder data;
  data.File("a", "text").File("b", "text");
  const fs::path a = data.path() / "a";
  const FileStamp stamp = StampOf(a);
  CHECK(stamp == StampOf(a));
  CHECK(stamp != StampOf(data.path() / "b"));
  CHECK(StampOf(data.path() / "c") == FileStamp());
  fs::last_write_time(a, fs::last_write_time(a) - std::chrono::hours(1));
  CHECK(stamp != StampOf(a));
  data.File("a", "texts");
  CHECK(StampOf(a).size_bytes == 5);
}

TEST_CASE("an identity is that of what a path leads to; a link to nothing is not gone") {
  DataFolder data;
  data.File("a/file", "").File("b/file", "");
  const std::string a = data.path() / "a";
  const FileIdentity identity = IdentityOf(a);
  CHECK(identity != FileIdentity());
  CHECK(identity != IdentityOf(data.path() / "b"));
  fs::create_directory_symlink(a, data.path() / "link");
  CHECK(IdentityOf(data.path() / "link") == identity);
  data.File("a/more", "");
  CHECK(IdentityOf(a) == identity);
  fs::rename(a, data.path() / "c");
  CHECK(IdentityOf(a) == FileIdentity());
  CHECK(IdentityOf(data.path() / "c") == identity);
  CHECK(IsGone(a));
  CHECK(IsGone(data.path() / "b" / "file" / "within"));
  CHECK_FALSE(IsGone(data.path() / "c"));
  CHECK_FALSE(IsGone(data.path() / "link"));
}

TEST_CASE("when a file was last written to cannot be set back") {
  DataFolder data;
  const int64_t before = FileClockNow();
  data.File("a", "text");
  fs::last_write_time(data.path() / "a", fs::file_time_type() - std::chrono::hours(24 * 365));
  int64_t changed_ns = 0;
  StampOf(data.path() / "a", &changed_ns);
  constexpr int64_t kTick = 20'000'000;
  CHECK(changed_ns >= before - kTick);
  CHECK(changed_ns <= FileClockNow());
}

}  // namespace
}  // namespace trellis::server
