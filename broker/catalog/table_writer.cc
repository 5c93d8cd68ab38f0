#include "broker/catalog/table_writer.h"

#include <algorithm>
#include <map>

#include "broker/catalog/built_segments.h"
#include "broker/catalog/replica_spread.h"
#include "common/table_config/schema_json.h"
#include "common/table_config/table_name.h"
#include "common/telemetry/log.h"

namespace trellis::broker {
namespace {

constexpr size_t kAssignmentsMax = 8;  // kept a table
// Slots that nobody holds are given back when there are more of them than of others, and this many.
constexpr size_t kDeadSlotsMin = 1'024;

// The columns of an update, of an inventory that came row by row. Names are views into it.
wire::SegmentBatch ToBatch(const std::vector<wire::SegmentEntry>& segments) {
  wire::SegmentBatch batch;
  for (const wire::SegmentEntry& segment : segments) {
    if (!segment.broken.empty()) continue;
    batch.names.push_back(segment.name);
    batch.crcs.push_back(segment.crc);
    batch.rows.push_back(segment.rows);
    constexpr int64_t kNoTime = SegmentFacts::kNoTime;
    batch.time_ms.present.push_back(segment.start_time_ms || segment.end_time_ms);
    batch.time_ms.min.push_back(segment.start_time_ms.value_or(kNoTime));
    batch.time_ms.max.push_back(segment.end_time_ms.value_or(kNoTime));
  }
  return batch;
}

}  // namespace

TableWriter::TableWriter(std::string name)
    : name_(std::move(name)), slots_(std::make_unique<SegmentSlots>()) {}
TableWriter::~TableWriter() = default;

Status TableWriter::Apply(uint32_t server, const wire::TableUpdate& update) {
  Holder& holder = holders_[server];
  const uint64_t version = holder.holding.version();
  Status status = holder.holding.Apply(update, *slots_);
  changed_ |= holder.holding.version() != version;
  changed_ |= !status.ok() && sparse();
  if (!holder.holding.told() && !holder.holding.pending()) holders_.erase(server);
  return status;
}

void TableWriter::ApplyWhole(uint32_t server, const wire::TableInventory& inventory) {
  wire::TableDescription description{
      inventory.schema_json, inventory.config_json, inventory.refused, {}};
  for (const wire::SegmentEntry& segment : inventory.segments) {
    if (!segment.broken.empty()) description.broken.push_back(segment);
  }
  holders_[server].holding.Replace(ToBatch(inventory.segments), std::move(description), *slots_);
  changed_ = true;
}

void TableWriter::DropPending(uint32_t server) {
  const auto found = holders_.find(server);
  if (found == holders_.end()) return;
  found->second.holding.DropPending();
  changed_ |= sparse();
  if (!found->second.holding.told()) holders_.erase(found);
}

void TableWriter::Forget(uint32_t server) {
  const auto found = holders_.find(server);
  if (found == holders_.end()) return;
  found->second.holding.Clear(*slots_);
  holders_.erase(found);
  changed_ = true;
}

bool TableWriter::empty() const {
  return std::none_of(holders_.begin(), holders_.end(),
                      [](const auto& holder) { return holder.second.holding.told(); });
}

bool TableWriter::pending() const {
  return std::any_of(holders_.begin(), holders_.end(),
                     [](const auto& holder) { return holder.second.holding.pending(); });
}

std::vector<bool> TableWriter::AliveHolders(const std::vector<ServerEntry>& servers) const {
  std::vector<bool> alive;
  for (const auto& [server, holder] : holders_) {
    if (holder.holding.told()) alive.push_back(servers[server].alive);
  }
  return alive;
}

std::shared_ptr<const Table> TableWriter::Build(const std::vector<ServerEntry>& servers) {
  std::vector<bool> alive = AliveHolders(servers);
  if (!changed_ && last_ && alive == alive_) return last_;
  auto table = std::make_shared<Table>();
  alive_ = std::move(alive);
  if (changed_ || !last_) {
    BuildParts(BuildSegments());
    Describe(*table);
  } else {
    table->schema = last_->schema;
    table->schema_json = last_->schema_json;
    table->config_json = last_->config_json;
    table->refused = last_->refused;
    table->broken = last_->broken;
  }
  table->name = name_;
  table->type = table_config::TableTypeOf(name_);
  table->raw_name = table_config::RawTableName(name_);
  table->segments = segments_;
  for (const auto& [server, holder] : holders_) {
    if (holder.part) table->parts.push_back(holder.part);
  }
  Assign(*table);
  changed_ = false;
  last_ = std::move(table);
  return last_;
}

bool TableWriter::BuildSegments() {
  bool renumbered = slots_->RefreshOrder() || segments_ == nullptr;
  renumbered |= CompactIfSparse();
  SegmentSlots::Numbering numbering = slots_->Number();
  id_of_slot_ = std::move(numbering.id_of_slot);
  if (!numbering.disputed.isEmpty() && !dispute_logged_) {
    dispute_logged_ = true;
    const auto [a, b] = numbering.disputed_slots;
    spdlog::warn(
        "table {}: servers have different data of {} segments, such as '{}' (crc {} and {}): "
        "answers depend on which of them is asked",
        name_, numbering.disputed.cardinality(), slots_->names().name(a), slots_->facts().crc(a),
        slots_->facts().crc(b));
  }
  if (renumbered) {
    segments_ =
        std::make_shared<BuiltSegments>(*slots_, std::move(numbering.slots), numbering.disputed);
  }
  return renumbered;
}

bool TableWriter::sparse() const {
  const size_t dead = slots_->size() - slots_->alive_count();
  return dead >= kDeadSlotsMin && dead > slots_->alive_count();
}

bool TableWriter::CompactIfSparse() {
  // Slots of an update that is not whole yet have no holder, and would be lost.
  if (!sparse() || pending()) return false;
  std::vector<uint32_t> new_slot;
  slots_ = slots_->Compact(new_slot);
  for (auto& [server, holder] : holders_) holder.holding.Renumber(new_slot);
  return true;
}

void TableWriter::BuildParts(bool renumbered) {
  for (auto& [server, holder] : holders_) {
    const ServerHolding& holding = holder.holding;
    if (!holding.told()) continue;
    if (!renumbered && holder.part && holder.part_version == holding.version()) continue;
    holder.part = holding.Build(server, segments_->size(), id_of_slot_);
    holder.part_version = holding.version();
  }
  id_of_slot_ = {};
}

void TableWriter::Assign(Table& table) const {
  std::vector<std::shared_ptr<const ServerPart>> parts;  // alive
  std::vector<std::span<const uint32_t>> held;
  for (size_t i = 0; i < table.parts.size(); ++i) {
    if (!alive_[i]) continue;
    parts.push_back(table.parts[i]);
    held.emplace_back(table.parts[i]->ids);
  }
  const ReplicaSpread spread = SpreadOverReplicas(table.segments->size(), held, kAssignmentsMax);
  for (const auto& taken : spread.taken) {
    Assignment& assignment = table.assignments.emplace_back();
    for (size_t i = 0; i < parts.size(); ++i) {
      if (taken[i].empty()) continue;
      ServerShare& share = assignment.shares.emplace_back();
      share.part = parts[i];
      share.count = taken[i].size();
      share.everything = taken[i].size() == parts[i]->ids.size();
      share.lists = std::make_shared<ListCache>();
      if (share.everything) {
        share.ids = std::shared_ptr<const Roaring>(parts[i], &parts[i]->held);
        continue;
      }
      auto ids = std::make_shared<Roaring>(taken[i].size(), taken[i].data());
      ids->runOptimize();
      ids->shrinkToFit();
      share.ids = std::move(ids);
    }
  }
  auto unavailable = std::make_shared<Roaring>(spread.uncovered.size(), spread.uncovered.data());
  unavailable->runOptimize();
  table.unavailable = std::move(unavailable);
}

void TableWriter::TakeSchema(const std::string& schema_json) {
  if (schema_ && schema_json == schema_json_) return;
  schema_json_ = schema_json;
  auto schema = table_config::ParseSchema(schema_json);
  schema_error_ = schema.ok() ? "" : "its schema cannot be read: " + schema.status().message();
  schema_ = schema.ok() ? std::make_shared<const Schema>(std::move(*schema))
                        : std::make_shared<const Schema>();
}

void TableWriter::Describe(Table& table) {
  bool differ = false;
  for (const auto& [server, holder] : holders_) {
    if (!holder.holding.told()) continue;
    const wire::TableDescription& told = holder.holding.description();
    if (table.schema_json.empty()) table.schema_json = told.schema_json;
    if (table.config_json.empty()) table.config_json = told.config_json;
    if (table.refused.empty()) table.refused = told.refused;
    differ |= told.schema_json != table.schema_json;
  }
  if (differ && !schemas_differ_)
    spdlog::warn("table {}: servers disagree on its schema, the first one's is used", name_);
  schemas_differ_ = differ;
  TakeSchema(table.schema_json);
  table.schema = schema_;
  if (!schema_error_.empty()) table.refused = schema_error_;
  ListBroken(table);
}

void TableWriter::ListBroken(Table& table) const {
  std::map<std::string_view, std::string_view> reasons;
  for (const auto& [server, holder] : holders_) {
    if (!holder.holding.told()) continue;
    for (const wire::SegmentEntry& segment : holder.holding.description().broken) {
      if (!slots_->Readable(segment.name)) reasons.try_emplace(segment.name, segment.broken);
    }
  }
  for (const auto& [name, reason] : reasons)
    table.broken.push_back({std::string(name), std::string(reason)});
}

size_t TableWriter::memory_bytes() const {
  size_t bytes = slots_->memory_bytes();
  if (segments_) bytes += segments_->memory_bytes();
  for (const auto& [server, holder] : holders_) {
    bytes += holder.holding.memory_bytes();
    if (holder.part) {
      bytes += (holder.part->ids.capacity() + holder.part->ordinals.capacity()) * sizeof(uint32_t) +
               holder.part->held.getSizeInBytes();
    }
  }
  if (!last_) return bytes;
  for (const Assignment& assignment : last_->assignments) {
    for (const ServerShare& share : assignment.shares) {
      if (!share.everything) bytes += share.ids->getSizeInBytes();
    }
  }
  return bytes;
}

}  // namespace trellis::broker
