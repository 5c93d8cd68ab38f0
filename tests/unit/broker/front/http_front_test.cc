#include "broker/front/http_front.h"

#include <future>
#include <nlohmann/json.hpp>

#include "tests/unit/broker/in_process_leaf.h"

namespace trellis::broker {
namespace {

using http::HttpRequest;
using http::HttpResponse;

// The door over a catalog that never changes; nobody is asked unless a query needs rows.
class Door {
 public:
  explicit Door(const std::vector<ReportedServer>& servers, size_t threads = 2,
                size_t waiting_max = 10)
      : cluster(servers),
        engine(cluster, {.broker_id = "b"}),
        pool(threads, waiting_max),
        handler_(MakeHttpFront(engine, pool)) {}

  std::future<HttpResponse> Send(HttpRequest request) {
    auto answer = std::make_shared<std::promise<HttpResponse>>();
    auto future = answer->get_future();
    handler_(std::move(request), http::Responder([answer](HttpResponse response) {
               answer->set_value(std::move(response));
             }));
    return future;
  }
  HttpResponse Ask(HttpRequest request) { return Send(std::move(request)).get(); }
  HttpResponse Get(const std::string& target, http::NameValues headers = {}) {
    return Ask(Request("GET", target, "", std::move(headers)));
  }
  HttpResponse Post(const std::string& body, http::NameValues headers = {}) {
    return Ask(Request("POST", "/query/sql", body, std::move(headers)));
  }

  static HttpRequest Request(std::string method, const std::string& target, std::string body = "",
                             http::NameValues headers = {}) {
    HttpRequest request;
    request.method = std::move(method);
    request.target = target;
    REQUIRE(http::ParseTarget(target, request).ok());
    request.body = std::move(body);
    request.headers = std::move(headers);
    return request;
  }

  FixedCluster cluster;
  QueryEngine engine;
  TaskPool pool;

 private:
  http::Handler handler_;
};

Door& SharedDoor() {
  static const std::string target = DeadTarget();
  static Door door({RidesAt(target, RidesSegments())});
  return door;
}

std::string ErrorCode(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers) {
    if (name == "X-Pinot-Error-Code") return value;
  }
  return "";
}

nlohmann::json BodyOf(const HttpResponse& response) {
  INFO(response.body);
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  REQUIRE_FALSE(body.is_discarded());
  return body;
}

int ExceptionOf(const HttpResponse& response) {
  const auto body = BodyOf(response);
  return body.at("exceptions").empty() ? 0 : body.at("exceptions").at(0).at("errorCode").get<int>();
}

}  // namespace

TEST_CASE("a posted query is answered with its rows and error code -1") {
  const HttpResponse response = SharedDoor().Post(R"({"sql":"SELECT 1, 'a'"})");
  CHECK(response.status == 200);
  CHECK(response.content_type.find("application/json") == 0);
  CHECK(ErrorCode(response) == "-1");
  CHECK(BodyOf(response).at("resultTable").at("rows") == nlohmann::json::parse(R"([[1,"a"]])"));
}

TEST_CASE("a query may stand in the URL") {
  const HttpResponse response = SharedDoor().Get("/query/sql?sql=SELECT+1%2B1");
  CHECK(response.status == 200);
  CHECK(BodyOf(response).at("resultTable").at("rows") == nlohmann::json::parse("[[2]]"));
  CHECK(SharedDoor().Get("/query/sql").status == 400);
}

TEST_CASE("bodies that are no request are answered 400 in words") {
  for (const char* body : {"", "{", "[]", "\"SELECT 1\"", "{}", R"({"sql":5})", R"({"sql":null})",
                           R"({"sql":"SELECT 1","queryOptions":{"a":1}})"}) {
    const HttpResponse response = SharedDoor().Post(body);
    INFO(body);
    CHECK(response.status == 400);
    CHECK_FALSE(response.body.empty());
    CHECK(ErrorCode(response).empty());
  }
  CHECK(SharedDoor().Post(R"({"sql":"SELECT 1","queryOptions":null})").status == 200);
}

TEST_CASE("errors of a query are 200 with the code, unless the client asks for a status") {
  const http::NameValues by_status{{"pinot-use-http-status-for-errors", "TRUE"}};
  for (const auto& [sql, code, status] :
       std::vector<std::tuple<std::string, int, int>>{{"SELECT", 150, 400},
                                                      {"SELECT a FROM nosuch", 190, 404},
                                                      {"SELECT nosuch FROM rides", 710, 400},
                                                      {"SELECT SUM(station) FROM rides", 700, 400},
                                                      {"SELECT COUNT(*) FROM rides", 427, 503}}) {
    const std::string body = nlohmann::json{{"sql", sql}}.dump();
    INFO(sql);
    const HttpResponse plain = SharedDoor().Post(body);
    CHECK(plain.status == 200);
    CHECK(ErrorCode(plain) == std::to_string(code));
    CHECK(ExceptionOf(plain) == code);
    const HttpResponse mapped = SharedDoor().Post(body, by_status);
    CHECK(mapped.status == status);
    CHECK(ErrorCode(mapped) == std::to_string(code));
  }
  CHECK(SharedDoor().Post(R"({"sql":"SELECT 1"})", by_status).status == 200);
}

