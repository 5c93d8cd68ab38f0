#pragma once

#include <catch2/catch.hpp>

#include "common/segment_names/packed_names.h"
#include "common/wire/segment_list_codec.h"
#include "tests/wire/first_release.h"

// The messages behind golden/0.2: what release 0.2 added.
namespace trellis::wire {

inline KnownSegments SecondKnown(bool all_but) {
  KnownSegments known;
  known.table = "baseballStats_OFFLINE";
  known.incarnation = 0xfedcba9876543210;
  known.epoch = 300;
  known.all_but = all_but;
  known.ordinals = Roaring::bitmapOf(3, 1, 5, 70'000);
  known.ordinals.addRange(1'000, 2'000);
  known.count = 1'003;
  return known;
}

// Names as numbers, dates and times, and some that are neither.
inline std::vector<std::string> SecondNames() {
  std::vector<std::string> names = FirstNames();
  for (const char* name :
       {"events_OFFLINE_2020-01-01_2020-01-02_17", "events_OFFLINE_2020-01-01_2020-01-02_18",
        "events_OFFLINE_2020-01-02_2020-01-03_0", "events_OFFLINE_2024-02-28_2024-02-29_199",
        "events__5__17__20260105T0613Z", "events__5__18__20260105T0614Z",
        "events__6__0__20260105T0613Z", "events_OFFLINE_0d3c1b9e-5d0a-4c1b-8f6e-2a7b9c4d5e6f"})
    names.emplace_back(name);
  return names;
}

inline std::string SecondPackedList() {
  segment_names::NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string& name : SecondNames()) indexes.push_back(store.Append(name));
  const segment_names::NameView view = store.View();
  segment_names::SortNaturally(view, indexes);
  std::string packed, list;
  segment_names::Pack(view, indexes, packed);
  REQUIRE(EncodePackedSegments("events_OFFLINE", packed, list).ok());
  return list;
}

// `names` must outlive the inventory.
inline Inventory SecondInventory(const std::vector<std::string>& names) {
  Inventory inventory = FirstInventory();
  inventory.tables.clear();
  inventory.build_version = "0.2.0";
  inventory.segment_list_encodings = {"known", "packed", "names", "legacy_json"};
  inventory.features = {kListChunksFeature, kInventoryDeltasFeature};
  inventory.complete = true;
  inventory.updates.resize(3);
  TableUpdate& full = inventory.updates[0];
  full.table = "events_OFFLINE";
  full.incarnation = 0xfedcba9876543210;
  full.epoch = 300;
  full.more = true;
  full.description = {"{\"schemaName\":\"events\"}", "", "", {{"torn", 1, 2, {}, {}, "cut short"}}};
  SegmentBatch& batch = full.added;
  batch.zones.resize(1);
  batch.zones[0].column = "price";
  batch.partitions.push_back({"memberId", "Murmur", 16, {}});
  for (uint32_t i = 0; i < names.size(); ++i) {
    batch.ordinals.push_back(i < 10 ? i : 70'000 + i);
    batch.names.push_back(names[i]);
    batch.crcs.push_back(2'512'000'111 + i);
    batch.rows.push_back(97'889 * i);
    const bool known = i % 3 != 0;
    for (ZoneColumn* zones : {&batch.time_ms, &batch.zones[0]}) {
      zones->present.push_back(known);
      zones->min.push_back(known ? -int64_t{i} : 0);
      zones->max.push_back(known ? 1'577'836'800'000 + i : 0);
    }
    batch.partitions[0].partition.push_back(known ? i % 16 : PartitionColumn::kUnknown);
  }
  TableUpdate& delta = inventory.updates[1];
  delta.table = "orders_OFFLINE";
  delta.incarnation = 1;
  delta.epoch = 12;
  delta.base_epoch = 11;
  delta.dropped = Roaring::bitmapOf(2, 3, 99);
  TableUpdate& gone = inventory.updates[2];
  gone.table = "old_OFFLINE";
  gone.incarnation = 2;
  gone.epoch = 1;
  gone.gone = true;
  return inventory;
}

inline LeafAccepted SecondAccepted() {
  LeafAccepted accepted = FirstAccepted();
  accepted.missing_ordinals = Roaring::bitmapOf(2, 4, 100'000);
  accepted.stale = true;
  accepted.incarnation = 0xfedcba9876543210;
  accepted.epoch = 301;
  return accepted;
}

}  // namespace trellis::wire
