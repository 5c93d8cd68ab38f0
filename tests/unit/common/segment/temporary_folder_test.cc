#include "common/segment/temporary_folder.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

#include "tests/unit/common/output/work_folder.h"

namespace trellis::segment {
namespace {

namespace fs = std::filesystem;

TEST_CASE("temporary folders go with their owners, the last one with all", "[segment]") {
  const WorkFolder parent;
  {
    const auto a = TemporaryFolder::Make(parent.path);
    REQUIRE(a.ok());
    std::ofstream((*a)->path() / "file") << "x";
    {
      const auto b = TemporaryFolder::Make(parent.path);
      REQUIRE(b.ok());
      CHECK((*b)->path() != (*a)->path());
      CHECK(parent.entries() == 1);
    }
    CHECK(fs::exists((*a)->path() / "file"));
  }
  CHECK(parent.entries() == 0);
}

// A process that makes a folder, says so and waits to be killed.
pid_t StartHolder(const fs::path& parent) {
  int said[2];
  REQUIRE(::pipe(said) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto folder = TemporaryFolder::Make(parent);
    if (folder.ok()) std::ofstream((*folder)->path() / "file") << "x";
    (void)!::write(said[1], "x", 1);
    for (;;) ::pause();
  }
  char byte = 0;
  REQUIRE(::read(said[0], &byte, 1) == 1);
  ::close(said[0]);
  ::close(said[1]);
  return child;
}

TEST_CASE("what a killed process left is removed, what a living one has is not", "[segment]") {
  const WorkFolder parent;
  const pid_t killed = StartHolder(parent.path);
  const fs::path left = *fs::directory_iterator(parent.path);
  ::kill(killed, SIGKILL);
  ::waitpid(killed, nullptr, 0);
  const auto hour_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::create_directories(parent.path / "trellis-other");
  fs::last_write_time(parent.path / "trellis-other", hour_ago);

  // Too young to tell from one that is being made.
  const pid_t living = StartHolder(parent.path);
  CHECK(fs::exists(left));
  CHECK(parent.entries() == 3);
  for (const auto& entry : fs::directory_iterator(parent.path))
    fs::last_write_time(entry.path(), hour_ago);
  {
    const auto next = TemporaryFolder::Make(parent.path);
    REQUIRE(next.ok());
    CHECK_FALSE(fs::exists(left));
    CHECK(fs::exists(parent.path / "trellis-other"));
    CHECK(parent.entries() == 3);  // the living one's, this one's, and what is not ours
  }
  ::kill(living, SIGKILL);
  ::waitpid(living, nullptr, 0);
}

}  // namespace
}  // namespace trellis::segment