TEST_CASE("the request's options reach the query") {
  CHECK(ExceptionOf(SharedDoor().Post(R"({"sql":"SELECT 1","queryOptions":"nosuch=1"})")) == 150);
  CHECK(ExceptionOf(SharedDoor().Post(R"({"sql":"SELECT 1","queryOptions":"timeoutMs"})")) == 150);
  CHECK(ExceptionOf(SharedDoor().Post(R"({"sql":"SELECT 1","queryOptions":"timeoutMs=x"})")) ==
        700);
  CHECK(ExceptionOf(SharedDoor().Get("/query/sql?sql=SELECT+1&queryOptions=nosuch%3D1")) == 150);
}

TEST_CASE("/query is the multi-stage engine's door, which is refused by name") {
  const HttpResponse response =
      SharedDoor().Ask(Door::Request("POST", "/query", R"({"sql":"SELECT 1"})"));
  CHECK(ExceptionOf(response) == 700);
  CHECK(response.body.find("useMultistageEngine") != std::string::npos);
}

TEST_CASE("unknown paths are 404 and methods a path does not have 405") {
  CHECK(SharedDoor().Get("/nosuch").status == 404);
  CHECK(SharedDoor().Get("/").status == 404);
  CHECK(SharedDoor().Get("/tables/rides").status == 404);
  CHECK(SharedDoor().Ask(Door::Request("PUT", "/query/sql", "{}")).status == 405);
  CHECK(SharedDoor().Ask(Door::Request("POST", "/tables", "")).status == 405);
  CHECK(SharedDoor().Ask(Door::Request("DELETE", "/query/sql")).status == 405);
}

TEST_CASE("tables, schemas, servers and metrics can be read") {
  CHECK(BodyOf(SharedDoor().Get("/tables")).at("tables") == nlohmann::json::parse(R"(["rides"])"));
  CHECK(BodyOf(SharedDoor().Get("/tables/rides/schema")).at("schemaName") == "rides");
  CHECK(SharedDoor().Get("/tables/rides_OFFLINE/schema").status == 200);
  const HttpResponse unknown = SharedDoor().Get("/tables/ride/schema");
  CHECK(unknown.status == 404);
  CHECK(unknown.body.find("did you mean 'rides'?") != std::string::npos);
  const auto servers = BodyOf(SharedDoor().Get("/cluster")).at("servers");
  REQUIRE(servers.size() == 1);
  CHECK(servers[0].at("alive") == true);
  CHECK(servers[0].at("segments") == 5);
  SharedDoor().Post(R"({"sql":"SELECT 1"})");
  CHECK(SharedDoor().Get("/metrics").body.find("trellis_broker_queries_total") !=
        std::string::npos);
}

TEST_CASE("health is OK with a live server, and 503 without one or while draining") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  CHECK(door.Get("/health").status == 200);
  CHECK(door.Get("/health").body == "OK");
  door.pool.Drain();
  CHECK(door.Get("/health").status == 503);
  ReportedServer dead = RidesAt("127.0.0.1:1", RidesSegments());
  dead.server.alive = false;
  CHECK(Door({dead}).Get("/health").status == 503);
  CHECK(Door({}).Get("/health").status == 503);
}

TEST_CASE("a draining broker answers 210, a full one 429") {
  const http::NameValues by_status{{"Pinot-Use-Http-Status-For-Errors", "true"}};
  Door door({RidesAt("127.0.0.1:1", RidesSegments())}, 1, 0);
  std::promise<void> release;
  REQUIRE(door.pool.Submit([&] { release.get_future().wait(); }));
  const HttpResponse full = door.Post(R"({"sql":"SELECT 1"})", by_status);
  CHECK(full.status == 429);
  CHECK(ErrorCode(full) == "429");
  release.set_value();
  door.pool.Drain();
  const HttpResponse draining = door.Post(R"({"sql":"SELECT 1"})", by_status);
  CHECK(draining.status == 503);
  CHECK(ErrorCode(draining) == "210");
}

TEST_CASE("DELETE cancels a running query by the id its client gave") {
  const SilentServer silent;
  Door door({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  door.cluster.on_channel = [&] { sent.set_value(); };
  auto running = door.Send(
      Door::Request("POST", "/query/sql",
                    R"({"sql":"SELECT COUNT(*) FROM rides","queryOptions":"clientQueryId=mine"})"));
  sent.get_future().wait();
  CHECK(door.Ask(Door::Request("DELETE", "/query/other")).status == 404);
  CHECK(door.Ask(Door::Request("DELETE", "/query/mine")).status == 200);
  CHECK(ExceptionOf(running.get()) == 503);
  CHECK(door.Ask(Door::Request("DELETE", "/query/mine")).status == 404);
}

TEST_CASE("a client that leaves ends its query") {
  const SilentServer silent;
  Door door({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  door.cluster.on_channel = [&] { sent.set_value(); };
  HttpRequest request =
      Door::Request("POST", "/query/sql", R"({"sql":"SELECT COUNT(*) FROM rides"})");
  const auto signal = request.cancel;
  auto running = door.Send(std::move(request));
  sent.get_future().wait();
  signal->Cancel();
  CHECK(ExceptionOf(running.get()) == 503);
}

TEST_CASE("a query whose client left before it ran is not run") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  HttpRequest request = Door::Request("POST", "/query/sql", R"({"sql":"SELECT 1"})");
  request.cancel->Cancel();
  CHECK(door.Ask(std::move(request)).status == 499);
}

}  // namespace trellis::broker
