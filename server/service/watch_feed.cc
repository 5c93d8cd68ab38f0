#include "server/service/watch_feed.h"

#include <utility>

#include "common/wire/leaf_messages.h"

namespace trellis::server {
namespace {

constexpr char kBuildVersion[] = "0.1.0";

wire::TableInventory DescribeTable(const InventorySnapshot& snapshot) {
  const TableInfo& info = snapshot.info();
  wire::TableInventory out;
  out.table = info.name;
  out.schema_json = info.schema_json;
  out.config_json = info.config_json;
  out.refused = info.refused;
  for (const uint32_t ordinal : snapshot.alive()) {
    const SegmentFacts& facts = snapshot.Find(ordinal)->facts;
    wire::SegmentEntry& entry = out.segments.emplace_back();
    entry.name = facts.name;
    entry.crc = facts.crc;
    entry.rows = facts.rows;
    entry.start_time_ms = facts.start_time_ms;
    entry.end_time_ms = facts.end_time_ms;
  }
  for (const BrokenSegment& broken : info.broken) {
    wire::SegmentEntry& entry = out.segments.emplace_back();
    entry.name = broken.name;
    entry.broken = broken.reason;
  }
  return out;
}

size_t DescriptionBytes(const wire::TableUpdate& update) {
  if (!update.description) return 0;
  size_t bytes = update.description->schema_json.size() + update.description->config_json.size();
  for (const wire::SegmentEntry& entry : update.description->broken)
    bytes += entry.name.size() + entry.broken.size();
  return bytes;
}

}  // namespace

WatchFeed::WatchFeed(std::shared_ptr<ServerInventory> inventory, Options options)
    : inventory_(std::move(inventory)), options_(std::move(options)) {}

Result<std::optional<std::string>> WatchFeed::Next(bool look) {
  look_ |= look;
  std::string message;
  if (!options_.deltas) {
    if (!std::exchange(look_, false)) return std::optional<std::string>();
    epoch_ = inventory_->epoch();
    TRELLIS_ASSIGN_OR_RETURN(message, WholeInventory());
    return std::optional(std::move(message));
  }
  if (pending_.empty() && std::exchange(look_, false)) Collect();
  if (pending_.empty() && !first_) return std::optional<std::string>();
  first_ = false;
  wire::Inventory inventory = Header();
  // Small tables share a message.
  size_t segments = 0;
  size_t bytes = 0;
  while (!pending_.empty()) {
    segments += pending_.front().added.size();
    bytes += DescriptionBytes(pending_.front());
    if (!inventory.updates.empty() &&
        (segments > options_.chunk_segments || bytes > wire::kMessageLimits.stream_chunk_bytes))
      break;
    inventory.updates.push_back(std::move(pending_.front()));
    pending_.pop_front();
  }
  inventory.complete = pending_.empty();
  TRELLIS_ASSIGN_OR_RETURN(message, wire::EncodeInventory(inventory));
  return std::optional(std::move(message));
}

void WatchFeed::Collect() {
  epoch_ = inventory_->epoch();
  const auto tables = inventory_->tables();
  for (auto it = sent_.begin(); it != sent_.end();) {
    if (tables.contains(it->first)) {
      ++it;
      continue;
    }
    wire::TableUpdate& update = pending_.emplace_back();
    update.table = it->first;
    update.incarnation = it->second.incarnation;
    update.epoch = it->second.epoch;
    update.gone = true;
    it = sent_.erase(it);
  }
  for (const auto& [name, table] : tables) {
    Position& at = sent_[name];
    for (wire::TableUpdate& update :
         table->UpdatesSince(at.incarnation, at.epoch, options_.chunk_segments)) {
      at = {update.incarnation, update.epoch};
      pending_.push_back(std::move(update));
    }
  }
}

wire::Inventory WatchFeed::Header() const {
  wire::Inventory inventory;
  inventory.incarnation = inventory_->incarnation();
  inventory.epoch = epoch_;
  inventory.build_version = kBuildVersion;
  inventory.segment_list_encodings = options_.segment_list_encodings;
  inventory.features = {wire::kListChunksFeature, wire::kInventoryDeltasFeature};
  return inventory;
}

Result<std::string> WatchFeed::WholeInventory() const {
  wire::Inventory inventory = Header();
  for (const auto& [name, table] : inventory_->tables())
    inventory.tables.push_back(DescribeTable(*table->current()));
  inventory.complete = true;
  return wire::EncodeInventory(inventory);
}

}  // namespace trellis::server
