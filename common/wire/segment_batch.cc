#include "common/wire/segment_batch.h"

#include <algorithm>

#include "common/segment_names/packed_names.h"
#include "common/wire/ordinals.h"
#include "common/wire/utf8.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

constexpr std::string_view kTimeColumn = "time_ms";

Status CheckLength(size_t length, size_t count, std::string_view column, std::string_view part) {
  if (length == count) return Status::Ok();
  return Status::InvalidArgument("column '{}' has {} {} for {} segments", column, length, part,
                                 count);
}

Status CheckZones(const ZoneColumn& zones, size_t count, std::string_view column) {
  TRELLIS_RETURN_IF_ERROR(CheckLength(zones.present.size(), count, column, "flags"));
  TRELLIS_RETURN_IF_ERROR(CheckLength(zones.min.size(), count, column, "minima"));
  TRELLIS_RETURN_IF_ERROR(CheckLength(zones.max.size(), count, column, "maxima"));
  for (size_t i = 0; i < count; ++i) {
    const bool sound =
        zones.present[i] ? zones.min[i] <= zones.max[i] : (zones.min[i] | zones.max[i]) == 0;
    if (sound) continue;
    return Status::InvalidArgument("column '{}' has minimum {} and maximum {}, {}, in row {}",
                                   column, zones.min[i], zones.max[i],
                                   zones.present[i] ? "known" : "not known", i);
  }
  return Status::Ok();
}

Status CheckPartitions(const PartitionColumn& column, size_t count) {
  TRELLIS_RETURN_IF_ERROR(CheckLength(column.partition.size(), count, column.column, "partitions"));
  for (const uint32_t partition : column.partition) {
    if (partition < column.count || partition == PartitionColumn::kUnknown) continue;
    return Status::InvalidArgument("column '{}' has partition {} of {}", column.column, partition,
                                   column.count);
  }
  return Status::Ok();
}

// Every column against the batch's length, and its values.
Status CheckColumns(const SegmentBatch& batch) {
  const size_t count = batch.size();
  TRELLIS_RETURN_IF_ERROR(CheckLength(batch.names.size(), count, "names", "values"));
  TRELLIS_RETURN_IF_ERROR(CheckLength(batch.crcs.size(), count, "crcs", "values"));
  TRELLIS_RETURN_IF_ERROR(CheckLength(batch.rows.size(), count, "rows", "values"));
  for (size_t i = 0; i < count; ++i) {
    if (batch.names[i].size() > kMessageLimits.segment_name_bytes_max) {
      return Status::InvalidArgument("the name of segment {} has {} bytes, at most {}",
                                     batch.ordinals[i], batch.names[i].size(),
                                     kMessageLimits.segment_name_bytes_max);
    }
    if (batch.rows[i] < 0) {
      return Status::InvalidArgument("segment '{}' of an inventory has {} rows", batch.names[i],
                                     batch.rows[i]);
    }
  }
  if (!batch.time_ms.present.empty() || !batch.time_ms.min.empty() || !batch.time_ms.max.empty())
    TRELLIS_RETURN_IF_ERROR(CheckZones(batch.time_ms, count, kTimeColumn));
  for (const ZoneColumn& zones : batch.zones)
    TRELLIS_RETURN_IF_ERROR(CheckZones(zones, count, zones.column));
  for (const PartitionColumn& partitions : batch.partitions)
    TRELLIS_RETURN_IF_ERROR(CheckPartitions(partitions, count));
  return Status::Ok();
}

Status CheckCount(size_t count, size_t count_max) {
  if (count <= count_max) return Status::Ok();
  return Status::ResourceExhausted(
      "{} segments are too many for one message, which has at most {} in all", count,
      kMessageLimits.inventory_message_segments_max);
}

template <class T, class Repeated>
void Assign(const std::vector<T>& from, Repeated& to) {
  to.Reserve(static_cast<int>(from.size()));
  to.Add(from.begin(), from.end());
}

