#include "server/execute/leaf_execution.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <future>

#include "tests/unit/server/operators/lane_runs.h"

namespace trellis::server {
namespace {

using namespace std::chrono_literals;
using Segments = std::vector<std::shared_ptr<const segment::Segment>>;
using Clock = LeafExecution::Clock;

plan::LeafStage CountByStation() {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  stage.shape = plan::QueryShape::kGroupBy;
  stage.keys = {Rides().Column("station")};
  stage.aggregates = {Call("count")};
  return stage;
}

// Every segment `times` over: a list long enough that several threads share it.
Segments Repeated(size_t times) {
  Segments all;
  for (size_t i = 0; i < times; ++i)
    all.insert(all.end(), Rides().segments.begin(), Rides().segments.end());
  return all;
}

struct Run {
  std::promise<LeafOutcome> promise;
  std::future<LeafOutcome> future = promise.get_future();
  std::atomic<int> calls{0};
  Segments held;
  std::shared_ptr<LeafExecution> execution;

  Run(std::shared_ptr<LeafQuery> query, Segments segments, Clock::time_point deadline) {
    SegmentSelection selection;
    held = std::move(segments);
    for (const auto& segment : held) selection.chosen.push_back(segment.get());
    selection.view = selection.chosen;
    execution = std::make_shared<LeafExecution>(std::move(query), std::move(selection), deadline, 4,
                                                [this](LeafOutcome outcome) {
                                                  if (calls++ == 0)
                                                    promise.set_value(std::move(outcome));
                                                });
  }
  LeafOutcome Wait() {
    REQUIRE(future.wait_for(30s) == std::future_status::ready);
    return future.get();
  }
};

Clock::time_point Later() { return Clock::now() + 60s; }

TEST_CASE("an execution by many threads answers what one lane answers, and once") {
  const auto query = MakeQuery(CountByStation());
  const auto expected = FinishedRows(*query, RunLanes(query, 1).block);
  for (const size_t threads : {1, 4}) {
    Run run(query, Rides().segments, Later());
    LeafOutcome outcome;
    {
      Scheduler scheduler(threads);
      scheduler.Submit(run.execution);
      outcome = run.Wait();
    }
    REQUIRE(outcome.status.message() == "");
    CHECK(FinishedRows(*query, outcome.block) == expected);
    CHECK(outcome.statistics.segments_processed == 5);
    CHECK(outcome.statistics.documents_scanned == 5000);
    CHECK(run.calls == 1);
  }
}

TEST_CASE("many executions at a time do not mix their answers") {
  const auto expected_query = MakeQuery(CountByStation());
  const auto expected = FinishedRows(*expected_query, RunLanes(expected_query, 1).block);
  std::vector<std::unique_ptr<Run>> runs;
  std::vector<std::shared_ptr<LeafQuery>> queries;
  Scheduler scheduler(6);
  for (int i = 0; i < 40; ++i) {
    queries.push_back(MakeQuery(CountByStation()));
    runs.push_back(std::make_unique<Run>(queries.back(), Rides().segments, Later()));
    scheduler.Submit(runs.back()->execution);
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    const LeafOutcome outcome = runs[i]->Wait();
    REQUIRE(outcome.status.message() == "");
    CHECK(FinishedRows(*queries[i], outcome.block) == expected);
  }
}

TEST_CASE("an empty list runs and answers over no rows") {
  plan::LeafStage stage = CountByStation();
  stage.shape = plan::QueryShape::kAggregate;
  stage.keys.clear();
  const auto query = MakeQuery(stage);
  Run run(query, {}, Later());
  Scheduler scheduler(2);
  scheduler.Submit(run.execution);
  const LeafOutcome outcome = run.Wait();
  REQUIRE(outcome.status.message() == "");
  CHECK(FinishedRows(*query, outcome.block) == std::vector<TextRow>{{"0"}});
  CHECK(outcome.statistics.segments_processed == 0);
}

TEST_CASE("an execution cancelled before it starts reads nothing and says so") {
  Run run(MakeQuery(CountByStation()), Rides().segments, Later());
  run.execution->Cancel();
  Scheduler scheduler(3);
  scheduler.Submit(run.execution);
  const LeafOutcome outcome = run.Wait();
  CHECK(outcome.status.code() == StatusCode::kCancelled);
  CHECK(outcome.status.pinot_code() == PinotCode::kQueryCancelled);
  CHECK(outcome.statistics.documents_scanned == 0);
}

TEST_CASE("an execution cancelled while it runs ends before its list does") {
  const Segments segments = Repeated(4000);
  Run run(MakeQuery(CountByStation()), segments, Later());
  Scheduler scheduler(2);
  scheduler.Submit(run.execution);
  std::this_thread::sleep_for(5ms);
  run.execution->Cancel();
  const LeafOutcome outcome = run.Wait();
  CHECK(outcome.status.code() == StatusCode::kCancelled);
  CHECK(outcome.status.pinot_code() == PinotCode::kQueryCancelled);
  CHECK(outcome.block.rows == 0);
}

TEST_CASE("an execution past its deadline ends with DEADLINE_EXCEEDED and Pinot's timeout code") {
  Run late(MakeQuery(CountByStation()), Rides().segments, Clock::now() - 1ms);
  Run soon(MakeQuery(CountByStation()), Repeated(4000), Clock::now() + 10ms);
  Scheduler scheduler(2);
  for (Run* run : {&late, &soon}) {
    scheduler.Submit(run->execution);
    const LeafOutcome outcome = run->Wait();
    CHECK(outcome.status.code() == StatusCode::kDeadlineExceeded);
    CHECK(outcome.status.pinot_code() == PinotCode::kExecutionTimeout);
  }
}

// A copy of a segment whose bikes' dictIds are all ones, beyond the dictionary.
class SpoiltSegment {
 public:
  explicit SpoiltSegment(const std::string& name) {
    std::filesystem::copy(ExampleDataPath() / "rides" / name, folder_,
                          std::filesystem::copy_options::recursive);
    std::ifstream map(folder_ / "v3" / "index_map");
    const std::string text{std::istreambuf_iterator<char>(map), {}};
    const std::string key = "bike_id.forward_index.startOffset = ";
    const size_t at = text.find(key);
    REQUIRE(at != std::string::npos);
    std::fstream file(folder_ / "v3" / "columns.psf",
                      std::ios::binary | std::ios::in | std::ios::out);
    constexpr std::streamoff kMarkerBytes = 8;
    file.seekp(std::stol(text.substr(at + key.size())) + kMarkerBytes);
    file << std::string(400, '\xff');
  }
  ~SpoiltSegment() { std::filesystem::remove_all(folder_); }
  SpoiltSegment(const SpoiltSegment&) = delete;
  SpoiltSegment& operator=(const SpoiltSegment&) = delete;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / fmt::format("leaf_execution_{}", ::getpid());
};

TEST_CASE("segments at fault are named, all of them, and the others go on") {
  const SpoiltSegment spoilt(Rides().segments[2]->name());
  const auto opened = segment::Segment::Open(spoilt.folder());
  REQUIRE(opened.status().message() == "");
  Segments segments = Repeated(10);
  segments.insert(segments.begin() + 20, *opened);
  segments.push_back(*opened);
  plan::LeafStage stage = CountByStation();
  stage.keys = {Rides().Column("bike_id")};
  for (const size_t threads : {1, 4}) {
    Run run(MakeQuery(stage), segments, Later());
    Scheduler scheduler(threads);
    scheduler.Submit(run.execution);
    const LeafOutcome outcome = run.Wait();
    CHECK(outcome.status.IsCorrupt());
    CHECK_THAT(outcome.status.message(), Catch::Contains("dictId 511"));
    CHECK_THAT(outcome.status.message(), Catch::Contains(Rides().segments[2]->name()));
    CHECK(outcome.status.pinot_code() == PinotCode::kQueryExecution);
    CHECK(outcome.block.rows == 0);
    REQUIRE(outcome.faults.size() == 2);
    for (const SegmentFault& fault : outcome.faults) CHECK(fault.segment == opened->get());
    CHECK(outcome.segments.segments().size() == 52);
  }
}

TEST_CASE("a stage that no lane can run ends with its reason") {
  plan::LeafStage stage;
  stage.table = "rides_OFFLINE";
  const auto tags = plan::Expression::Column("tags", {DataType::kString, true});
  stage.select = {tags};
  stage.order_by = {{tags, true, false}};
  Run run(MakeQuery(stage), Rides().segments, Later());
  Scheduler scheduler(2);
  scheduler.Submit(run.execution);
  const LeafOutcome outcome = run.Wait();
  CHECK_FALSE(outcome.status.ok());
  CHECK_THAT(outcome.status.message(), Catch::Contains("cannot ORDER BY tags"));
  CHECK(outcome.block.rows == 0);
}

TEST_CASE("a file cut short under an open segment fails the queries of that segment only") {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("leaf_execution_cut_{}", ::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::copy(ExampleDataPath() / "rides" / Rides().segments[0]->name(), folder,
                        std::filesystem::copy_options::recursive);
  const auto file = folder / "v3" / "columns.psf";
  REQUIRE(std::filesystem::exists(file));
  const auto whole_size = std::filesystem::file_size(file);
  plan::LeafStage rows;
  rows.table = "rides_OFFLINE";
  rows.shape = plan::QueryShape::kSelection;
  for (const FieldSpec& field : Rides().schema->fields())
    rows.select.push_back(Rides().Column(field.name));
  rows.limit = 100'000;
  // To nothing, to a page, and within the last page, which no fault tells of.
  for (const uintmax_t size : {uintmax_t{0}, uintmax_t{4096}, whole_size - 1}) {
    for (const plan::LeafStage& stage : {rows, CountByStation()}) {
      CAPTURE(size);
      std::filesystem::resize_file(file, whole_size);
      const Segments cut{segment::Segment::Open(folder).value()};
      std::filesystem::resize_file(file, size);
      Scheduler scheduler(4);
      Run run(MakeQuery(stage), cut, Later());
      scheduler.Submit(run.execution);
      const LeafOutcome outcome = run.Wait();
      CHECK(outcome.status.code() == StatusCode::kDataLoss);
      CHECK_THAT(outcome.status.message(),
                 Catch::Contains(file.string()) && Catch::Contains(Rides().segments[0]->name()));
      CHECK(outcome.block.rows == 0);
      CHECK(outcome.faults.size() == 1);
      Run other(MakeQuery(stage), Rides().segments, Later());
      scheduler.Submit(other.execution);
      CHECK(other.Wait().status.message() == "");
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trellis::server
