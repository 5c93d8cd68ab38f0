#include "common/wire/inventory_messages.h"

#include "common/wire/message_limits.h"
#include "common/wire/message_parsing.h"
#include "common/wire/ordinals.h"
#include "common/wire/segment_batch.h"
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

Result<SegmentEntry> FromProto(const v1::SegmentEntry& from) {
  if (from.rows() < 0) {
    return Status::InvalidArgument("segment '{}' of an inventory has {} rows", from.name(),
                                   from.rows());
  }
  SegmentEntry entry;
  entry.name = from.name();
  entry.crc = from.crc();
  entry.rows = from.rows();
  if (from.has_start_time_ms()) entry.start_time_ms = from.start_time_ms();
  if (from.has_end_time_ms()) entry.end_time_ms = from.end_time_ms();
  entry.broken = from.broken();
  return entry;
}

template <class Entries>
Status FromProto(const Entries& from, std::vector<SegmentEntry>& to) {
  to.reserve(static_cast<size_t>(from.size()));
  for (const v1::SegmentEntry& entry : from) {
    TRELLIS_ASSIGN_OR_RETURN(SegmentEntry read, FromProto(entry));
    to.push_back(std::move(read));
  }
  return Status::Ok();
}

void ToProto(const TableDescription& from, v1::TableDescription& to) {
  to.set_schema_json(ToUtf8(from.schema_json));
  to.set_config_json(ToUtf8(from.config_json));
  to.set_refused(ToUtf8(from.refused));
  for (const SegmentEntry& entry : from.broken) ToProto(entry, *to.add_broken());
}

Status ToProto(const TableUpdate& from, v1::TableUpdate& to) {
  to.set_table(ToUtf8(from.table));
  to.set_incarnation(from.incarnation);
  to.set_epoch(from.epoch);
  to.set_base_epoch(from.base_epoch);
  to.set_more(from.more);
  to.set_gone(from.gone);
  if (from.description) ToProto(*from.description, *to.mutable_description());
  if (from.added.size() != 0)
    TRELLIS_RETURN_IF_ERROR(EncodeSegmentBatch(from.added, *to.mutable_added()));
  to.set_dropped(WriteOrdinals(from.dropped));
  return Status::Ok();
}

Status FromProto(const v1::TableUpdate& from, BatchBudget& budget, TableUpdate& to) {
  to.table = from.table();
  to.incarnation = from.incarnation();
  to.epoch = from.epoch();
  to.base_epoch = from.base_epoch();
  to.more = from.more();
  to.gone = from.gone();
  if (from.has_description()) {
    TableDescription& description = to.description.emplace();
    description.schema_json = from.description().schema_json();
    description.config_json = from.description().config_json();
    description.refused = from.description().refused();
    TRELLIS_RETURN_IF_ERROR(FromProto(from.description().broken(), description.broken));
  }
  if (from.has_added()) TRELLIS_RETURN_IF_ERROR(DecodeSegmentBatch(from.added(), budget, to.added));
  TRELLIS_ASSIGN_OR_RETURN(to.dropped, ReadOrdinals(AsBytes(from.dropped())));
  return Status::Ok();
}

}  // namespace

std::string EncodeWatchRequest(const WatchRequest& request) {
  v1::WatchRequest to;
  to.set_protocol_version(kProtocolVersion);
  for (const std::string& feature : request.features) to.add_features(ToUtf8(feature));
  return to.SerializeAsString();
}

Result<WatchRequest> DecodeWatchRequest(ByteView message) {
  v1::WatchRequest from;
  TRELLIS_RETURN_IF_ERROR(ParseMessage(message, from, "WatchRequest"));
  TRELLIS_RETURN_IF_ERROR(CheckProtocolVersion(from.protocol_version()));
  WatchRequest request;
  request.features.assign(from.features().begin(), from.features().end());
  return request;
}

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
  for (const TableUpdate& update : inventory.updates) {
    Status status = ToProto(update, *to.add_updates());
    if (!status.ok())
      return status.WithContext(fmt::format("an update of table '{}'", update.table));
  }
  to.set_complete(inventory.complete);
  TRELLIS_RETURN_IF_ERROR(CheckMessageSize(to.ByteSizeLong(), "an inventory"));
  return to.SerializeAsString();
}

Result<Inventory> DecodeInventory(ByteView message) {
  v1::Inventory from;
  TRELLIS_RETURN_IF_ERROR(ParseMessage(message, from, "Inventory"));
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
    TRELLIS_RETURN_IF_ERROR(FromProto(table.segments(), to_table.segments));
  }
  BatchBudget budget;
  for (const v1::TableUpdate& update : from.updates()) {
    Status status = FromProto(update, budget, inventory.updates.emplace_back());
    if (!status.ok())
      return status.WithContext(fmt::format("an inventory's update of table '{}'", update.table()));
  }
  inventory.complete = from.complete();
  return inventory;
}

}  // namespace trellis::wire
