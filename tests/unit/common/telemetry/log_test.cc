#include "common/telemetry/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <string>

namespace trellis {
namespace {

TEST_CASE("the level given at the start decides what is logged") {
  CHECK_FALSE(StartLogging("log_test", "loud"));
  CHECK(StartLogging("log_test", "warn"));
  CHECK(spdlog::default_logger()->name() == "log_test");
  CHECK(spdlog::should_log(spdlog::level::err));
  CHECK_FALSE(spdlog::should_log(spdlog::level::info));
}

TEST_CASE("a message is one line whatever is in it") {
  const std::string path = fmt::format("/tmp/log_test_{}", ::getpid());
  REQUIRE(StartLogging("one_line", "warn"));
  const int terminal = ::dup(2);
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
  REQUIRE(file >= 0);
  ::dup2(file, 2);
  spdlog::warn("table {} is gone", "a\nb\x1b[1m");
  spdlog::default_logger()->flush();
  ::dup2(terminal, 2);
  ::close(terminal);
  ::close(file);
  std::ifstream in(path);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  std::remove(path.c_str());
  CHECK_THAT(text, Catch::EndsWith("warning [one_line] table a\\x0ab\\x1b[1m is gone\n"));
}

}  // namespace
}  // namespace trellis