void ToProto(const ZoneColumn& from, v1::ZoneColumn& to) {
  to.set_column(ToUtf8(from.column));
  std::string& bits = *to.mutable_present();
  bits.assign((from.present.size() + 7) / 8, '\0');
  for (size_t i = 0; i < from.present.size(); ++i) {
    if (from.present[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
  }
  Assign(from.min, *to.mutable_min());
  Assign(from.max, *to.mutable_max());
}

Status FromProto(const v1::ZoneColumn& from, size_t count, ZoneColumn& to) {
  to.column = from.column();
  TRELLIS_RETURN_IF_ERROR(CheckLength(from.present().size(), (count + 7) / 8,
                                      to.column.empty() ? kTimeColumn : to.column,
                                      "bytes of flags"));
  to.present.resize(count);
  for (size_t i = 0; i < count; ++i)
    to.present[i] = static_cast<uint8_t>(from.present()[i / 8]) >> i % 8 & 1;
  to.min.assign(from.min().begin(), from.min().end());
  to.max.assign(from.max().begin(), from.max().end());
  return Status::Ok();
}

void ToProto(const PartitionColumn& from, v1::PartitionColumn& to) {
  to.set_column(ToUtf8(from.column));
  to.set_function(ToUtf8(from.function));
  to.set_count(from.count);
  to.mutable_partition_plus_one()->Reserve(static_cast<int>(from.partition.size()));
  static_assert(PartitionColumn::kUnknown + 1 == 0);
  for (const uint32_t partition : from.partition) to.add_partition_plus_one(partition + 1);
}

void FromProto(const v1::PartitionColumn& from, PartitionColumn& to) {
  to.column = from.column();
  to.function = from.function();
  to.count = from.count();
  to.partition.reserve(static_cast<size_t>(from.partition_plus_one_size()));
  for (const uint32_t plus_one : from.partition_plus_one()) to.partition.push_back(plus_one - 1);
}

Status CheckOrdinals(const std::vector<uint32_t>& ordinals) {
  for (size_t i = 1; i < ordinals.size(); ++i) {
    if (ordinals[i - 1] >= ordinals[i]) {
      return Status::InvalidArgument("ordinal {} comes after {}", ordinals[i], ordinals[i - 1]);
    }
  }
  if (ordinals.empty() || ordinals.back() < kMessageLimits.ordinals_max) return Status::Ok();
  return Status::InvalidArgument("ordinal {}, at most {}", ordinals.back(),
                                 kMessageLimits.ordinals_max - 1);
}

}  // namespace

Status EncodeSegmentBatch(const SegmentBatch& from, v1::SegmentBatch& to) {
  TRELLIS_RETURN_IF_ERROR(CheckCount(from.size(), kMessageLimits.inventory_message_segments_max));
  TRELLIS_RETURN_IF_ERROR(CheckOrdinals(from.ordinals));
  TRELLIS_RETURN_IF_ERROR(CheckColumns(from));
  to.set_count(static_cast<uint32_t>(from.size()));
  to.set_ordinals(WriteOrdinals(Roaring(from.size(), from.ordinals.data())));
  segment_names::FrontCode(from.names, *to.mutable_names());
  Assign(from.crcs, *to.mutable_crcs());
  Assign(from.rows, *to.mutable_rows());
  if (!from.time_ms.present.empty()) ToProto(from.time_ms, *to.mutable_time_ms());
  for (const ZoneColumn& zones : from.zones) ToProto(zones, *to.add_zones());
  for (const PartitionColumn& column : from.partitions) ToProto(column, *to.add_partitions());
  return Status::Ok();
}

Status DecodeSegmentBatch(const v1::SegmentBatch& from, BatchBudget& budget, SegmentBatch& to) {
  const size_t count = from.count();
  TRELLIS_RETURN_IF_ERROR(CheckCount(count, budget.segments_left));
  TRELLIS_ASSIGN_OR_RETURN(const Roaring ordinals, ReadOrdinals(AsBytes(from.ordinals())));
  TRELLIS_RETURN_IF_ERROR(CheckLength(ordinals.cardinality(), count, "ordinals", "values"));
  to.ordinals.resize(count);
  ordinals.toUint32Array(to.ordinals.data());
  TRELLIS_ASSIGN_OR_RETURN(
      segment_names::NameList names,
      segment_names::ReadFrontCoded(AsBytes(from.names()), {count, budget.text_bytes_left}));
  budget.segments_left -= count;
  for (const std::string_view name : names.names)
    budget.text_bytes_left -= std::min(name.size(), budget.text_bytes_left);
  to.names = std::move(names.names);
  to.names_owner = std::move(names.owner);
  to.crcs.assign(from.crcs().begin(), from.crcs().end());
  to.rows.assign(from.rows().begin(), from.rows().end());
  if (from.has_time_ms()) TRELLIS_RETURN_IF_ERROR(FromProto(from.time_ms(), count, to.time_ms));
  for (const v1::ZoneColumn& zones : from.zones())
    TRELLIS_RETURN_IF_ERROR(FromProto(zones, count, to.zones.emplace_back()));
  for (const v1::PartitionColumn& column : from.partitions())
    FromProto(column, to.partitions.emplace_back());
  return CheckColumns(to);
}

}  // namespace trellis::wire
