#include "common/segment/mapped_on_use.h"

#include <catch2/catch.hpp>

#include "common/memory/mapping_guard.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

TEST_CASE("a file is mapped once for all its users and unmapped with the last") {
  const ScratchFolder folder;
  const std::string path = folder.path() / "f";
  WriteFile(path, "abc");
  MappedOnUse file(path, memory::IdentityOf(path));
  const uint64_t before = memory::RegisteredMappings();
  CHECK(file.CheckIntact().ok());
  auto one = file.Map().value();
  auto two = file.Map().value();
  CHECK(one == two);
  CHECK(memory::RegisteredMappings() == before + 1);
  one.reset();
  CHECK(AsText(two->bytes()) == "abc");
  two.reset();
  CHECK(memory::RegisteredMappings() == before);
  REQUIRE(file.MapToStay().ok());
  CHECK(memory::RegisteredMappings() == before + 1);
}

TEST_CASE("another file of the name is not read, nor one that went") {
  const ScratchFolder folder;
  const std::string path = folder.path() / "f";
  WriteFile(path, "abc");
  MappedOnUse file(path, memory::IdentityOf(path));
  WriteFile(folder.path() / "g", "xyz");
  std::filesystem::rename(folder.path() / "g", path);
  CHECK(file.Map().status().code() == StatusCode::kUnavailable);
  std::filesystem::remove(path);
  CHECK(file.Map().status().code() == StatusCode::kUnavailable);
}

}  // namespace
}  // namespace trellis::segment
