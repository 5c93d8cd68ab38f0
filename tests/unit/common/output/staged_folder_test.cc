#include "common/output/staged_folder.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/common/output/work_folder.h"

namespace trellis::output {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a staged folder stands under its name only when committed", "[output]") {
  const WorkFolder folder;
  {
    auto staged = StagedFolder::Create(folder.path / "deep" / "segment");
    REQUIRE(staged.ok());
    fs::create_directories(staged->path() / "v3");
    std::ofstream(staged->path() / "v3" / "file") << "new";
    CHECK_FALSE(fs::exists(folder.path / "deep" / "segment"));
    REQUIRE(staged->Commit(false).ok());
  }
  CHECK(ContentOf(folder.path / "deep" / "segment" / "v3" / "file") == "new");
  CHECK(std::distance(fs::directory_iterator(folder.path / "deep"), {}) == 1);
}

TEST_CASE("what is not committed leaves nothing", "[output]") {
  const WorkFolder folder;
  {
    auto staged = StagedFolder::Create(folder.path / "segment");
    REQUIRE(staged.ok());
    std::ofstream(staged->path() / "file") << "half";
  }
  CHECK(folder.entries() == 0);
}

TEST_CASE("a target that exists is replaced only when that is asked for", "[output]") {
  const WorkFolder folder;
  fs::create_directories(folder.path / "segment");
  std::ofstream(folder.path / "segment" / "file") << "old";
  for (const bool overwrite : {false, true}) {
    auto staged = StagedFolder::Create(folder.path / "segment/");
    REQUIRE(staged.ok());
    std::ofstream(staged->path() / "file") << "new";
    const Status status = staged->Commit(overwrite);
    CHECK(status.ok() == overwrite);
    if (!overwrite) CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(ContentOf(folder.path / "segment" / "file") == (overwrite ? "new" : "old"));
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("one file of the folder can be the target", "[output]") {
  const WorkFolder folder;
  {
    auto staged = StagedFolder::Create(folder.path / "segment.tar.gz");
    REQUIRE(staged.ok());
    std::ofstream(staged->path() / "archive") << "bytes";
    std::ofstream(staged->path() / "other") << "left out";
    REQUIRE(staged->CommitFile("archive", false).ok());
  }
  CHECK(ContentOf(folder.path / "segment.tar.gz") == "bytes");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a target without a name is refused", "[output]") {
  CHECK(StagedFolder::Create("/").status().code() == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::output
