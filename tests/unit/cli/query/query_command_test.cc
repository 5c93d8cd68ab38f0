#include "cli/query/query_command.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/query/prompt.h"
#include "common/http/http_server.h"

using namespace trellis;
using namespace trellis::cli;
using Catch::Matchers::Contains;

namespace {

const std::string kOneRow =
    R"x({"resultTable":{"dataSchema":{"columnNames":["count(*)"],"columnDataTypes":["LONG"]},)x"
    R"x("rows":[[5]]},"exceptions":[],"timeUsedMs":3,"partialResult":false})x";

// A broker that answers every request alike and keeps the last one.
struct FakeBroker {
  explicit FakeBroker(http::HttpResponse response) {
    server = http::HttpServer::Start(
                 "127.0.0.1", 0, 1, {},
                 [this, response](http::HttpRequest request, http::Responder respond) {
                   last = std::move(request);
                   respond(response);
                 })
                 .value();
  }
  int Run(const std::string& sql, OutputFormat format) {
    const std::string url = fmt::format("http://127.0.0.1:{}", server->port());
    const auto client = http::HttpClient::Create(url, std::chrono::seconds(5)).value();
    return ExecuteQuery({client, format, options}, sql, out, err);
  }
  http::HttpRequest last;
  std::string options;
  std::ostringstream out;
  std::ostringstream err;
  std::unique_ptr<http::HttpServer> server;
};

}  // namespace

TEST_CASE("a query is posted as Pinot's clients post it, and its rows printed") {
  FakeBroker broker({200, "application/json", {}, kOneRow});
  broker.options = "timeoutMs=5";
  CHECK(broker.Run("SELECT 'ä\"' FROM t", OutputFormat::kTable) == 0);
  CHECK(broker.last.method == "POST");
  CHECK(broker.last.path == "/query/sql");
  const auto body = nlohmann::json::parse(broker.last.body);
  CHECK(body["sql"] == "SELECT 'ä\"' FROM t");
  CHECK(body["queryOptions"] == "timeoutMs=5");
  CHECK(broker.out.str() == "count(*)\n--------\n       5\n(1 row, 3 ms)\n");
  CHECK(broker.err.str() == "");
}

TEST_CASE("json prints the answer as it came") {
  FakeBroker broker({200, "application/json", {}, kOneRow});
  CHECK(broker.Run("SELECT 1", OutputFormat::kJson) == 0);
  CHECK(broker.out.str() == kOneRow + "\n");
}

TEST_CASE("a failed query ends with 1 and its fault on standard error, in every format") {
  for (OutputFormat format : {OutputFormat::kTable, OutputFormat::kJson, OutputFormat::kCsv}) {
    FakeBroker broker(
        {200, "application/json", {}, R"({"exceptions":[{"errorCode":150,"message":"line 1"}]})"});
    CHECK(broker.Run("SELEC", format) == 1);
    CHECK(broker.err.str() == "error 150: line 1\n");
  }
}

TEST_CASE("an HTTP fault ends with 1, an answer that is none or no broker with 2") {
  FakeBroker fault({400, "text/plain", {}, "no sql"});
  CHECK(fault.Run("SELECT 1", OutputFormat::kTable) == 1);
  CHECK_THAT(fault.err.str(), Contains("HTTP 400 Bad Request: no sql"));
  FakeBroker garbage({200, "text/plain", {}, "<html>"});
  CHECK(garbage.Run("SELECT 1", OutputFormat::kCsv) == 2);
  CHECK(garbage.out.str() == "");
  REQUIRE(garbage.server->Drain(std::chrono::milliseconds(100)).ok());
  CHECK(garbage.Run("SELECT 1", OutputFormat::kTable) == 2);
  CHECK_THAT(garbage.err.str(), Contains(fmt::format("127.0.0.1:{}", garbage.server->port())));
}

TEST_CASE("a partial answer without faults says so and ends with 0") {
  std::string partial = kOneRow;
  partial.replace(partial.rfind("false"), 5, "true");
  FakeBroker broker({200, "application/json", {}, partial});
  CHECK(broker.Run("SELECT 1", OutputFormat::kCsv) == 0);
  CHECK_THAT(broker.err.str(), Contains("partial"));
}

TEST_CASE("wrong arguments end with 2") {
  for (const std::vector<const char*>& arguments : std::initializer_list<std::vector<const char*>>{
           {"query", "--format", "xml", "SELECT 1"},
           {"query", "--timeout", "0", "SELECT 1"},
           {"query", "--broker", "https://x", "SELECT 1"},
           {"query", "--nosuch", "SELECT 1"},
           {"query", "SELECT 1", "SELECT 2"}}) {
    CAPTURE(arguments[1]);
    CHECK(RunQueryCommand(static_cast<int>(arguments.size()), arguments.data()) == 2);
  }
}

TEST_CASE("a statement is whole at its semicolon, SET statements wait for their query") {
  CHECK(IsCompleteStatement("SELECT 1;"));
  CHECK(IsCompleteStatement(" SET a = 1; SELECT 1 ; \n"));
  CHECK(IsCompleteStatement("EXPLAIN PLAN FOR SELECT 1;"));
  CHECK(!IsCompleteStatement("SELECT 1"));
  CHECK(!IsCompleteStatement("set a = 1;"));
  CHECK(!IsCompleteStatement("SET a = 1; SET b = 2;\n"));
  CHECK(!IsCompleteStatement("  "));
}
