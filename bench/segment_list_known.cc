// Lists by ordinal, as broker and server make and read them, over one inventory that the server has
// announced: `known` asks for all of it, `known_all_but_30` for all but 30 random segments,
// `known_half` for a random half. Nothing is taken from a cache. Operations as in
// segment_list_bench.cc: `build` turns segment ids into ordinals, `dispatch` is the dispatcher's
// own encoder, `decode` goes to ordinals, `resolve` on to the pinned segments.
#include "bench/segment_list_known.h"

#include <benchmark/benchmark.h>

#include <map>

#include "bench/allocation_counter.h"
#include "bench/announced_table.h"
#include "bench/segment_names.h"
#include "broker/dispatch/list_encoder.h"
#include "server/inventory/table_inventory.h"

namespace trellis::bench {
namespace {

constexpr auto kKnown = wire::SegmentListEncoding::kKnown;
constexpr size_t kLeftOut = 30;

// One real segment stands for all: an inventory resolves only what can be read.
const std::shared_ptr<const segment::Segment>& AnySegment() {
  static const auto opened =
      segment::Segment::Open(TRELLIS_SOURCE_DIR "/examples/data/stations/stations_0");
  TRELLIS_CHECK(opened.ok());
  static const std::shared_ptr<const segment::Segment> segment = *opened;
  return segment;
}

// A server's inventory, and the broker's catalog of it.
struct Announced {
  std::unique_ptr<server::TableInventory> inventory;
  std::shared_ptr<const broker::CatalogSnapshot> catalog;
  std::shared_ptr<const broker::Table> table;
};

Announced Announce(const std::string& naming, size_t count) {
  server::TableInfo info;
  info.name = kAnnouncedTable;
  info.schema_json = AnnouncedDescription().schema_json;
  Announced announced;
  announced.inventory =
      std::make_unique<server::TableInventory>(info, server::TableInventory::Options{});
  std::vector<server::InventorySegment> segments;
  for (std::string& name : SegmentNames(naming, count)) {
    segments.emplace_back();
    segments.back().facts.name = std::move(name);
    segments.back().facts.rows = 1'000;
    segments.back().segment = AnySegment();
  }
  announced.inventory->Apply(std::move(segments), {});
  broker::CatalogState state;
  const uint32_t server = state.AddServer("127.0.0.1:1");
  broker::ServerEntry entry;
  entry.target = "127.0.0.1:1";
  entry.alive = entry.reported = true;
  entry.segment_list_encodings = {"known", "packed", "names", "legacy_json"};
  state.SetServer(server, entry);
  for (const wire::TableUpdate& update : announced.inventory->UpdatesSince(0, 0, 8'192))
    TRELLIS_CHECK(state.Apply(server, update).ok());
  announced.catalog = state.Build();
  announced.table = *announced.catalog->FindTable(kAnnouncedTable);
  return announced;
}

const Announced& AnnouncedOf(const std::string& naming, size_t count) {
  static std::string made_for;
  static Announced announced;
  const std::string wanted = naming + "/" + std::to_string(count);
  if (made_for != wanted) announced = Announce(naming, count);
  made_for = wanted;
  return announced;
}

broker::RoutedShare ShareOf(const std::string& encoding, const Announced& announced, size_t count) {
  const broker::ServerShare& whole = announced.table->assignments[0].shares[0];
  TRELLIS_CHECK(whole.count == count);
  broker::RoutedShare share{whole.part, whole.ids, whole.count, nullptr};
  if (encoding == "known") return share;
  Roaring ids = *whole.ids;
  if (encoding == "known_half") {
    const std::vector<uint32_t> half = RandomHalf(count);
    ids = Roaring(half.size(), half.data());
  } else {
    std::mt19937_64 random(kSeed);
    while (ids.cardinality() > count - kLeftOut)
      ids.remove(static_cast<uint32_t>(random() % count));
  }
  share.count = ids.cardinality();
  share.ids = std::make_shared<const Roaring>(std::move(ids));
  return share;
}

std::string Encoded(const Announced& announced, const broker::RoutedShare& share) {
  auto list = broker::EncodeList(*announced.table, share, kKnown);
  TRELLIS_CHECK(list.ok() && !list->cache_hit && list->names == 0);
  return std::string(AsText(list->bytes.view));
}

server::Resolution Resolved(const Announced& announced, const std::string& bytes) {
  const auto list = wire::DecodeSegmentLists(AsBytes(bytes));
  TRELLIS_CHECK(list.ok() && list->known.size() == 1);
  return announced.inventory->ResolveKnown(list->known[0]);
}

// The server finds exactly the segments that the broker meant, by name.
void CheckAnswer(const Announced& announced, const broker::RoutedShare& share) {
  const std::string bytes = Encoded(announced, share);
  const auto list = wire::DecodeSegmentLists(AsBytes(bytes));
  TRELLIS_CHECK(list.ok() && list->known.size() == 1);
  const wire::KnownSegments& known = list->known[0];
  const auto inventory = announced.inventory->current();
  const Roaring ordinals = known.all_but ? inventory->alive() - known.ordinals : known.ordinals;
  std::vector<std::string> found;
  for (const uint32_t ordinal : ordinals) found.push_back(inventory->Find(ordinal)->facts.name);
  std::vector<std::string> meant;
  for (const uint32_t id : *share.ids) meant.emplace_back(announced.table->segments->name(id));
  std::sort(found.begin(), found.end());
  std::sort(meant.begin(), meant.end());
  TRELLIS_CHECK(found == meant);
  const server::Resolution resolution = Resolved(announced, bytes);
  TRELLIS_CHECK(!resolution.stale && resolution.missing_ordinals.isEmpty());
  TRELLIS_CHECK(resolution.selection.segments().size() == meant.size());
}

void Register(const std::string& op, const std::string& encoding, const std::string& naming,
              size_t count) {
  const std::string name =
      "SegmentList/" + op + "/" + encoding + "/" + naming + "/" + std::to_string(count);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const Announced& announced = AnnouncedOf(naming, count);
    const broker::RoutedShare share = ShareOf(encoding, announced, count);
    CheckAnswer(announced, share);
    const std::string bytes = Encoded(announced, share);
    const AllocationCounter allocations;
    for (auto _ : state) {
      if (op == "build") {
        auto known = broker::ToKnown(*announced.table, *share.part, *share.ids);
        benchmark::DoNotOptimize(&known);
      } else if (op == "dispatch") {
        auto list = broker::EncodeList(*announced.table, share, kKnown);
        benchmark::DoNotOptimize(&list);
      } else if (op == "decode") {
        auto list = wire::DecodeSegmentLists(AsBytes(bytes));
        benchmark::DoNotOptimize(&list);
      } else {
        auto resolution = Resolved(announced, bytes);
        benchmark::DoNotOptimize(&resolution);
      }
    }
    allocations.Report(state);
    state.counters["wire_bytes"] = static_cast<double>(bytes.size());
  })->Unit(benchmark::kMicrosecond);
}

// What the segments of one server cost it in memory, and the time to take them in at once.
void ServerMemory(benchmark::State& state, size_t count) {
  const std::vector<std::string> names = SegmentNames("offline", count);
  for (auto _ : state) {
    server::TableInventory inventory({.name = kAnnouncedTable}, {});
    std::vector<server::InventorySegment> segments(count);
    for (size_t i = 0; i < count; ++i) {
      server::SegmentFacts& facts = segments[i].facts;
      facts.name = names[i];
      facts.rows = 1'000;
      facts.zones = {{"ts", 0, kHourMs}};
      facts.partitions = {
          {"member", "Modulo", kPartitions, static_cast<uint32_t>(i % kPartitions)}};
    }
    inventory.Apply(std::move(segments), {});
    state.counters["bytes_per_segment"] =
        static_cast<double>(inventory.memory_bytes()) / static_cast<double>(count);
  }
}

// And the broker, state and snapshot together, when `servers` announce them.
void BrokerMemory(benchmark::State& state, size_t servers, size_t count) {
  const std::vector<std::string> names = SegmentNames("offline", count);
  for (auto _ : state) {
    broker::CatalogState catalog;
    for (size_t i = 0; i < servers; ++i) {
      broker::ServerEntry entry;
      entry.target = std::to_string(i);
      entry.alive = entry.reported = true;
      const uint32_t server = catalog.AddServer(entry.target);
      catalog.SetServer(server, entry);
      TRELLIS_CHECK(catalog.Apply(server, Announcement(names, i, servers, i + 1)).ok());
    }
    TRELLIS_CHECK(catalog.Build()->tables.begin()->second->segments->size() == count);
    state.counters["bytes_per_segment"] =
        static_cast<double>(catalog.memory_bytes()) / static_cast<double>(count);
  }
}

}  // namespace

void RegisterMemory(size_t count) {
  benchmark::RegisterBenchmark(("Memory/server/" + std::to_string(count)).c_str(),
                               [=](benchmark::State& state) { ServerMemory(state, count); })
      ->Unit(benchmark::kMillisecond);
  for (const size_t servers : {1, 100}) {
    benchmark::RegisterBenchmark(
        fmt::format("Memory/broker_{}/{}", servers, count).c_str(),
        [=](benchmark::State& state) { BrokerMemory(state, servers, count); })
        ->Unit(benchmark::kMillisecond);
  }
}

void RegisterKnown(const std::string& naming, size_t count) {
  for (const std::string encoding : {"known", "known_all_but_30", "known_half"}) {
    for (const std::string op : {"build", "dispatch", "decode", "resolve"})
      Register(op, encoding, naming, count);
  }
}

}  // namespace trellis::bench
