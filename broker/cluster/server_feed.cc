#include "broker/cluster/server_feed.h"

#include <algorithm>

#include "common/telemetry/log.h"

namespace trellis::broker {
namespace {

bool Has(const std::vector<std::string>& features, std::string_view feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

}  // namespace

void ServerFeed::Begin() {
  catalog_.BeginWatch(server_);
  deltas_ = false;
  complete_ = false;
  tables_.clear();
  about_ = {};
}

void ServerFeed::TakeAbout(const wire::Inventory& inventory) {
  if (!inventory.segment_list_encodings.empty())
    about_.segment_list_encodings = inventory.segment_list_encodings;
  if (!inventory.build_version.empty()) about_.build_version = inventory.build_version;
  about_.reads_list_chunks |= Has(inventory.features, wire::kListChunksFeature);
  deltas_ |= Has(inventory.features, wire::kInventoryDeltasFeature) || !inventory.updates.empty() ||
             inventory.complete;
}

Result<ServerFeed::Taken> ServerFeed::Take(const wire::Inventory& inventory) {
  TakeAbout(inventory);
  bool whole = !deltas_;  // the message alone is the inventory
  if (whole) {
    catalog_.ApplyWhole(server_, inventory.tables);
  }
  for (const wire::TableUpdate& update : inventory.updates) {
    TRELLIS_RETURN_IF_ERROR(catalog_.Apply(server_, update));
    if (complete_) continue;
    if (update.gone)
      tables_.erase(update.table);
    else
      tables_.insert(update.table);
  }
  if (deltas_ && inventory.complete && !complete_) {
    catalog_.KeepOnly(server_, {tables_.begin(), tables_.end()});
    tables_.clear();
    whole = true;
  }
  complete_ |= whole;
  if (!complete_) return Taken{};
  if (!whole) return Taken{true, false};
  ServerEntry entry = about_;
  entry.target = catalog_.server(server_).target;
  entry.alive = true;
  entry.reported = true;
  const bool came = !catalog_.server(server_).alive;
  if (came) {
    spdlog::info("server {} has told its inventory: build {}, {}", entry.target,
                 entry.build_version, deltas_ ? "with changes to follow" : "whole");
  }
  catalog_.SetServer(server_, std::move(entry));
  return Taken{true, came};
}

bool ServerFeed::Lost() {
  ServerEntry entry = catalog_.server(server_);
  if (!entry.alive) return false;
  entry.alive = false;
  catalog_.SetServer(server_, std::move(entry));
  return true;
}

}  // namespace trellis::broker
