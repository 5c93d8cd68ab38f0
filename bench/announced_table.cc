#include "bench/announced_table.h"

#include "common/base/check.h"

namespace trellis::bench {
namespace {

constexpr char kSchema[] = R"({"schemaName": "events",
  "dimensionFieldSpecs": [{"name": "kind", "dataType": "STRING"},
                          {"name": "member", "dataType": "INT"}],
  "dateTimeFieldSpecs": [{"name": "ts", "dataType": "LONG", "format": "1:MILLISECONDS:EPOCH",
                          "granularity": "1:MILLISECONDS"}]})";

}  // namespace

wire::TableDescription AnnouncedDescription() { return {kSchema, "", "", {}}; }

wire::TableUpdate Announcement(const std::vector<std::string>& names, size_t first, size_t step,
                               uint64_t incarnation) {
  wire::TableUpdate update;
  update.table = kAnnouncedTable;
  update.incarnation = incarnation;
  update.epoch = 1;
  update.description = AnnouncedDescription();
  wire::SegmentBatch& batch = update.added;
  wire::ZoneColumn zone;
  zone.column = "ts";
  wire::PartitionColumn partition;
  partition.column = "member";
  partition.function = "Modulo";
  partition.count = kPartitions;
  for (size_t i = first; i < names.size(); i += step) {
    batch.ordinals.push_back(static_cast<uint32_t>(batch.ordinals.size()));
    batch.names.emplace_back(names[i]);
    batch.crcs.push_back(i);
    batch.rows.push_back(1'000);
    const auto hour = static_cast<int64_t>(i / kPartitions);
    zone.present.push_back(1);
    zone.min.push_back(hour * kHourMs);
    zone.max.push_back((hour + 1) * kHourMs - 1);
    partition.partition.push_back(static_cast<uint32_t>(i % kPartitions));
  }
  batch.zones.push_back(std::move(zone));
  batch.partitions.push_back(std::move(partition));
  return update;
}

std::shared_ptr<const broker::CatalogSnapshot> AnnouncedCatalog(
    const std::vector<std::string>& names, const std::vector<std::string>& targets) {
  broker::CatalogState state;
  for (size_t i = 0; i < targets.size(); ++i) {
    broker::ServerEntry entry;
    entry.target = targets[i];
    entry.alive = true;
    entry.reported = true;
    entry.segment_list_encodings = {"known", "packed", "names", "legacy_json"};
    entry.build_version = "bench";
    entry.reads_list_chunks = true;
    const uint32_t server = state.AddServer(targets[i]);
    state.SetServer(server, entry);
    TRELLIS_CHECK(state.Apply(server, Announcement(names, i, targets.size(), i + 1)).ok());
  }
  return state.Build();
}

}  // namespace trellis::bench
