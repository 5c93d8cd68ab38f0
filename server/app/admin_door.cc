#include "server/app/admin_door.h"

#include <nlohmann/json.hpp>

#include "common/base/nearest_name.h"
#include "common/telemetry/metrics.h"

namespace trellis::server {
namespace {

using http::HttpResponse;

HttpResponse Text(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

HttpResponse Json(const nlohmann::json& body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = body.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  return response;
}

// As text: JSON's numbers are not exact beyond 2^53.
std::string Hex(uint64_t number) { return fmt::format("{:016x}", number); }

HttpResponse Tables(const ServerInventory& inventory) {
  auto tables = nlohmann::json::array();
  for (const auto& [name, table] : inventory.tables()) {
    const auto snapshot = table->current();
    const TableInfo& info = snapshot->info();
    nlohmann::json entry{{"table", name},
                         {"segments", snapshot->size()},
                         {"broken", info.broken.size()},
                         {"rows", snapshot->documents_total()},
                         {"incarnation", Hex(snapshot->incarnation())},
                         {"epoch", snapshot->epoch()}};
    if (!info.refused.empty()) entry["refused"] = info.refused;
    tables.push_back(std::move(entry));
  }
  return Json({{"incarnation", Hex(inventory.incarnation())},
               {"epoch", inventory.epoch()},
               {"tables", tables}});
}

HttpResponse Segments(const ServerInventory& inventory, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [typed, table] : inventory.tables()) {
    names.push_back(typed.substr(0, typed.rfind('_')));
    if (typed != name && typed != name + "_OFFLINE" && typed != name + "_REALTIME") continue;
    const auto snapshot = table->current();
    auto segments = nlohmann::json::array();
    for (const uint32_t ordinal : snapshot->alive()) {
      const SegmentFacts& facts = snapshot->Find(ordinal)->facts;
      segments.push_back({{"name", facts.name},
                          {"ordinal", ordinal},
                          {"rows", facts.rows},
                          {"status", "online"},
                          {"crc", facts.crc}});
    }
    for (const BrokenSegment& broken : snapshot->info().broken) {
      segments.push_back({{"name", broken.name}, {"status", "broken"}, {"reason", broken.reason}});
    }
    return Json({{"table", typed},
                 {"incarnation", Hex(snapshot->incarnation())},
                 {"epoch", snapshot->epoch()},
                 {"segments", segments}});
  }
  return Json({{"error", "table '" + name + "' does not exist" + DidYouMean(name, names)}}, 404);
}

HttpResponse Answer(const ServerInventory& inventory, const std::atomic<bool>& ready,
                    const http::HttpRequest& request) {
  const std::string& path = request.path;
  if (request.method != "GET" && request.method != "HEAD")
    return Text(405, "method " + request.method + " is not supported here\n");
  if (path == "/health/liveness") return Text(200, "OK");
  if (path == "/health/readiness" || path == "/health")
    return ready.load() ? Text(200, "OK") : Text(503, "not ready");
  if (path == "/metrics") {
    HttpResponse response = Text(200, MetricsText());
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return response;
  }
  if (path == "/tables") return Tables(inventory);
  if (path.starts_with("/segments/")) return Segments(inventory, path.substr(10));
  return Text(404, "no such door: " + path + "\n");
}

}  // namespace

http::Handler MakeAdminDoor(std::shared_ptr<const ServerInventory> inventory,
                            const std::atomic<bool>& ready) {
  return [inventory = std::move(inventory), &ready](const http::HttpRequest& request,
                                                    const http::Responder& respond) {
    respond(Answer(*inventory, ready, request));
  };
}

}  // namespace trellis::server
