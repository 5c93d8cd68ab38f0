#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/utf8.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

void ToProto(const SegmentEntry& from, v1::SegmentEntry& to) {
  to.set_name(from.name);
  to.set_crc(from.crc);
  to.set_rows(from.rows);
  if (from.start_time_ms) to.set_start_time_ms(*from.start_time_ms);
  if (from.end_time_ms) to.set_end_time_ms(*from.end_time_ms);
  to.set_broken(ToUtf8(from.broken));
}

SegmentEntry FromProto(const v1::SegmentEntry& from) {
  SegmentEntry entry;
  entry.name = from.name();
  entry.crc = from.crc();
  entry.rows = from.rows();
  if (from.has_start_time_ms()) entry.start_time_ms = from.start_time_ms();
  if (from.has_end_time_ms()) entry.end_time_ms = from.end_time_ms();
  entry.broken = from.broken();
  return entry;
}

}  // namespace

Result<std::string> EncodeInventory(const Inventory& inventory) {
  v1::Inventory to;
  to.set_protocol_version(inventory.protocol_version);
  to.set_incarnation(inventory.incarnation);
  to.set_epoch(inventory.epoch);
  to.set_build_version(inventory.build_version);
  for (const std::string& encoding : inventory.segment_list_encodings)
    to.add_segment_list_encodings(encoding);
  for (const std::string& feature : inventory.features) to.add_features(feature);
  for (const TableInventory& table : inventory.tables) {
    v1::TableInventory& to_table = *to.add_tables();
    to_table.set_table(ToUtf8(table.table));
    to_table.set_schema_json(ToUtf8(table.schema_json));
    to_table.set_config_json(ToUtf8(table.config_json));
    to_table.set_refused(ToUtf8(table.refused));
    for (const SegmentEntry& entry : table.segments) ToProto(entry, *to_table.add_segments());
  }
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(to.ByteSizeLong(), "an inventory"));
  return to.SerializeAsString();
}

Result<Inventory> DecodeInventory(ByteView message) {
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(message.size(), "an inventory"));
  v1::Inventory from;
  if (!from.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Status::InvalidArgument("{} bytes are not an Inventory message", message.size());
  }
  Inventory inventory;
  inventory.protocol_version = from.protocol_version();
  inventory.incarnation = from.incarnation();
  inventory.epoch = from.epoch();
  inventory.build_version = from.build_version();
  inventory.segment_list_encodings.assign(from.segment_list_encodings().begin(),
                                          from.segment_list_encodings().end());
  inventory.features.assign(from.features().begin(), from.features().end());
  for (const v1::TableInventory& table : from.tables()) {
    TableInventory& to_table = inventory.tables.emplace_back();
    to_table.table = table.table();
    to_table.schema_json = table.schema_json();
    to_table.config_json = table.config_json();
    to_table.refused = table.refused();
    to_table.segments.reserve(static_cast<size_t>(table.segments_size()));
    for (const v1::SegmentEntry& entry : table.segments()) {
      if (entry.rows() < 0) {
        return Status::InvalidArgument("segment '{}' of an inventory has {} rows", entry.name(),
                                       entry.rows());
      }
      to_table.segments.push_back(FromProto(entry));
    }
  }
  return inventory;
}

}  // namespace trellis::wire
