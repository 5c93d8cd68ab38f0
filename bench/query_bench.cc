// How long does a whole query take, from SQL text to rows, when nothing but Trellis is in the way?
// Broker and leaf server run in this process and talk gRPC over the loopback; there is no HTTP and
// no JSON. Two sets of queries:
//
//   Query/<file>/<index>   every recorded query of the fixtures that Pinot answered; index = its
//                          position in reference/<file>.json. Only where the fixtures are.
//   Query/<name>           our own over examples/data, always; these must all be answered.
//
// Checked once before timing: the answer has no exception and as many rows as expected. The
// physical bound is Query/floor: a query that touches no segment, i.e. parse, plan, one round trip.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "broker/cluster/cluster_view.h"
#include "broker/query/query_engine.h"
#include "common/base/check.h"
#include "server/app/server_process.h"

namespace trellis::bench {
namespace {

namespace fs = std::filesystem;

constexpr auto kStartTimeout = std::chrono::seconds(30);
constexpr double kBarMs = 20;  // what every fixture query must stay under
constexpr size_t kSlowestShown = 10;
constexpr int kSqlShownBytesMax = 300;

// A leaf server over one data directory and a broker's engine that asks it.
class Process {
 public:
  explicit Process(const fs::path& data_dir) {
    server::ServerOptions options;
    options.data_dir = data_dir.string();
    options.host = "127.0.0.1";
    options.grpc_port = 0;
    options.http_port = -1;
    auto started = server::ServerProcess::Start(options);
    if (!started.ok()) {
      fmt::print(stderr, "{}\n", started.status().message());
      std::exit(2);
    }
    server_ = std::move(*started);
    cluster_ = broker::MakeStaticCluster({fmt::format("127.0.0.1:{}", server_->grpc_port())});
    TRELLIS_CHECK(cluster_->WaitForAll(kStartTimeout));
    engine_ = std::make_unique<broker::QueryEngine>(*cluster_, broker::EngineOptions{});
  }
  broker::QueryEngine& engine() { return *engine_; }

