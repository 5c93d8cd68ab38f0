#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/segment/segment.h"
#include "server/inventory/table_inventory.h"

namespace trellis::server {

// Some open segments: each of the example's, several times over, so that they are told apart.
inline const std::vector<std::shared_ptr<const segment::Segment>>& OpenSegments() {
  static const auto segments = [] {
    std::vector<std::shared_ptr<const segment::Segment>> opened;
    for (int times = 0; times < 6; ++times) {
      for (const auto& entry : std::filesystem::directory_iterator(
               std::filesystem::path(TRELLIS_EXAMPLE_DATA) / "rides")) {
        if (entry.is_directory()) opened.push_back(segment::Segment::Open(entry.path()).value());
      }
    }
    return opened;
  }();
  return segments;
}

// A segment without a file.
inline InventorySegment Announced(std::string name, uint64_t crc = 1, int64_t rows = 10) {
  InventorySegment segment;
  segment.facts.name = std::move(name);
  segment.facts.crc = crc;
  segment.facts.rows = rows;
  return segment;
}

// One with a file: `crc` also picks which.
inline InventorySegment Opened(std::string name, uint64_t crc = 1) {
  InventorySegment segment = Announced(std::move(name), crc, 1'000);
  segment.segment = OpenSegments()[crc % OpenSegments().size()];
  return segment;
}

inline TableInfo InfoOf(std::string name, std::string config = "") {
  TableInfo info;
  info.name = std::move(name);
  info.config_json = std::move(config);
  return info;
}

inline std::vector<std::string> NamesOf(const InventorySnapshot& snapshot) {
  std::vector<std::string> names;
  for (const uint32_t ordinal : snapshot.alive())
    names.push_back(snapshot.Find(ordinal)->facts.name);
  return names;
}

inline wire::KnownSegments ListOf(const InventorySnapshot& snapshot, Roaring ordinals,
                                  bool all_but = false) {
  wire::KnownSegments list;
  list.table = snapshot.info().name;
  list.incarnation = snapshot.incarnation();
  list.epoch = snapshot.epoch();
  list.all_but = all_but;
  list.count = all_but ? (snapshot.alive() - ordinals).cardinality() : ordinals.cardinality();
  list.ordinals = std::move(ordinals);
  return list;
}

}  // namespace trellis::server
