#include "broker/query/query_engine.h"

#include <algorithm>
#include <future>

#include "tests/unit/broker/in_process_leaf.h"

namespace trellis::broker {
namespace {

// A leaf over examples/data, a broker's view of it and an engine.
class Tier {
 public:
  Tier() : cluster(MakeStaticCluster({leaf.target()})), engine(*cluster, {}) {
    REQUIRE(cluster->WaitForAll(std::chrono::seconds(20)));
  }
  InProcessLeaf leaf;
  std::unique_ptr<ClusterView> cluster;
  QueryEngine engine;
};

Tier& SharedTier() {
  static Tier tier;
  return tier;
}

QueryResponse Ask(const std::string& sql, const OptionList& options = {}) {
  return SharedTier().engine.Execute({sql, options, ""});
}

int CodeOf(const QueryResponse& response) {
  return response.exceptions.empty() ? 0 : response.exceptions[0].code;
}

std::vector<Value> Row(const QueryResponse& response, size_t row) {
  INFO((response.exceptions.empty() ? "" : response.exceptions[0].message));
  REQUIRE(response.table.has_value());
  REQUIRE(row < response.table->rows.rows);
  std::vector<Value> values;
  for (const ColumnVector& column : response.table->rows.columns) values.push_back(column.Get(row));
  return values;
}

bool HasStation(const QueryResponse& response, const std::string& name) {
  return std::any_of(response.stations.begin(), response.stations.end(),
                     [&](const auto& station) { return station.first == name; });
}

}  // namespace

TEST_CASE("a query is answered over all segments, with its bill and its statistics") {
  const QueryResponse response = Ask("SELECT COUNT(*), MIN(trip_id) FROM rides");
  CHECK(Row(response, 0) == std::vector{Value::Long(kRidesRows), Value::Double(9e9)});
  CHECK(response.exceptions.empty());
  CHECK_FALSE(response.partial_result);
  CHECK(response.tables_queried == std::vector<std::string>{"rides"});
  CHECK(response.statistics.total_docs == kRidesRows);
  CHECK(response.statistics.docs_scanned == kRidesRows);
  CHECK(response.statistics.segments_queried == 5);
  CHECK(response.statistics.servers_queried == 1);
  CHECK(response.statistics.servers_responded == 1);
  REQUIRE(response.dispatch_stats.size() == 1);
  CHECK(response.dispatch_stats[0].server == SharedTier().leaf.target());
  CHECK(response.dispatch_stats[0].segments == 5);
  CHECK(response.dispatch_stats[0].wire_size_bytes > 0);
  for (const char* station : {"parse", "bind", "route", "handover", "dispatch", "reduce"}) {
    INFO(station);
    CHECK(HasStation(response, station));
  }
}

TEST_CASE("rows are filtered, ordered and cut") {
  const QueryResponse response =
      Ask("SELECT trip_id FROM rides WHERE trip_id > 9000000000 ORDER BY trip_id LIMIT 2 OFFSET 1");
  REQUIRE(response.table.has_value());
  CHECK(response.table->names == std::vector<std::string>{"trip_id"});
  REQUIRE(response.table->rows.rows == 2);
  CHECK(Row(response, 0)[0].int64() > 9'000'000'000);
  CHECK(Row(response, 0)[0].int64() < Row(response, 1)[0].int64());
}

TEST_CASE("groups add up to the table") {
  const QueryResponse response =
      Ask("SELECT station, COUNT(*) AS n FROM rides GROUP BY station ORDER BY n DESC LIMIT 1000");
  REQUIRE(response.table.has_value());
  int64_t total = 0;
  for (size_t row = 0; row < response.table->rows.rows; ++row)
    total += Row(response, row)[1].int64();
  CHECK(response.table->rows.rows > 1);
  CHECK(total == kRidesRows);
}

TEST_CASE("errors of the query are exceptions with Pinot's code and no rows") {
  for (const auto& [sql, code] : std::vector<std::pair<std::string, int>>{
           {"SELECT", 150},
           {"", 150},
           {"SELECT a FROM nosuchtable", 190},
           {"SELECT nosuchcolumn FROM rides", 710},
           {"SELECT SUM(station) FROM rides", 700},
           {"EXPLAIN PLAN FOR SELECT nosuch FROM rides", 710}}) {
    const QueryResponse response = Ask(sql);
    INFO(sql);
    CHECK(CodeOf(response) == code);
    CHECK_FALSE(response.table.has_value());
    CHECK(response.partial_result);
    CHECK(response.statistics.servers_queried == 0);
  }
}

TEST_CASE("an error that only shows on rows is the server's, with its name") {
  const QueryResponse response = Ask("SELECT CAST(station AS INT) FROM rides");
  CHECK(CodeOf(response) == 200);
  CHECK_FALSE(response.table.has_value());
  REQUIRE_FALSE(response.exceptions.empty());
  CHECK(response.exceptions[0].message.find(SharedTier().leaf.target()) != std::string::npos);
}

TEST_CASE("a SELECT of literals asks no server") {
  const QueryResponse response = Ask("SELECT 1, 'a'");
  CHECK(Row(response, 0) == std::vector{Value::Int(1), Value::String("a")});
  CHECK(response.statistics.servers_queried == 0);
  CHECK(response.dispatch_stats.empty());
  const QueryResponse none = Ask("SELECT 1 LIMIT 0");
  REQUIRE(none.table.has_value());
  CHECK(none.table->rows.rows == 0);
}

TEST_CASE("a condition that is FALSE is answered by the broker alone") {
  const QueryResponse count = Ask("SELECT COUNT(*) FROM rides WHERE 1 = 2");
  CHECK(Row(count, 0) == std::vector{Value::Long(0)});
  CHECK(count.statistics.servers_queried == 0);
  CHECK(count.exceptions.empty());
  const QueryResponse rows = Ask("SELECT trip_id FROM rides WHERE minutes > 5000000000");
  REQUIRE(rows.table.has_value());
  CHECK(rows.table->rows.rows == 0);
}

TEST_CASE("options of the request fill what the text leaves open") {
  CHECK(CodeOf(Ask("SELECT 1", {{"nosuchoption", "1"}})) == 150);
  CHECK(CodeOf(Ask("SELECT 1", {{"useMultistageEngine", "true"}})) == 700);
  const std::string nulls = "SELECT COUNT(comment) FROM rides";
  const int64_t all = Row(Ask(nulls), 0)[0].int64();
  const int64_t filled = Row(Ask(nulls, {{"enableNullHandling", "true"}}), 0)[0].int64();
  CHECK(all == kRidesRows);
  CHECK(filled < all);
  CHECK(filled > 0);
}

TEST_CASE("numGroupsLimit drops groups and says so") {
  const QueryResponse response =
      Ask("SELECT trip_id, COUNT(*) FROM rides GROUP BY trip_id LIMIT 10000",
          {{"numGroupsLimit", "10"}});
  REQUIRE(response.table.has_value());
  CHECK(response.table->rows.rows < 5'000);
  CHECK(response.groups_limit_reached);
  CHECK(response.partial_result);
}

TEST_CASE("a response names its query, its client and its broker") {
  QueryEngine engine(*SharedTier().cluster, {.broker_id = "b7"});
  const QueryResponse first = engine.Execute({"SELECT 1", {}, "mine"});
  const QueryResponse second = engine.Execute({"SELECT 1", {}, ""});
  CHECK(first.client_request_id == "mine");
  CHECK_FALSE(second.client_request_id.has_value());
  CHECK(first.request_id != second.request_id);
  CHECK(first.broker_id == "b7");
}

TEST_CASE("a server that is gone leaves the other's rows, as a partial answer") {
  const std::string dead = DeadTarget();
  const FixedCluster cluster({RidesAt(SharedTier().leaf.target(), {RidesSegments()[0]}),
                              RidesAt(dead, {RidesSegments()[1]})});
  QueryEngine engine(cluster, {});
  const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
  CHECK(CodeOf(response) == 427);
  CHECK(response.exceptions.at(0).message.find(dead) != std::string::npos);
  CHECK(response.partial_result);
  CHECK(response.statistics.servers_queried == 2);
  CHECK(response.statistics.servers_responded == 1);
  const int64_t count = Row(response, 0)[0].int64();
  CHECK(count > 0);
  CHECK(count < kRidesRows);
}

TEST_CASE("with every server gone there are no rows that look like an answer") {
  const FixedCluster cluster({RidesAt(DeadTarget(), RidesSegments())});
  QueryEngine engine(cluster, {});
  const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
  CHECK(CodeOf(response) == 427);
  CHECK_FALSE(response.table.has_value());
}

TEST_CASE("a segment that its server no longer holds is named with 305") {
  const FixedCluster cluster(
      {RidesAt(SharedTier().leaf.target(), {RidesSegments()[0], "rides_gone"})});
  QueryEngine engine(cluster, {});
  const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
  CHECK(CodeOf(response) == 305);
  CHECK(response.exceptions.at(0).message.find("rides_gone") != std::string::npos);
  CHECK(response.partial_result);
  CHECK(Row(response, 0)[0].int64() > 0);
}

TEST_CASE("every encoding of the list gives the same answer, and the bill says which it was") {
  for (const std::string encoding : {"known", "packed", "names", "legacy_json"}) {
    const QueryResponse response =
        Ask("SELECT COUNT(*) FROM rides", {{"segmentListEncoding", encoding}});
    INFO(encoding);
    CHECK(Row(response, 0) == std::vector{Value::Long(kRidesRows)});
    CHECK(response.exceptions.empty());
    REQUIRE(response.dispatch_stats.size() == 1);
    const DispatchStats& bill = response.dispatch_stats[0];
    CHECK(bill.encoding == encoding);
    CHECK(bill.names_sent == (encoding == "known" ? 0 : 5));
    CHECK(bill.attempts == 1);
    CHECK(bill.sent_at_us >= bill.encoded_at_us);
    // The second query finds the list encoded.
    CHECK(Ask("SELECT COUNT(*) FROM rides", {{"segmentListEncoding", encoding}})
              .dispatch_stats.at(0)
              .cache_hit);
  }
  CHECK(Ask("SELECT COUNT(*) FROM rides").dispatch_stats.at(0).encoding == "known");
  QueryEngine engine(*SharedTier().cluster, {.segment_list_encoding = "legacy_json"});
  CHECK(engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""}).dispatch_stats.at(0).encoding ==
        "legacy_json");
  CHECK(engine.Execute({"SELECT COUNT(*) FROM rides", {{"segmentListEncoding", "names"}}, ""})
            .dispatch_stats.at(0)
            .encoding == "names");
}

TEST_CASE("segments outside a filter's time are not asked for, and the answer is the same") {
  // Monday 2026-06-08: one segment of five lies before it.
  const std::string sql =
      "SELECT COUNT(*), SUM(minutes) FROM rides WHERE started_at < 1780876800000";
  const QueryResponse pruned = Ask(sql);
  const QueryResponse whole = Ask(sql, {{"useBrokerPruning", "false"}});
  CHECK(Row(pruned, 0) == Row(whole, 0));
  CHECK(Row(pruned, 0)[0].int64() > 0);
  CHECK(pruned.statistics.segments_pruned_by_broker == 4);
  CHECK(pruned.statistics.segments_queried == 1);
  CHECK(pruned.dispatch_stats.at(0).segments == 1);
  CHECK(whole.statistics.segments_pruned_by_broker == 0);
  CHECK(whole.statistics.segments_queried == 5);
  CHECK(pruned.statistics.total_docs == kRidesRows);
  CHECK(whole.statistics.total_docs == kRidesRows);
  // A plan is asked of every segment.
  CHECK(Ask("EXPLAIN PLAN FOR " + sql).statistics.segments_queried == 5);
}

TEST_CASE("when every segment is pruned no server is asked") {
  const QueryResponse none = Ask("SELECT COUNT(*) FROM rides WHERE started_at > 2000000000000");
  CHECK(Row(none, 0) == std::vector{Value::Long(0)});
  CHECK(none.exceptions.empty());
  CHECK_FALSE(none.partial_result);
  CHECK(none.statistics.servers_queried == 0);
  CHECK(none.statistics.segments_pruned_by_broker == 5);
  CHECK(none.statistics.total_docs == kRidesRows);
}

TEST_CASE("a dead server whose segments have another replica is not missed") {
  const std::string dead = DeadTarget();
  const FixedCluster cluster(
      {RidesAt(SharedTier().leaf.target(), RidesSegments()), RidesAt(dead, RidesSegments())});
  QueryEngine engine(cluster, {});
  int32_t retries = 0;
  for (int i = 0; i < 4; ++i) {  // whichever replica the query begins with
    const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
    CHECK(Row(response, 0) == std::vector{Value::Long(kRidesRows)});
    CHECK(response.exceptions.empty());
    CHECK_FALSE(response.partial_result);
    CHECK(response.statistics.docs_scanned == kRidesRows);
    retries += response.retries;
  }
  CHECK(retries > 0);
  const QueryResponse strict =
      engine.Execute({"SELECT COUNT(*) FROM rides", {{"retry", "false"}}, ""});
  CHECK(CodeOf(strict) == 427);
}

TEST_CASE("a server that has just gone and comes back is waited for, one that stays away is not") {
  ReportedServer report = RidesAt(SharedTier().leaf.target(), RidesSegments());
  const FixedCluster back({report});
  report.server.alive = false;
  const FixedCluster gone({report});
  // Shows the server as gone for a while.
  class Returning : public ClusterView {
   public:
    Returning(const ClusterView& gone, const ClusterView& back) : gone_(gone), back_(back) {}
    std::shared_ptr<const CatalogSnapshot> snapshot() const override {
      return (++asked_ < 5 ? gone_ : back_).snapshot();
    }
    std::shared_ptr<rpc::Channel> channel(const std::string& target) const override {
      return back_.channel(target);
    }
    bool WaitForAll(std::chrono::milliseconds) const override { return true; }

   private:
    const ClusterView& gone_;
    const ClusterView& back_;
    mutable std::atomic<int> asked_{0};
  };
  const Returning cluster(gone, back);
  QueryEngine engine(cluster, {});
  const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
  CHECK(Row(response, 0) == std::vector{Value::Long(kRidesRows)});
  CHECK(response.exceptions.empty());

  QueryEngine patient(gone, {});
  CHECK(CodeOf(patient.Execute({"SELECT COUNT(*) FROM rides", {}, ""})) == 305);
  CHECK(CodeOf(patient.Execute({"SELECT COUNT(*) FROM rides", {{"retry", "false"}}, ""})) == 305);
}

TEST_CASE("a server that hangs is hedged, unless the query says not to") {
  for (const bool hedge : {true, false}) {
    const SilentServer silent;
    const FixedCluster cluster({RidesAt(SharedTier().leaf.target(), RidesSegments()),
                                RidesAt(silent.target(), RidesSegments())});
    QueryEngine engine(cluster, {.hedge_delay = {.delay_min = std::chrono::milliseconds(5),
                                                 .delay_max = std::chrono::milliseconds(30)}});
    // Connecting to it fails after a while; without retries only a hedge helps.
    const OptionList options{{"hedge", hedge ? "true" : "false"}, {"retry", "false"}};
    const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", options, ""});
    CHECK((response.hedges > 0) == hedge);
    CHECK(CodeOf(response) == (hedge ? 0 : 427));
    CHECK((Row(response, 0)[0].int64() == kRidesRows) == hedge);
  }
}

TEST_CASE("a segment that no server can read is named with 305") {
  ReportedServer report = RidesAt(SharedTier().leaf.target(), RidesSegments());
  report.tables[0].segments[4].broken = "columns.psf is cut";
  const FixedCluster cluster({report});
  QueryEngine engine(cluster, {});
  const QueryResponse response = engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
  CHECK(CodeOf(response) == 305);
  CHECK(response.exceptions.at(0).message.find("columns.psf is cut") != std::string::npos);
  CHECK(Row(response, 0)[0].int64() < kRidesRows);
}

TEST_CASE("timeoutMs ends a query whose server hangs") {
  const SilentServer silent;
  const FixedCluster cluster({RidesAt(silent.target(), RidesSegments())});
  QueryEngine engine(cluster, {});
  const QueryResponse response =
      engine.Execute({"SELECT COUNT(*) FROM rides", {{"timeoutMs", "150"}}, ""});
  CHECK(CodeOf(response) == 427);
}

TEST_CASE("a running query is cancelled by its id, which nobody else may take") {
  const SilentServer silent;
  FixedCluster cluster({RidesAt(silent.target(), RidesSegments())});
  std::promise<void> sent;
  cluster.on_channel = [&] { sent.set_value(); };
  QueryEngine engine(cluster, {});
  CHECK_FALSE(engine.Cancel("mine"));
  auto running = std::async(std::launch::async, [&] {
    return engine.Execute({"SELECT COUNT(*) FROM rides", {}, "mine"});
  });
  sent.get_future().wait();
  const QueryResponse second = engine.Execute({"SELECT 1", {}, "mine"});
  CHECK(CodeOf(second) == 700);
  CHECK_FALSE(second.table.has_value());
  CHECK_FALSE(engine.Cancel("other"));
  CHECK(engine.Cancel("mine"));
  const QueryResponse cancelled = running.get();
  CHECK(CodeOf(cancelled) == 503);
  CHECK_FALSE(cancelled.table.has_value());
  CHECK(CodeOf(engine.Execute({"SELECT 1", {}, "mine"})) == 0);  // the id is free again
}

TEST_CASE("CancelAll ends every running query") {
  const SilentServer silent;
  FixedCluster cluster({RidesAt(silent.target(), RidesSegments())});
  std::atomic<int> sent{0};
  cluster.on_channel = [&] { ++sent; };
  QueryEngine engine(cluster, {});
  std::vector<std::future<QueryResponse>> running;
  for (int i = 0; i < 3; ++i) {
    running.push_back(std::async(std::launch::async, [&] {
      return engine.Execute({"SELECT COUNT(*) FROM rides", {}, ""});
    }));
  }
  REQUIRE(Eventually([&] { return sent == 3; }));
  engine.CancelAll();
  for (auto& response : running) CHECK(CodeOf(response.get()) == 503);
}

}  // namespace trellis::broker
