#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "broker/routing/router.h"

namespace trellis::broker {

// Segments of a table from a list of names in byte order, ten rows each.
class MadeSegments : public TableSegments {
 public:
  explicit MadeSegments(std::vector<std::string> names) : names_(std::move(names)) {
    for (const std::string& name : names_) indexes_.push_back(store_.Append(name));
    view_ = store_.View();
  }
  size_t size() const override { return names_.size(); }
  std::string_view name(uint32_t id) const override { return names_.at(id); }
  int64_t rows(uint32_t) const override { return 10; }
  std::optional<int64_t> start_time_ms(uint32_t) const override { return {}; }
  std::optional<int64_t> end_time_ms(uint32_t) const override { return {}; }
  int64_t rows_total() const override { return 10 * static_cast<int64_t>(size()); }
  int64_t RowsOf(const Roaring& ids) const override {
    return 10 * static_cast<int64_t>(ids.cardinality());
  }
  std::optional<uint32_t> Find(std::string_view name) const override {
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    if (found == names_.end() || *found != name) return std::nullopt;
    return static_cast<uint32_t>(found - names_.begin());
  }
  const PruneIndex& prune_index() const override { std::abort(); }
  const segment_names::NameView& names() const override { return view_; }
  const std::vector<uint32_t>& name_indexes() const override { return indexes_; }

 private:
  std::vector<std::string> names_;
  segment_names::NameStore store_;
  segment_names::NameView view_;
  std::vector<uint32_t> indexes_;
};

struct MadeServer {
  std::string target;
  std::vector<std::string> names;
  std::vector<std::string> encodings{"names"};
  bool numbered = false;  // ordinals are 100, 101, ... in the order of `names`
  bool reads_list_chunks = false;
  bool alive = true;
};

// segment_000, segment_001, ...: from `from`, below `to`.
inline std::vector<std::string> SegmentNames(int from, int to) {
  std::vector<std::string> names;
  for (int i = from; i < to; ++i) {
    std::string digits = std::to_string(i);
    names.push_back("segment_" + std::string(6 - digits.size(), '0') + digits);
  }
  return names;
}

// A catalog of the one table t_OFFLINE. Its assignment gives a segment to the first server alive
// that holds it.
inline std::shared_ptr<const CatalogSnapshot> MakeCatalog(const std::vector<MadeServer>& servers) {
  auto snapshot = std::make_shared<CatalogSnapshot>();
  auto table = std::make_shared<Table>();
  table->name = "t_OFFLINE";
  table->raw_name = "t";
  table->type = "OFFLINE";
  std::set<std::string> all;
  for (const MadeServer& server : servers) all.insert(server.names.begin(), server.names.end());
  table->segments =
      std::make_shared<MadeSegments>(std::vector<std::string>(all.begin(), all.end()));
  Roaring left;
  left.addRange(0, all.size());
  Assignment& assignment = table->assignments.emplace_back();
  for (const MadeServer& server : servers) {
    auto part = std::make_shared<ServerPart>();
    part->server = static_cast<uint32_t>(snapshot->servers.size());
    ServerEntry& entry = snapshot->servers.emplace_back();
    entry.target = server.target;
    entry.alive = server.alive;
    entry.reported = true;
    entry.segment_list_encodings = server.encodings;
    entry.reads_list_chunks = server.reads_list_chunks;
    part->numbered = server.numbered;
    part->incarnation = 7;
    part->epoch = 3;
    std::map<uint32_t, uint32_t> ordinals;
    for (uint32_t i = 0; i < server.names.size(); ++i)
      ordinals[*table->segments->Find(server.names[i])] = 100 + i;
    for (const auto& [id, ordinal] : ordinals) {
      part->ids.push_back(id);
      part->held.add(id);
      if (server.numbered) part->ordinals.push_back(ordinal);
    }
    table->parts.push_back(part);
    if (!server.alive) continue;
    ServerShare share;
    share.part = part;
    share.ids = std::make_shared<const Roaring>(part->held & left);
    left -= *share.ids;
    share.count = share.ids->cardinality();
    share.everything = share.count == part->ids.size();
    share.lists = std::make_shared<ListCache>();
    if (share.count > 0) assignment.shares.push_back(std::move(share));
  }
  table->unavailable = std::make_shared<const Roaring>(left);
  snapshot->tables["t_OFFLINE"] = table;
  return snapshot;
}

// Everything of t_OFFLINE, by its one assignment.
inline Route RouteOf(const std::shared_ptr<const CatalogSnapshot>& snapshot) {
  Route route;
  route.snapshot = snapshot;
  route.table = snapshot->tables.at("t_OFFLINE");
  for (const ServerShare& share : route.table->assignments[0].shares) {
    route.shares.push_back({share.part, share.ids, share.count, share.lists});
    route.segments_routed += share.count;
  }
  route.unavailable = route.table->unavailable;
  return route;
}

}  // namespace trellis::broker
