#include "broker/catalog/catalog_state.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "common/wire/message_limits.h"
#include "tests/unit/broker/catalog/announced.h"

namespace trellis::broker {
namespace {

using Names = std::vector<std::string>;

std::shared_ptr<const Table> TableOf(CatalogState& state, const char* name = "t_OFFLINE") {
  return state.Build()->tables.at(name);
}

// Ordinals by name of what a part of a snapshot holds.
std::map<std::string, uint32_t> OrdinalsOf(const Table& table, const ServerPart& part) {
  std::map<std::string, uint32_t> ordinals;
  REQUIRE(part.ids.size() == part.ordinals.size());
  for (size_t i = 0; i < part.ids.size(); ++i)
    ordinals.emplace(table.segments->name(part.ids[i]), part.ordinals[i]);
  return ordinals;
}

void Refused(const Status& status, StatusCode code, std::string_view part) {
  INFO(status.message());
  CHECK(status.code() == code);
  CHECK(status.message().find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("segments are numbered in natural order, and parts translate to ordinals") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(
      state.Apply(server, FullUpdate(7, 3, BatchOf({{0, "s_10"}, {1, "s_9"}, {4, "s_1"}}))).ok());
  const auto table = TableOf(state);
  CHECK(NamesOf(*table) == Names{"s_1", "s_9", "s_10"});
  CHECK(table->segments->rows_total() == 30);
  REQUIRE(table->parts.size() == 1);
  const ServerPart& part = *table->parts[0];
  CHECK(part.numbered);
  CHECK(part.incarnation == 7);
  CHECK(part.epoch == 3);
  CHECK(part.ids == std::vector<uint32_t>{0, 1, 2});
  CHECK(part.ordinals == std::vector<uint32_t>{4, 1, 0});
  CHECK(part.held.cardinality() == 3);
  CHECK(table->segments->Find("s_9") == 1);
  CHECK_FALSE(table->segments->Find("s_2"));
}

TEST_CASE("a delta adds and drops, and shifts ids") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(7, 1, BatchOf({{0, "b"}, {1, "d"}}))).ok());
  const auto before = TableOf(state);
  Roaring dropped;
  dropped.add(1);
  REQUIRE(state.Apply(server, DeltaUpdate(7, 1, 2, BatchOf({{2, "a"}, {3, "c"}}), dropped)).ok());
  const auto after = TableOf(state);
  CHECK(NamesOf(*after) == Names{"a", "b", "c"});
  CHECK(OrdinalsOf(*after, *after->parts.at(0)) ==
        std::map<std::string, uint32_t>{{"a", 2}, {"b", 0}, {"c", 3}});
  CHECK(after->parts.at(0)->epoch == 2);
  CHECK(NamesOf(*before) == Names{"b", "d"});  // snapshots do not change
}

