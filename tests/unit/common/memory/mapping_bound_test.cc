#include "common/memory/mapping_bound.h"

#include <catch2/catch.hpp>

#include "common/memory/mapping_guard.h"

namespace trellis::memory {
namespace {

TEST_CASE("the bound is three quarters of the system's limit unless it is set") {
  CHECK(MappingsBound() == std::min<uint64_t>(SystemMappingsMax() / 4 * 3, kRegisteredMappingsMax));
  SetMappingsBound(16);
  CHECK(MappingsBound() == 16);
  CHECK(HasRoomToStay() == (RegisteredMappings() < 14));
  SetMappingsBound(0);
  CHECK(MappingsBound() > 16);
  CHECK(CurrentMappings().system_max == SystemMappingsMax());
  CHECK(MappingsUse{.mapped = 81, .system_max = 100}.nearly_full());
  CHECK_FALSE(MappingsUse{.mapped = 80, .system_max = 100}.nearly_full());
}

TEST_CASE("where nothing gives way there is no room, and the bound is named") {
  static int page[1024];
  const auto id = RegisterMapping(page, sizeof(page));
  REQUIRE(id.has_value());
  SetMappingsBound(RegisteredMappings());
  SetReclaimer([] { return false; });
  const Status full = MakeRoomForMapping();
  CHECK(full.code() == StatusCode::kResourceExhausted);
  CHECK_THAT(full.message(), Catch::Contains("segment-mappings-max"));
  static std::optional<MappingId> given;
  given = id;
  SetReclaimer([] {
    if (!given) return false;
    UnregisterMapping(*given);
    given.reset();
    return true;
  });
  CHECK(MakeRoomForMapping().ok());
  SetReclaimer(nullptr);
  SetMappingsBound(0);
}

}  // namespace
}  // namespace trellis::memory
