// What do planning and pruning cost, and does the number of segments matter?
//
//   Plan/<count>         SQL text to routed plan (parse, bind, route) without pruning: must not
//   depend
//                        on `count`
//   Prune/<kind>/<count> a filter to the bitmap of segments that may have rows for it: kind `time`
//   (a
//                        point in time), `partition` (one of 256), `time_partition` (both) and
//                        `in_5000` (IN with 5,000 values of the partitioned column)
//   RoaringAnd/<count>   the physical bound: ANDing two random halves of `count` ids
#include "bench/segment_list_plan.h"

#include <benchmark/benchmark.h>

#include <random>

#include "bench/allocation_counter.h"
#include "bench/announced_table.h"
#include "bench/segment_names.h"
#include "broker/bind/binder.h"
#include "broker/routing/router.h"
#include "broker/routing/segment_pruner.h"
#include "broker/sql/parser.h"

namespace trellis::bench {
namespace {

using broker::CatalogSnapshot;

const std::shared_ptr<const CatalogSnapshot>& CatalogOf(size_t count) {
  static size_t made_for = 0;
  static std::shared_ptr<const CatalogSnapshot> catalog;
  if (made_for != count) {
    catalog = nullptr;  // a million segments need no company
    catalog = AnnouncedCatalog(SegmentNames("offline", count), {"127.0.0.1:1", "127.0.0.1:2"});
    made_for = count;
  }
  return catalog;
}

broker::BoundQuery BindText(const std::string& text, const CatalogSnapshot& catalog) {
  auto statement = sql::Parse(text);
  TRELLIS_CHECK(statement.ok());
  auto query = broker::Bind(std::move(*statement), catalog, {});
  TRELLIS_CHECK(query.ok());
  return std::move(*query);
}

void Plan(benchmark::State& state, size_t count) {
  const auto catalog = CatalogOf(count);
  const std::string text =
      "SELECT kind, COUNT(*), MAX(ts) FROM events WHERE kind LIKE 'a%' GROUP BY kind "
      "ORDER BY COUNT(*) DESC LIMIT 10";
  uint64_t routed = 0;
  const AllocationCounter allocations;
  for (auto _ : state) {
    broker::BoundQuery query = BindText(text, *catalog);
    const broker::Route route = broker::ChooseRoute(catalog, query.table, nullptr, 0);
    routed = route.segments_routed;
    benchmark::DoNotOptimize(routed);
  }
  allocations.Report(state);
  TRELLIS_CHECK(routed == count);
}

std::string Condition(const std::string& kind, size_t count) {
  const auto hour = static_cast<int64_t>(count / kPartitions / 2);
  const std::string time = fmt::format("ts = {}", hour * kHourMs + 1'234'567);
  const std::string partition = fmt::format("member = {}", 17 + kPartitions * 3);
  if (kind == "time") return time;
  if (kind == "partition") return partition;
  if (kind == "time_partition") return time + " AND " + partition;
  std::string list;
  for (int i = 0; i < 5'000; ++i) list += (i ? "," : "") + std::to_string(i * 7);
  return "member IN (" + list + ")";
}

size_t Survivors(const std::string& kind, size_t count) {
  const size_t hour = count / kPartitions / 2;
  size_t survivors = 0;
  for (size_t i = 0; i < count; ++i) {
    const bool in_time = i / kPartitions == hour;
    const bool in_partition = i % kPartitions == 17;
    survivors += kind == "time"             ? in_time
                 : kind == "partition"      ? in_partition
                 : kind == "time_partition" ? in_time && in_partition
                                            : true;
  }
  return survivors;
}

void Prune(benchmark::State& state, const std::string& kind, size_t count) {
  const auto catalog = CatalogOf(count);
  const broker::BoundQuery query =
      BindText("SELECT COUNT(*) FROM events WHERE " + Condition(kind, count), *catalog);
  const broker::PruneIndex& index = query.table->segments->prune_index();
  const plan::Filter& filter = query.plan.leaf.filter;
  TRELLIS_CHECK(broker::PruneSegments(index, filter).cardinality() == Survivors(kind, count));
  const AllocationCounter allocations;
  for (auto _ : state) {
    const Roaring survivors = broker::PruneSegments(index, filter);
    benchmark::DoNotOptimize(&survivors);
  }
  allocations.Report(state);
}

Roaring RandomSet(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  Roaring half;
  for (uint32_t id = 0; id < count; ++id) {
    if (random() & 1) half.add(id);
  }
  return half;
}

void RoaringAnd(benchmark::State& state, size_t count) {
  const Roaring a = RandomSet(count, kSeed);
  const Roaring b = RandomSet(count, kSeed + 1);
  for (auto _ : state) {
    const Roaring both = a & b;
    benchmark::DoNotOptimize(&both);
  }
}

}  // namespace

void RegisterPlans() {
  for (const size_t count : {size_t{10}, size_t{1'000}, size_t{60'000}, size_t{1'000'000}}) {
    benchmark::RegisterBenchmark(("Plan/" + std::to_string(count)).c_str(),
                                 [=](benchmark::State& state) { Plan(state, count); })
        ->Unit(benchmark::kMicrosecond);
  }
  for (const size_t count : {size_t{1'000}, size_t{100'000}, size_t{1'000'000}}) {
    benchmark::RegisterBenchmark(("RoaringAnd/" + std::to_string(count)).c_str(),
                                 [=](benchmark::State& state) { RoaringAnd(state, count); })
        ->Unit(benchmark::kMicrosecond);
    for (const std::string kind : {"time", "partition", "time_partition", "in_5000"}) {
      benchmark::RegisterBenchmark(("Prune/" + kind + "/" + std::to_string(count)).c_str(),
                                   [=](benchmark::State& state) { Prune(state, kind, count); })
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace trellis::bench