TEST_CASE("an update in pieces counts when it is whole") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  wire::TableUpdate first = FullUpdate(7, 1, BatchOf({{0, "a"}}));
  first.more = true;
  REQUIRE(state.Apply(server, first).ok());
  CHECK(state.Build()->tables.empty());
  wire::TableUpdate second = FullUpdate(7, 1, BatchOf({{1, "b"}}));
  second.description.reset();
  REQUIRE(state.Apply(server, second).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});

  wire::TableUpdate delta = DeltaUpdate(7, 1, 5, BatchOf({{2, "c"}}));
  delta.more = true;
  delta.dropped.add(0);
  REQUIRE(state.Apply(server, delta).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});
  REQUIRE(state.Apply(server, DeltaUpdate(7, 1, 5, BatchOf({{3, "d"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"b", "c", "d"});
}

TEST_CASE("a full update that was cut short begins anew, and the old state serves meanwhile") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(7, 1, BatchOf({{0, "old"}}))).ok());
  wire::TableUpdate cut = FullUpdate(7, 2, BatchOf({{0, "a"}}));
  cut.more = true;
  REQUIRE(state.Apply(server, cut).ok());
  state.BeginWatch(server);
  CHECK(NamesOf(*TableOf(state)) == Names{"old"});
  cut.description.reset();  // even where it looks like the rest of the one that was cut
  REQUIRE(state.Apply(server, cut).ok());
  REQUIRE(state.Apply(server, DeltaUpdate(7, 0, 2, BatchOf({{1, "b"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});
}

TEST_CASE("a full update may be told anew before the last one was whole") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  wire::TableUpdate cut = FullUpdate(7, 2, BatchOf({{0, "a"}, {1, "gone"}}));
  cut.more = true;
  REQUIRE(state.Apply(server, cut).ok());
  REQUIRE(state.Apply(server, FullUpdate(7, 2, BatchOf({{0, "a"}, {2, "b"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});
}

TEST_CASE("an update that does not follow is refused and changes nothing") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  Refused(state.Apply(server, DeltaUpdate(7, 1, 2, BatchOf({{0, "x"}}))),
          StatusCode::kFailedPrecondition, "builds on epoch 1");
  CHECK(state.Build()->tables.empty());
  REQUIRE(state.Apply(server, FullUpdate(7, 4, BatchOf({{0, "a"}, {5, "b"}}))).ok());
  const auto before = TableOf(state);
  Roaring unknown;
  unknown.add(6);
  const std::vector<std::pair<wire::TableUpdate, std::pair<StatusCode, std::string>>> bad = {
      {DeltaUpdate(7, 3, 5, BatchOf({{6, "x"}})),
       {StatusCode::kFailedPrecondition, "at hand is epoch 4"}},
      {DeltaUpdate(8, 4, 5, BatchOf({{6, "x"}})), {StatusCode::kFailedPrecondition, "of 7"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{5, "x"}})),
       {StatusCode::kInvalidArgument, "ordinal 5 is alive already"}},
      {DeltaUpdate(7, 4, 5, {}, unknown),
       {StatusCode::kInvalidArgument, "ordinal 6 is dropped, which was never given out"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{6, "x"}, {7, "x"}})),
       {StatusCode::kInvalidArgument, "'x' is told of twice"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{6, "a"}})),
       {StatusCode::kInvalidArgument, "ordinal 6 is of a segment that has another ordinal"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{7, "x"}, {6, "y"}})),
       {StatusCode::kInvalidArgument, "ordinal 6 comes after 7"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{wire::kMessageLimits.ordinals_max, "x"}})),
       {StatusCode::kInvalidArgument, "over the limit"}},
      {DeltaUpdate(7, 4, 5, BatchOf({{6, std::string(5'000, 'n')}})),
       {StatusCode::kInvalidArgument, "has 5000 bytes"}},
  };
  for (const auto& [update, expected] : bad) {
    Refused(state.Apply(server, update), expected.first, expected.second);
    CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});
  }
  wire::TableUpdate ragged = DeltaUpdate(7, 4, 5, BatchOf({{6, "x"}}));
  ragged.added.crcs.clear();
  Refused(state.Apply(server, ragged), StatusCode::kInvalidArgument, "0 crcs");
  CHECK(TableOf(state)->parts == before->parts);
  // The right delta still fits.
  CHECK(state.Apply(server, DeltaUpdate(7, 4, 5, BatchOf({{6, "x"}}))).ok());
}

TEST_CASE("a fault in a later piece forgets the whole update") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(7, 1, BatchOf({{0, "a"}}))).ok());
  wire::TableUpdate first = DeltaUpdate(7, 1, 2, BatchOf({{1, "b"}}));
  first.more = true;
  REQUIRE(state.Apply(server, first).ok());
  CHECK_FALSE(state.Apply(server, DeltaUpdate(7, 1, 2, BatchOf({{2, "b"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a"});
  CHECK(state.Apply(server, DeltaUpdate(7, 1, 2, BatchOf({{1, "b"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"a", "b"});
}

TEST_CASE("tables and servers that nothing happened to are shared with the last snapshot") {
  CatalogState state;
  const uint32_t a = AddAlive(state, "a:1");
  const uint32_t b = AddAlive(state, "b:1");
  REQUIRE(state.Apply(a, FullUpdate(1, 1, BatchOf({{0, "x"}, {1, "y"}}))).ok());
  REQUIRE(state.Apply(b, FullUpdate(2, 1, BatchOf({{0, "x"}, {1, "y"}}))).ok());
  REQUIRE(state.Apply(b, FullUpdate(3, 1, BatchOf({{0, "z"}}), "other_OFFLINE")).ok());
  const auto first = state.Build();
  CHECK(state.Build() == first);
  // A restart: other ordinals of the same segments.
  REQUIRE(state.Apply(b, FullUpdate(9, 1, BatchOf({{0, "y"}, {1, "x"}}))).ok());
  const auto second = state.Build();
  CHECK(second->tables.at("other_OFFLINE") == first->tables.at("other_OFFLINE"));
  const Table& t1 = *first->tables.at("t_OFFLINE");
  const Table& t2 = *second->tables.at("t_OFFLINE");
  CHECK(t2.segments == t1.segments);
  CHECK(t2.parts.at(0) == t1.parts.at(0));
  CHECK(t2.parts.at(1)->incarnation == 9);
  CHECK(t2.parts.at(1)->ordinals == std::vector<uint32_t>{1, 0});
  // A server that goes away changes shares alone.
  SetAlive(state, a, false);
  const Table& t3 = *TableOf(state);
  CHECK(t3.segments == t1.segments);
  CHECK(t3.parts == t2.parts);
  REQUIRE(t3.assignments.size() == 1);
  REQUIRE(t3.assignments[0].shares.size() == 1);
  CHECK(t3.assignments[0].shares[0].part->server == b);
}

TEST_CASE("what a server has no longer is forgotten") {
  CatalogState state;
  const uint32_t a = AddAlive(state, "a:1");
  const uint32_t b = AddAlive(state, "b:1");
  for (const uint32_t server : {a, b}) {
    for (const char* table : {"t_OFFLINE", "u_OFFLINE", "v_REALTIME"})
      REQUIRE(state.Apply(server, FullUpdate(1, 1, BatchOf({{0, "s"}}), table)).ok());
  }
  wire::TableUpdate gone;
  gone.table = "t_OFFLINE";
  gone.gone = true;
  REQUIRE(state.Apply(a, gone).ok());
  CHECK(TableOf(state)->parts.size() == 1);
  REQUIRE(state.Apply(b, gone).ok());
  CHECK_FALSE(state.Build()->tables.contains("t_OFFLINE"));
  state.KeepOnly(a, {"v_REALTIME"});
  CHECK(TableOf(state, "u_OFFLINE")->parts.at(0)->server == b);
  CHECK(TableOf(state, "v_REALTIME")->parts.size() == 2);
  state.KeepOnly(b, {});
  CHECK_FALSE(state.Build()->tables.contains("u_OFFLINE"));
  CHECK(state.segments() == 1);
}

TEST_CASE("facts of segments reach the snapshot, and come back with the same data") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}, {2, "c"}});
  batch.rows = {1, 20, 300};
  batch.time_ms = ZonesOf("", {{100, 200}, {200, 300}, {0, 0}});
  batch.time_ms.present[2] = 0;
  batch.zones = {ZonesOf("ts", {{100, 200}, {200, 300}, {5, 4}})};
  batch.partitions = {{"k", "Modulo", 4, {1, wire::PartitionColumn::kUnknown, 9}}};
  REQUIRE(state.Apply(server, FullUpdate(7, 1, batch)).ok());
  const auto check = [](const TableSegments& segments) {
    CHECK(segments.rows(1) == 20);
    CHECK(segments.start_time_ms(0) == 100);
    CHECK(segments.end_time_ms(1) == 300);
    CHECK_FALSE(segments.start_time_ms(2));
    CHECK(segments.rows_total() == 321);
    CHECK(segments.RowsOf(Roaring::bitmapOf(2, 0, 2)) == 301);
    CHECK(segments.RowsOf(segments.prune_index().all()) == 321);
    const PruneIndex& index = segments.prune_index();
    REQUIRE(index.HasZones("ts"));
    CHECK_FALSE(index.HasZones("k"));
    CHECK(index.InRange("ts", 250, 400) == Roaring::bitmapOf(2, 1, 2));  // c: no true bounds
    REQUIRE(index.Partitionings("k").size() == 1);
    CHECK(index.Partitionings("k")[0].ids.at(1) == Roaring::bitmapOf(1, 0));
    CHECK(index.Unpartitioned("k") == Roaring::bitmapOf(2, 1, 2));  // c: no such partition
  };
  check(*TableOf(state)->segments);
  REQUIRE(state.Apply(server, DeltaUpdate(7, 1, 2, {}, Roaring::bitmapOf(1, 0))).ok());
  CHECK(TableOf(state)->segments->size() == 2);
  batch.ordinals = {3, 4, 5};
  REQUIRE(state.Apply(server, FullUpdate(8, 1, batch)).ok());
  check(*TableOf(state)->segments);
}

TEST_CASE("a segment that was replaced has the new facts alone") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  wire::SegmentBatch batch = BatchOf({{0, "a"}, {1, "b"}}, 1, 10);
  batch.zones = {ZonesOf("ts", {{1, 2}, {1, 2}})};
  REQUIRE(state.Apply(server, FullUpdate(7, 1, batch)).ok());
  wire::SegmentBatch newer = BatchOf({{2, "a"}}, 2, 50);
  newer.zones = {ZonesOf("ts", {{8, 9}})};
  REQUIRE(state.Apply(server, DeltaUpdate(7, 1, 2, newer, Roaring::bitmapOf(1, 0))).ok());
  const auto table = TableOf(state);
  CHECK(NamesOf(*table) == Names{"a", "b"});
  CHECK(table->segments->rows(0) == 50);
  CHECK(table->parts.at(0)->ordinals == std::vector<uint32_t>{2, 1});
  CHECK(table->segments->prune_index().InRange("ts", 8, 8) == Roaring::bitmapOf(1, 0));
  CHECK(table->segments->prune_index().InRange("ts", 2, 2) == Roaring::bitmapOf(1, 1));
}

TEST_CASE("replicas with different data of a segment: it is one segment, and never pruned") {
  CatalogState state;
  const uint32_t a = AddAlive(state, "a:1");
  const uint32_t b = AddAlive(state, "b:1");
  const auto batch = [](uint64_t crc, int64_t from) {
    wire::SegmentBatch batch = BatchOf({{0, "s"}, {1, "t"}}, crc);
    batch.zones = {ZonesOf("ts", {{from, from + 1}, {50, 60}})};
    batch.crcs[1] = 5;
    return batch;
  };
  REQUIRE(state.Apply(a, FullUpdate(1, 1, batch(1, 10))).ok());
  REQUIRE(state.Apply(b, FullUpdate(1, 1, batch(2, 20))).ok());
  const auto differ = TableOf(state);
  CHECK(NamesOf(*differ) == Names{"s", "t"});
  CHECK(differ->parts.at(0)->ids == std::vector<uint32_t>{0, 1});
  CHECK(differ->parts.at(1)->ids == std::vector<uint32_t>{0, 1});
  CHECK(differ->segments->prune_index().InRange("ts", 99, 99) == Roaring::bitmapOf(1, 0));
  // Once they agree it is pruned again.
  REQUIRE(state.Apply(a, FullUpdate(1, 2, batch(2, 20))).ok());
  const auto agree = TableOf(state);
  CHECK(agree->segments->prune_index().InRange("ts", 99, 99).isEmpty());
  CHECK(agree->segments->prune_index().InRange("ts", 20, 20) == Roaring::bitmapOf(1, 0));
}

TEST_CASE("a replica that tells more of the same data makes its segments prunable") {
  CatalogState state;
  const uint32_t a = AddAlive(state, "a:1");
  const uint32_t b = AddAlive(state, "b:1");
  state.ApplyWhole(a, {{"t_OFFLINE", kAnnouncedSchema, "", {{"s", 1, 10, {}, {}, ""}}, ""}});
  CHECK_FALSE(TableOf(state)->segments->prune_index().HasZones("ts"));
  wire::SegmentBatch batch = BatchOf({{0, "s"}}, 1, 10);
  batch.zones = {ZonesOf("ts", {{1, 2}})};
  REQUIRE(state.Apply(b, FullUpdate(1, 1, batch)).ok());
  const auto table = TableOf(state);
  CHECK(table->segments->size() == 1);
  CHECK(table->segments->prune_index().InRange("ts", 9, 9).isEmpty());
  CHECK(table->parts.size() == 2);
}

TEST_CASE("a whole inventory replaces the last, without ordinals") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  const auto entry = [](std::string name) {
    return wire::SegmentEntry{std::move(name), 1, 5, 100, {}, ""};
  };
  state.ApplyWhole(server, {{"t_OFFLINE", kAnnouncedSchema, "{}", {entry("b"), entry("a")}, ""},
                            {"u_OFFLINE", kAnnouncedSchema, "", {entry("x")}, "no"}});
  const auto table = TableOf(state);
  CHECK(NamesOf(*table) == Names{"a", "b"});
  CHECK(table->config_json == "{}");
  CHECK(table->segments->start_time_ms(0) == 100);
  CHECK_FALSE(table->segments->end_time_ms(0));
  CHECK_FALSE(table->parts.at(0)->numbered);
  CHECK(table->parts.at(0)->ordinals.empty());
  CHECK(TableOf(state, "u_OFFLINE")->refused == "no");
  state.ApplyWhole(server, {{"t_OFFLINE", kAnnouncedSchema, "", {entry("c"), entry("c")}, ""}});
  CHECK(NamesOf(*TableOf(state)) == Names{"c"});
  CHECK(state.Build()->tables.size() == 1);
}

TEST_CASE("a description in a delta replaces the one before") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  REQUIRE(state.Apply(server, FullUpdate(7, 1, BatchOf({{0, "a"}}))).ok());
  wire::TableUpdate update = DeltaUpdate(7, 1, 2, {});
  update.description = wire::TableDescription{kAnnouncedSchema, "{}", "upsert", {}};
  update.description->broken.push_back({"bad", 0, 0, {}, {}, "cut"});
  REQUIRE(state.Apply(server, update).ok());
  const auto table = TableOf(state);
  CHECK(table->config_json == "{}");
  CHECK(table->refused == "upsert");
  REQUIRE(table->broken.size() == 1);
  CHECK(table->broken[0].reason == "cut");
  CHECK(NamesOf(*table) == Names{"a"});
}

TEST_CASE("memory is not given back under an update that is not whole yet") {
  CatalogState state;
  const uint32_t a = AddAlive(state, "a:1");
  const uint32_t b = AddAlive(state, "b:1");
  std::vector<std::pair<uint32_t, std::string>> names;
  for (uint32_t i = 0; i < 3'000; ++i) names.emplace_back(i, "s_" + std::to_string(i));
  REQUIRE(state.Apply(a, FullUpdate(1, 1, BatchOf(names))).ok());
  wire::TableUpdate first = FullUpdate(1, 1, BatchOf({{0, "b_0"}, {1, "s_2000"}}));
  first.more = true;
  REQUIRE(state.Apply(b, first).ok());
  REQUIRE(state.Apply(a, FullUpdate(2, 1, BatchOf({{0, "s_7"}}))).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"s_7"});
  wire::TableUpdate rest = FullUpdate(1, 1, BatchOf({{2, "b_1"}}));
  rest.description.reset();
  REQUIRE(state.Apply(b, rest).ok());
  CHECK(NamesOf(*TableOf(state)) == Names{"b_0", "b_1", "s_7", "s_2000"});
}

// A model of what servers hold, against which the state is compared after random updates.
TEST_CASE("random updates of several servers end in the same snapshot as their sum") {
  std::mt19937_64 random(5);
  CatalogState state;
  constexpr uint32_t kServers = 3;
  std::vector<std::map<std::string, uint32_t>> model(kServers);  // name -> ordinal
  std::vector<uint32_t> next(kServers), epoch(kServers), incarnation(kServers, 1);
  for (uint32_t s = 0; s < kServers; ++s) AddAlive(state, "s" + std::to_string(s));
  const auto name = [&] { return "events_" + std::to_string(random() % 3'000); };
  for (int step = 0; step < 400; ++step) {
    const uint32_t s = random() % kServers;
    const bool full = epoch[s] == 0 || random() % 20 == 0;
    wire::TableUpdate update;
    std::vector<std::pair<uint32_t, std::string>> added;
    if (full) {
      ++incarnation[s];
      model[s].clear();
      next[s] = 0;
      epoch[s] = 0;
    } else {
      for (auto held = model[s].begin(); held != model[s].end();) {
        if (random() % 8 == 0) {
          update.dropped.add(held->second);
          held = model[s].erase(held);
        } else {
          ++held;
        }
      }
    }
    for (size_t i = random() % (full ? 800 : 80); i > 0; --i) {
      const std::string added_name = name();
      if (model[s].contains(added_name)) continue;
      next[s] += 1 + random() % 2;
      model[s][added_name] = next[s];
      added.emplace_back(next[s], added_name);
    }
    update.table = "t_OFFLINE";
    update.incarnation = incarnation[s];
    update.base_epoch = epoch[s];
    update.epoch = ++epoch[s];
    if (full) update.description = wire::TableDescription{kAnnouncedSchema, "", "", {}};
    update.added = BatchOf(added);
    const Status status = state.Apply(s, update);
    INFO(status.message());
    REQUIRE(status.ok());
    if (random() % 4 != 0) continue;
    const auto table = TableOf(state);
    std::map<std::string, int> all;
    for (const auto& held : model) {
      for (const auto& [held_name, ordinal] : held) ++all[held_name];
    }
    REQUIRE(table->segments->size() == all.size());
    for (const auto& part : table->parts) REQUIRE(OrdinalsOf(*table, *part) == model[part->server]);
    for (uint32_t id = 0; id + 1 < table->segments->size(); ++id) {
      const auto& indexes = table->segments->name_indexes();
      REQUIRE(table->segments->names().Compare(indexes[id], indexes[id + 1]) < 0);
    }
    for (const auto& [held_name, holders] : all) REQUIRE(table->segments->Find(held_name));
  }
}

TEST_CASE("memory of segments that are gone is given back") {
  CatalogState state;
  const uint32_t server = AddAlive(state, "a:1");
  const auto names = [](const std::string& prefix) {
    std::vector<std::pair<uint32_t, std::string>> segments;
    for (uint32_t i = 0; i < 5'000; ++i)
      segments.emplace_back(i, prefix + std::to_string(i * 7'919 % 5'000));
    return BatchOf(segments);
  };
  REQUIRE(state.Apply(server, FullUpdate(1, 1, names("a_"))).ok());
  TableOf(state);
  const size_t before = state.memory_bytes();
  for (uint64_t life = 2; life < 20; ++life) {
    REQUIRE(state.Apply(server, FullUpdate(life, 1, names(std::to_string(life) + "b_"))).ok());
    const auto table = TableOf(state);
    REQUIRE(table->segments->size() == 5'000);
    CHECK(table->segments->name(9) == std::to_string(life) + "b_9");
    CHECK(table->parts.at(0)->ids.size() == 5'000);
    CHECK(table->segments->Find(std::to_string(life) + "b_77"));
  }
  CHECK(state.memory_bytes() < before * 4);
  // Updates that never become whole leave nothing behind either.
  for (uint64_t life = 20; life < 40; ++life) {
    wire::TableUpdate cut = FullUpdate(life, 1, names(std::to_string(life) + "c_"));
    cut.more = true;
    REQUIRE(state.Apply(server, cut).ok());
    if (life % 2 == 0) {
      state.BeginWatch(server);
    } else {
      CHECK_FALSE(state.Apply(server, DeltaUpdate(1, 1, 2, {})).ok());
    }
    CHECK(NamesOf(*TableOf(state)).at(9) == "19b_9");
  }
  CHECK(state.memory_bytes() < before * 4);
}

}  // namespace trellis::broker
