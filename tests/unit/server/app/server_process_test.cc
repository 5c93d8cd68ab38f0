#include "server/app/server_process.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "common/telemetry/metrics.h"

namespace trellis::server {
namespace {

ServerOptions LoopbackOptions() {
  ServerOptions options;
  options.data_dir = TRELLIS_EXAMPLE_DATA;
  options.host = "127.0.0.1";
  options.grpc_port = 0;
  options.http_port = 0;
  options.threads = 1;
  options.drain_ms = 1'000;
  return options;
}

TEST_CASE("a server opens both doors on free ports and drains") {
  auto server = ServerProcess::Start(LoopbackOptions());
  REQUIRE(server.status().message() == "");
  CHECK((*server)->grpc_port() > 0);
  CHECK((*server)->http_port() > 0);
  CHECK((*server)->grpc_port() != (*server)->http_port());
  (*server)->Drain();
}

TEST_CASE("port -1 leaves the admin door shut") {
  ServerOptions options = LoopbackOptions();
  options.http_port = -1;
  const auto server = ServerProcess::Start(options);
  REQUIRE(server.status().message() == "");
  CHECK((*server)->http_port() == -1);
}

TEST_CASE("a port in use is refused, not shared") {
  const auto first = ServerProcess::Start(LoopbackOptions());
  REQUIRE(first.status().message() == "");
  ServerOptions options = LoopbackOptions();
  options.grpc_port = (*first)->grpc_port();
  const auto second = ServerProcess::Start(options);
  CHECK(second.status().code() == StatusCode::kUnavailable);
  CHECK_THAT(second.status().message(), Catch::Contains(std::to_string(options.grpc_port)));
}

TEST_CASE("a data directory that is not given or not there is refused by name") {
  ServerOptions options = LoopbackOptions();
  options.data_dir.clear();
  CHECK(ServerProcess::Start(options).status().code() == StatusCode::kInvalidArgument);
  options.data_dir = "/nonexistent/data";
  const auto server = ServerProcess::Start(options);
  CHECK(server.status().code() == StatusCode::kNotFound);
  CHECK_THAT(server.status().message(), Catch::Contains("/nonexistent/data"));
}

TEST_CASE("a segment list encoding that does not exist is refused by name") {
  ServerOptions options = LoopbackOptions();
  options.segment_list_encodings = {"names", "nmaes"};
  const auto server = ServerProcess::Start(options);
  CHECK(server.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(server.status().message(), Catch::Contains("'nmaes'") && Catch::Contains("packed"));
  options.segment_list_encodings.clear();
  CHECK(ServerProcess::Start(options).status().code() == StatusCode::kInvalidArgument);
  options.segment_list_encodings = {"names"};
  CHECK(ServerProcess::Start(options).ok());
}

// Whether the metrics say so within some seconds.
bool SoonSays(const std::string& metric) {
  using namespace std::chrono_literals;
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (MetricsText().find("\n" + metric + "\n") == std::string::npos) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

TEST_CASE("what comes and goes in the data directory is served, and shows in the gauges") {
  namespace fs = std::filesystem;
  const fs::path data = fs::temp_directory_path() / fmt::format("server_process_{}", ::getpid());
  const fs::path rides = fs::path(TRELLIS_EXAMPLE_DATA) / "rides";
  const auto copy = [&](const std::string& segment) {
    fs::copy(rides / segment, data / "rides" / segment, fs::copy_options::recursive);
  };
  fs::create_directories(data / "rides");
  copy("rides_2026-06-01_2026-06-07");
  ServerOptions options = LoopbackOptions();
  options.data_dir = data.string();
  options.rescan_ms = 10;
  {
    const auto server = ServerProcess::Start(options);
    REQUIRE(server.status().message() == "");
    CHECK(SoonSays("trellis_server_segments 1"));
    copy("rides_2026-06-08_2026-06-14");
    CHECK(SoonSays("trellis_server_segments 2"));
    fs::create_directory(data / "rides" / "empty");
    CHECK(SoonSays("trellis_server_segments_broken 1"));
    fs::remove_all(data / "rides");
    CHECK(SoonSays("trellis_server_segments 0"));
    CHECK(SoonSays("trellis_server_segments_broken 0"));
  }
  fs::remove_all(data);
}

}  // namespace
}  // namespace trellis::server
