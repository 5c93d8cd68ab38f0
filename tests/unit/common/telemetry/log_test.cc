#include "common/telemetry/log.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

TEST_CASE("the level given at the start decides what is logged") {
  CHECK_FALSE(StartLogging("log_test", "loud"));
  CHECK(StartLogging("log_test", "warn"));
  CHECK(spdlog::default_logger()->name() == "log_test");
  CHECK(spdlog::should_log(spdlog::level::err));
  CHECK_FALSE(spdlog::should_log(spdlog::level::info));
}

}  // namespace
}  // namespace trellis
