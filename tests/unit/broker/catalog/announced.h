#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "broker/catalog/catalog_state.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

constexpr char kAnnouncedSchema[] =
    R"({"schemaName":"t","dimensionFieldSpecs":[{"name":"a","dataType":"INT"}]})";

// A batch that owns its names.
inline wire::SegmentBatch BatchOf(std::vector<std::pair<uint32_t, std::string>> segments,
                                  uint64_t crc = 1, int64_t rows = 10) {
  wire::SegmentBatch batch;
  auto names = std::make_shared<std::vector<std::string>>();
  for (auto& [ordinal, name] : segments) {
    batch.ordinals.push_back(ordinal);
    names->push_back(std::move(name));
    batch.crcs.push_back(crc);
    batch.rows.push_back(rows);
  }
  batch.names.assign(names->begin(), names->end());
  batch.names_owner = std::move(names);
  return batch;
}

inline wire::ZoneColumn ZonesOf(std::string column,
                                const std::vector<std::pair<int64_t, int64_t>>& bounds) {
  wire::ZoneColumn zones;
  zones.column = std::move(column);
  for (const auto& [min, max] : bounds) {
    zones.present.push_back(1);
    zones.min.push_back(min);
    zones.max.push_back(max);
  }
  return zones;
}

inline wire::TableUpdate FullUpdate(uint64_t incarnation, uint64_t epoch, wire::SegmentBatch added,
                                    std::string table = "t_OFFLINE") {
  wire::TableUpdate update;
  update.table = std::move(table);
  update.incarnation = incarnation;
  update.epoch = epoch;
  update.description = wire::TableDescription{kAnnouncedSchema, "", "", {}};
  update.added = std::move(added);
  return update;
}

inline wire::TableUpdate DeltaUpdate(uint64_t incarnation, uint64_t base, uint64_t epoch,
                                     wire::SegmentBatch added, Roaring dropped = {},
                                     std::string table = "t_OFFLINE") {
  wire::TableUpdate update;
  update.table = std::move(table);
  update.incarnation = incarnation;
  update.base_epoch = base;
  update.epoch = epoch;
  update.added = std::move(added);
  update.dropped = std::move(dropped);
  return update;
}

// A server that is alive; returns its position.
inline uint32_t AddAlive(CatalogState& state, const std::string& target) {
  const uint32_t server = state.AddServer(target);
  ServerEntry entry = state.server(server);
  entry.alive = true;
  entry.reported = true;
  state.SetServer(server, std::move(entry));
  return server;
}
inline void SetAlive(CatalogState& state, uint32_t server, bool alive) {
  ServerEntry entry = state.server(server);
  entry.alive = alive;
  state.SetServer(server, std::move(entry));
}

inline std::vector<std::string> NamesOf(const Table& table) {
  std::vector<std::string> names;
  for (uint32_t id = 0; id < table.segments->size(); ++id)
    names.emplace_back(table.segments->name(id));
  return names;
}
inline std::vector<std::string> NamesOf(const Table& table, const Roaring& ids) {
  std::vector<std::string> names;
  for (const uint32_t id : ids) names.emplace_back(table.segments->name(id));
  return names;
}

}  // namespace trellis::broker