 private:
  std::unique_ptr<server::ServerProcess> server_;
  std::unique_ptr<broker::ClusterView> cluster_;
  std::unique_ptr<broker::QueryEngine> engine_;
};

struct Question {
  std::string name;
  broker::QueryCall call;
  size_t rows = 0;  // in the answer
};

void RunQuestion(benchmark::State& state, broker::QueryEngine& engine, const Question& question) {
  const broker::QueryResponse first = engine.Execute(question.call);
  if (!first.exceptions.empty()) {
    state.SkipWithError(first.exceptions[0].message.c_str());
    return;
  }
  const size_t rows = first.table ? first.table->rows.rows : 0;
  if (rows != question.rows) {
    state.SkipWithError(fmt::format("{} rows, not {}", rows, question.rows).c_str());
    return;
  }
  for (auto _ : state) {
    broker::QueryResponse response = engine.Execute(question.call);
    benchmark::DoNotOptimize(response);
  }
  state.counters["rows"] = static_cast<double>(rows);
  state.counters["segments"] = static_cast<double>(first.statistics.segments_queried);
}

void Register(broker::QueryEngine& engine, Question question) {
  const std::string name = "Query/" + question.name;
  benchmark::RegisterBenchmark(name.c_str(),
                               [&engine, question = std::move(question)](benchmark::State& state) {
                                 RunQuestion(state, engine, question);
                               })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()  // the work is on other threads
      ->MeasureProcessCPUTime();
}

// 5,000 values of the time column, of which few are there.
std::string InFiveThousand() {
  std::string list;
  for (int64_t i = 0; i < 5'000; ++i)
    list += fmt::format("{}{}", i ? "," : "", 1'780'272'000'000 + i * 604'000);
  return "SELECT COUNT(*) FROM rides WHERE started_at IN (" + list + ")";
}

// Queries over examples/data: rides has 5 segments of 1,000 rows.
const std::vector<Question>& ExampleQuestions() {
  static const std::vector<Question> questions{
      {"floor",
       {"SELECT day FROM rides WHERE day = 'never' LIMIT 1", {{"useBrokerPruning", "false"}}},
       0},
      {"pruned_by_broker", {"SELECT day FROM rides WHERE day = 'never' LIMIT 1"}, 0},
      {"count", {"SELECT COUNT(*) FROM rides"}, 1},
      {"filter_equal", {"SELECT SUM(minutes) FROM rides WHERE station = 'Tram Depot'"}, 1},
      {"filter_range", {"SELECT SUM(fare) FROM rides WHERE minutes BETWEEN 20 AND 40"}, 1},
      {"filter_in", {"SELECT COUNT(*) FROM rides WHERE rating IN (1, 3, 5)"}, 1},
      {"filter_in_5000", {InFiveThousand()}, 1},
      {"filter_in_5000_unpruned", {InFiveThousand(), {{"useBrokerPruning", "false"}}}, 1},
      {"filter_like", {"SELECT COUNT(*) FROM rides WHERE comment LIKE '%rower%'"}, 1},
      {"group_by_dictionary",
       {"SELECT station, COUNT(*), AVG(minutes) FROM rides GROUP BY station LIMIT 5"},
       5},
      {"group_by_expression",
       {"SELECT minutes / 10, SUM(fare) FROM rides GROUP BY minutes / 10 LIMIT 5"},
       5},
      {"group_by_map_key",
       {"SELECT weather['sky'], COUNT(*) FROM rides GROUP BY weather['sky'] LIMIT 3"},
       3},
      {"group_by_multi_value", {"SELECT tags, COUNT(*) FROM rides GROUP BY tags LIMIT 3"}, 3},
      {"group_by_many", {"SELECT trip_id, MAX(fare) FROM rides GROUP BY trip_id LIMIT 5000"}, 5000},
      {"order_by_limit",
       {"SELECT trip_id, comment, fare FROM rides ORDER BY fare DESC, trip_id LIMIT 100"},
       100},
      {"select_wide", {"SELECT * FROM rides LIMIT 1000"}, 1000},
      {"distinct", {"SELECT DISTINCT bike_id FROM rides LIMIT 100"}, 100},
      {"percentile", {"SELECT PERCENTILE(minutes, 95), DISTINCTCOUNT(bike_id) FROM rides"}, 1},
  };
  return questions;
}

// A query of the fixtures may be one of the known gaps (tests/reference/known_gaps.txt): it is
// reported and not timed.
bool MustBeAnswered(const std::string& benchmark) {
  return std::count(benchmark.begin(), benchmark.end(), '/') < 2;
}

// Adds the records of one reference file that Pinot answered.
void AddRecords(const fs::path& path, std::vector<Question>& questions) {
  std::ifstream file(path);
  if (!file) return;
  const auto records = nlohmann::json::parse(file);
  for (size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    if (!record.at("exceptions").empty() || !record.value("stable", true)) continue;
    Question question;
    question.name = fmt::format("{}/{}", path.stem().string(), i);
    question.call.sql = record.at("sql");
    auto options = broker::SplitOptions(record.value("queryOptions", ""));
    TRELLIS_CHECK(options.ok());
    question.call.options = std::move(*options);
    question.rows = record.at("resultTable").at("rows").size();
    questions.push_back(std::move(question));
  }
}

// The fixtures' folder; empty when they are absent.
fs::path FixturesDir() {
  const char* given = std::getenv("TRELLIS_FIXTURES");
  const fs::path dir =
      given ? fs::path(given) : fs::path(TRELLIS_SOURCE_DIR) / ".." / "shared" / "fixtures";
  return fs::is_directory(dir / "data") && fs::is_directory(dir / "reference") ? dir : fs::path();
}

// Prints as usual, and remembers for the table at the end.
class SlowestReporter : public benchmark::ConsoleReporter {
 public:
  SlowestReporter() : ConsoleReporter(OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      // Of repetitions, their median.
      if (run.run_type == Run::RT_Aggregate ? run.aggregate_name != "median" : run.repetitions > 1)
        continue;
      if (run.error_occurred) {
        failed_.push_back(run.benchmark_name());
      } else {
        times_.push_back(
            {run.GetAdjustedRealTime(), run.GetAdjustedCPUTime(), run.benchmark_name()});
      }
    }
  }

  // Prints the slowest with their SQL, by the names in `sql_of`. Returns false when a query that
  // must be answered was not.
  bool Summarise(const std::map<std::string, std::string>& sql_of) {
    std::sort(times_.begin(), times_.end(),
              [](const Time& a, const Time& b) { return a.real_ms > b.real_ms; });
    const auto over = std::count_if(times_.begin(), times_.end(),
                                    [](const Time& t) { return t.real_ms > kBarMs; });
    fmt::print("\n{} timed, {} failed, {} over {} ms; the slowest:\n  real ms    CPU ms\n",
               times_.size(), failed_.size(), over, kBarMs);
    for (size_t i = 0; i < std::min(times_.size(), kSlowestShown); ++i) {
      const std::string name = NameOf(times_[i].name);
      const auto sql = sql_of.find(name);
      fmt::print("{:9.3f} {:9.3f}  {}  {:.{}}\n", times_[i].real_ms, times_[i].cpu_ms, name,
                 sql == sql_of.end() ? "" : sql->second, kSqlShownBytesMax);
    }
    return std::none_of(failed_.begin(), failed_.end(),
                        [](const std::string& name) { return MustBeAnswered(NameOf(name)); });
  }

 private:
  struct Time {
    double real_ms;
    double cpu_ms;
    std::string name;
  };
  // The registered name: without what the library appends.
  static std::string NameOf(const std::string& name) {
    return name.substr(0, name.find("/process_time"));
  }

  std::vector<Time> times_;
  std::vector<std::string> failed_;
};

int Main(int argc, char** argv) {
  spdlog::set_level(spdlog::level::err);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::map<std::string, std::string> sql_of;
  Process examples(fs::path(TRELLIS_SOURCE_DIR) / "examples" / "data");
  for (const Question& question : ExampleQuestions()) {
    sql_of["Query/" + question.name] = question.call.sql;
    Register(examples.engine(), question);
  }
  std::unique_ptr<Process> fixtures;
  if (const fs::path dir = FixturesDir(); !dir.empty()) {
    fixtures = std::make_unique<Process>(dir / "data");
    std::vector<Question> questions;
    for (const char* file : {"baseline", "baseballStats", "airlineStats", "maps", "semantics"})
      AddRecords(dir / "reference" / (std::string(file) + ".json"), questions);
    for (const Question& question : questions) {
      sql_of["Query/" + question.name] = question.call.sql;
      Register(fixtures->engine(), question);
    }
  }
  SlowestReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return reporter.Summarise(sql_of) ? 0 : 1;
}

}  // namespace
}  // namespace trellis::bench

int main(int argc, char** argv) { return trellis::bench::Main(argc, argv); }
