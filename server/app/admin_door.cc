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

HttpResponse Tables(const StoreSnapshot& store) {
  auto tables = nlohmann::json::array();
  for (const auto& [name, table] : store.tables) {
    int64_t rows = 0;
    for (const auto& segment : table->segments) rows += segment->document_count();
    nlohmann::json entry{{"table", name},
                         {"segments", table->segments.size()},
                         {"broken", table->broken.size()},
                         {"rows", rows}};
    if (!table->refused.empty()) entry["refused"] = table->refused;
    tables.push_back(std::move(entry));
  }
  return Json({{"tables", tables}});
}

HttpResponse Segments(const StoreSnapshot& store, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [typed, table] : store.tables) {
    names.push_back(typed.substr(0, typed.rfind('_')));
    if (typed != name && typed != name + "_OFFLINE" && typed != name + "_REALTIME") continue;
    auto segments = nlohmann::json::array();
    for (const auto& segment : table->segments) {
      segments.push_back({{"name", segment->name()},
                          {"rows", segment->document_count()},
                          {"status", "online"},
                          {"crc", segment->metadata().crc.value_or(0)}});
    }
    for (const BrokenSegment& broken : table->broken) {
      segments.push_back({{"name", broken.name}, {"status", "broken"}, {"reason", broken.reason}});
    }
    return Json({{"table", typed}, {"segments", segments}});
  }
  return Json({{"error", "table '" + name + "' does not exist" + DidYouMean(name, names)}}, 404);
}

HttpResponse Answer(const StoreSnapshot& store, const std::atomic<bool>& ready,
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
  if (path == "/tables") return Tables(store);
  if (path.starts_with("/segments/")) return Segments(store, path.substr(10));
  return Text(404, "no such door: " + path + "\n");
}

}  // namespace

http::Handler MakeAdminDoor(const StoreSnapshot& store, const std::atomic<bool>& ready) {
  return [&store, &ready](const http::HttpRequest& request, const http::Responder& respond) {
    respond(Answer(store, ready, request));
  };
}

}  // namespace trellis::server
