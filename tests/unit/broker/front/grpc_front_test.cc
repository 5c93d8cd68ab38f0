#include "broker/front/grpc_front.h"

#include <grpcpp/grpcpp.h>

#include <future>

#include "tests/unit/broker/in_process_leaf.h"
#include "trellis/v1/query.grpc.pb.h"

namespace trellis::broker {
namespace {

// The broker's gRPC door on a port, and a client's stub.
class Door {
 public:
  explicit Door(const std::vector<ReportedServer>& servers)
      : cluster(servers), engine_(cluster, {}), pool(2, 10), front_(MakeGrpcFront(engine_, pool)) {
    auto runner = rpc::ServerRunner::Start({"127.0.0.1", 0}, {front_.get()});
    INFO(runner.status().message());
    REQUIRE(runner.ok());
    runner_ = std::move(*runner);
    stub = v1::QueryService::NewStub(grpc::CreateChannel(
        "127.0.0.1:" + std::to_string(runner_->port()), grpc::InsecureChannelCredentials()));
  }

  struct Answer {
    grpc::Status status;
    std::vector<v1::QueryResponse> messages;
    const v1::QueryDone& done() const {
      REQUIRE_FALSE(messages.empty());
      REQUIRE(messages.back().has_done());
      return messages.back().done();
    }
  };
  Answer Execute(const v1::QueryRequest& request) {
    grpc::ClientContext context;
    Answer answer;
    const auto reader = stub->Execute(&context, request);
    v1::QueryResponse message;
    while (reader->Read(&message)) answer.messages.push_back(message);
    answer.status = reader->Finish();
    return answer;
  }
  Answer Execute(const std::string& sql, const std::string& id = "") {
    return Execute(Request(sql, id));
  }
  static v1::QueryRequest Request(const std::string& sql, const std::string& id = "") {
    v1::QueryRequest request;
    request.set_protocol_version(1);
    request.set_sql(sql);
    request.set_query_id(id);
    return request;
  }
  bool Cancel(const std::string& id) {
    grpc::ClientContext context;
    v1::CancelQueryRequest request;
    request.set_query_id(id);
    v1::CancelQueryResponse response;
    REQUIRE(stub->Cancel(&context, request, &response).ok());
    return response.found();
  }

  FixedCluster cluster;

 private:
  QueryEngine engine_;

 public:
  TaskPool pool;
  std::unique_ptr<v1::QueryService::Stub> stub;

 private:
  std::shared_ptr<grpc::Service> front_;
  std::unique_ptr<rpc::ServerRunner> runner_;
};

}  // namespace

TEST_CASE("Execute streams a schema, the rows and how it went") {
  const InProcessLeaf leaf;
  Door door({RidesAt(leaf.target(), RidesSegments())});
  const auto answer = door.Execute("SELECT trip_id, station FROM rides LIMIT 2500", "mine");
  CHECK(answer.status.ok());
  REQUIRE(answer.messages.size() >= 3);
  REQUIRE(answer.messages[0].has_schema());
  CHECK(answer.messages[0].schema().query_id() == "mine");
  REQUIRE(answer.messages[0].schema().names_size() == 2);
  CHECK(answer.messages[0].schema().names(1) == "station");
  CHECK(static_cast<int>(answer.messages[0].schema().types(0).type()) ==
        static_cast<int>(DataType::kLong));
  int rows = 0;
  for (const auto& message : answer.messages) {
    if (!message.has_rows()) continue;
    CHECK(message.rows().rows_size() <= 1'000);
    for (const auto& row : message.rows().rows()) {
      REQUIRE(row.values_size() == 2);
      CHECK(row.values(0).int64() >= 9'000'000'000);
      CHECK_FALSE(row.values(1).raw().empty());
    }
    rows += message.rows().rows_size();
  }
  CHECK(rows == 2500);
  CHECK(answer.done().exceptions_size() == 0);
  CHECK_FALSE(answer.done().partial_result());
  CHECK(answer.done().servers_responded() == 1);
  CHECK(answer.done().statistics().documents_total() == kRidesRows);
}

TEST_CASE("values of every kind arrive typed, and nulls without a payload") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  const auto answer = door.Execute("SELECT 1, 9000000000, 1.5, 'a', true, NULL");
  REQUIRE(answer.messages.size() == 3);
  REQUIRE(answer.messages[1].rows().rows_size() == 1);
  const auto& row = answer.messages[1].rows().rows(0);
  REQUIRE(row.values_size() == 6);
  CHECK(row.values(0).int32() == 1);
  CHECK(row.values(1).int64() == 9'000'000'000);
  CHECK(row.values(2).float64() == 1.5);
  CHECK(row.values(3).raw() == "a");
  CHECK(row.values(4).int32() == 1);
  CHECK_FALSE(row.values(5).has_raw());
  CHECK_FALSE(row.values(5).has_int32());
}

TEST_CASE("errors of a query are exceptions of its last message") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  const auto answer = door.Execute("SELECT nosuch FROM rides");
  CHECK(answer.status.ok());
  REQUIRE(answer.messages.size() == 1);
  REQUIRE(answer.done().exceptions_size() == 1);
  CHECK(answer.done().exceptions(0).error_code() == 710);
  CHECK(answer.done().partial_result());
}

TEST_CASE("options of a gRPC request reach the query") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  v1::QueryRequest request = Door::Request("SELECT 1");
  (*request.mutable_options())["nosuchoption"] = "1";
  const auto answer = door.Execute(request);
  REQUIRE(answer.done().exceptions_size() == 1);
  CHECK(answer.done().exceptions(0).error_code() == 150);
}

TEST_CASE("a newer protocol version is refused") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  v1::QueryRequest request = Door::Request("SELECT 1");
  request.set_protocol_version(2);
  const auto answer = door.Execute(request);
  CHECK(answer.status.error_code() == grpc::StatusCode::FAILED_PRECONDITION);
  CHECK(answer.messages.empty());
}

TEST_CASE("a draining broker refuses queries") {
  Door door({RidesAt("127.0.0.1:1", RidesSegments())});
  door.pool.Drain();
  CHECK(door.Execute("SELECT 1").status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED);
}

TEST_CASE("Cancel ends a running query by its id and says whether there was one") {
  const SilentServer silent;
  Door door({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  door.cluster.on_channel = [&] { sent.set_value(); };
  CHECK_FALSE(door.Cancel("mine"));
  auto running = std::async(std::launch::async,
                            [&] { return door.Execute("SELECT COUNT(*) FROM rides", "mine"); });
  sent.get_future().wait();
  CHECK(door.Cancel("mine"));
  const auto answer = running.get();
  REQUIRE(answer.done().exceptions_size() == 1);
  CHECK(answer.done().exceptions(0).error_code() == 503);
}

TEST_CASE("a client that cancels its call ends the query") {
  const SilentServer silent;
  Door door({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  door.cluster.on_channel = [&] { sent.set_value(); };
  grpc::ClientContext context;
  const auto reader =
      door.stub->Execute(&context, Door::Request("SELECT COUNT(*) FROM rides", "mine"));
  sent.get_future().wait();
  context.TryCancel();
  v1::QueryResponse message;
  while (reader->Read(&message)) {
  }
  CHECK(reader->Finish().error_code() == grpc::StatusCode::CANCELLED);
  CHECK(Eventually([&] { return !door.Cancel("mine"); }));
}

}  // namespace trellis::broker
