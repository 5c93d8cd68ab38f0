#include "common/vector/arena.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trellis {
namespace {

TEST_CASE("copies stay where they are while the arena grows") {
  Arena arena;
  std::vector<std::string_view> views;
  for (int index = 0; index < 5000; ++index)
    views.push_back(arena.Copy("value " + std::to_string(index)));
  for (int index = 0; index < 5000; ++index)
    CHECK(views[index] == "value " + std::to_string(index));
}

TEST_CASE("a copy larger than a chunk is whole") {
  Arena arena;
  const std::string large(100000, 'z');
  CHECK(arena.Copy(large) == large);
  CHECK(arena.Copy("after") == "after");
  CHECK(arena.allocated_bytes() >= large.size());
}

TEST_CASE("an empty copy allocates nothing") {
  Arena arena;
  CHECK(arena.Copy("").empty());
  CHECK(arena.allocated_bytes() == 0);
}

}  // namespace
}  // namespace trellis
