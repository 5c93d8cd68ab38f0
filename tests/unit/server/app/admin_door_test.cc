#include "server/app/admin_door.h"

#include <catch2/catch.hpp>

#include "server/store/data_directory.h"

namespace trellis::server {
namespace {

struct Door {
  std::shared_ptr<ServerInventory> inventory = [] {
    auto made = DataDirectory::Open(TRELLIS_EXAMPLE_DATA, {}).value()->inventory();
    const auto rides = made->Find("rides_OFFLINE");
    TableInfo info = rides->current()->info();
    info.broken.push_back({"torn", "cut short"});
    info.refused = "for a reason";
    rides->Apply({}, {}, info);
    return made;
  }();
  std::atomic<bool> ready{false};
  http::Handler handler = MakeAdminDoor(inventory, ready);

  http::HttpResponse Ask(const std::string& path, const std::string& method = "GET") {
    http::HttpRequest request;
    request.method = method;
    request.path = request.target = path;
    http::HttpResponse answer;
    answer.status = 0;
    handler(request, http::Responder([&](http::HttpResponse r) { answer = std::move(r); }));
    return answer;
  }
};

TEST_CASE("readiness follows the flag, liveness does not") {
  Door door;
  CHECK(door.Ask("/health/readiness").status == 503);
  CHECK(door.Ask("/health").status == 503);
  CHECK(door.Ask("/health/liveness").status == 200);
  door.ready = true;
  CHECK(door.Ask("/health/readiness").status == 200);
  CHECK(door.Ask("/health").body == "OK");
}

TEST_CASE("tables are told with segments, rows and why they are refused") {
  const auto answer = Door().Ask("/tables");
  CHECK(answer.status == 200);
  CHECK(answer.content_type == "application/json");
  for (const char* part : {"\"table\": \"rides_OFFLINE\"", "\"table\": \"stations_OFFLINE\"",
                           "\"rows\": 5000", "\"segments\": 5", "\"broken\": 1", "for a reason"})
    CHECK_THAT(answer.body, Catch::Contains(part));
}

TEST_CASE("segments of a table are told by its name with or without type, broken ones too") {
  Door door;
  const auto answer = door.Ask("/segments/rides");
  CHECK(answer.status == 200);
  CHECK(answer.body == door.Ask("/segments/rides_OFFLINE").body);
  for (const char* part : {"rides_2026-06-01_2026-06-07", "\"rows\": 1000", "\"online\"",
                           "\"torn\"", "\"broken\"", "cut short"})
    CHECK_THAT(answer.body, Catch::Contains(part));
}

TEST_CASE("inventories are told by epoch, incarnation as text, and segments by ordinal") {
  Door door;
  const auto rides = door.inventory->Find("rides_OFFLINE")->current();
  const std::string incarnation = fmt::format("\"incarnation\": \"{:016x}\"", rides->incarnation());
  const std::string epoch = fmt::format("\"epoch\": {}", rides->epoch());
  for (const char* path : {"/tables", "/segments/rides"}) {
    CHECK_THAT(door.Ask(path).body, Catch::Contains(incarnation));
    CHECK_THAT(door.Ask(path).body, Catch::Contains(epoch));
  }
  CHECK_THAT(door.Ask("/tables").body,
             Catch::Contains(fmt::format("{:016x}", door.inventory->incarnation())));
  const std::vector<std::string> drop{rides->Find(1)->facts.name};
  door.inventory->Find("rides_OFFLINE")->Apply({}, drop);
  const auto after = door.Ask("/segments/rides");
  CHECK_THAT(after.body, Catch::Contains("\"ordinal\": 0"));
  CHECK_THAT(after.body, !Catch::Contains("\"ordinal\": 1"));
  CHECK_THAT(after.body, !Catch::Contains(drop[0]));
}

TEST_CASE("a table that is not there is 404 and names the nearest") {
  const auto answer = Door().Ask("/segments/ride");
  CHECK(answer.status == 404);
  CHECK_THAT(answer.body, Catch::Contains("rides"));
}

TEST_CASE("metrics are text for Prometheus") {
  const auto answer = Door().Ask("/metrics");
  CHECK(answer.status == 200);
  CHECK_THAT(answer.content_type, Catch::Contains("version=0.0.4"));
}

TEST_CASE("other doors and methods are refused") {
  Door door;
  CHECK(door.Ask("/nowhere").status == 404);
  CHECK(door.Ask("/segments").status == 404);
  CHECK(door.Ask("/tables", "POST").status == 405);
}

}  // namespace
}  // namespace trellis::server
