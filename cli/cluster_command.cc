#include "cli/cluster_command.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "common/config/options.h"
#include "common/http/http_client.h"

namespace trellis::cli {

int RunCluster(int argc, const char* const* argv) {
  if (argc < 2 || std::string_view(argv[1]) != "status") {
    std::fputs("usage: trellis cluster status --broker URL\n", stderr);
    return 2;
  }
  std::string broker = "http://127.0.0.1:8099";
  config::OptionSet set("trellis cluster status", "Lists the servers a broker knows.", "0.1.0");
  set.Add(&broker, "broker", "URL of the broker's HTTP door");
  if (const auto exit_code = set.ParseOrExitCode(argc - 1, argv + 1)) return *exit_code;
  const auto client = http::HttpClient::Create(broker, std::chrono::milliseconds(5'000));
  if (!client.ok()) {
    std::fprintf(stderr, "trellis cluster: %s\n", client.status().message().c_str());
    return 2;
  }
  const auto response = client->Get("/cluster");
  if (!response.ok() || response->status != 200) {
    std::fprintf(stderr, "trellis cluster: %s\n",
                 response.ok() ? response->body.c_str() : response.status().message().c_str());
    return 2;
  }
  const auto body = nlohmann::json::parse(response->body, nullptr, false);
  if (!body.is_object() || !body.contains("servers") || !body["servers"].is_array()) {
    std::fprintf(stderr, "trellis cluster: the broker's answer is not the expected JSON\n");
    return 2;
  }
  bool all_alive = true;
  for (const auto& server : body["servers"]) {
    const bool alive = server.value("alive", false);
    all_alive &= alive;
    std::printf("%-30s %-6s version %s, %lld segments\n", server.value("server", "?").c_str(),
                alive ? "alive" : "gone", server.value("version", "?").c_str(),
                static_cast<long long>(server.value("segments", int64_t{0})));
  }
  return all_alive ? 0 : 1;
}

}  // namespace trellis::cli
