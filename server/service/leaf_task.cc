#include "server/service/leaf_task.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/base/string_hash.h"
#include "common/block/row_order.h"
#include "common/telemetry/metrics.h"
#include "common/wire/plan_codec.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::server {
namespace {

int64_t MicrosSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               start)
      .count();
}

// "OFFLINE" of "t_OFFLINE".
std::string_view TypeOf(std::string_view table) {
  const size_t at = table.rfind('_');
  return at == std::string_view::npos ? std::string_view() : table.substr(at + 1);
}

// What a list says of one table. Errors: InvalidArgument when it speaks of another than `table`, or
// of this one in two ways.
Status CheckTables(const wire::DecodedSegmentList& list, const std::string& table) {
  for (const wire::KnownSegments& known : list.known) {
    if (known.table != table) {
      return Status::InvalidArgument("segment list for '{}', but the stage reads {}", known.table,
                                     table);
    }
  }
  for (const wire::SegmentListGroup& group : list.groups) {
    if (group.key != TypeOf(table) && group.key != table) {
      return Status::InvalidArgument("segment list for '{}', but the stage reads {}", group.key,
                                     table);
    }
  }
  if (!list.known.empty() && !list.groups.empty()) {
    return Status::InvalidArgument("the segment list has segments of {} by ordinal and by name",
                                   table);
  }
  return Status::Ok();
}

// A table that is not there holds no inventory and no segment. Errors: as ResolveNames.
Result<Resolution> ResolveNowhere(const wire::DecodedSegmentList& list) {
  Resolution resolution;
  resolution.stale = !list.known.empty();
  absl::flat_hash_set<std::string_view, StringHash, StringEqual> named;
  named.reserve(list.names_total());
  for (const wire::SegmentListGroup& group : list.groups) {
    for (const std::string_view name : group.names) {
      if (!named.insert(name).second)
        return Status::InvalidArgument("the segment list names '{}' twice", name);
      resolution.missing.emplace_back(name);
    }
  }
  return resolution;
}

Result<Resolution> Resolve(const wire::DecodedSegmentList& list, const TableInventory& table) {
  if (!list.known.empty()) return table.ResolveKnown(list.known.front());
  if (list.groups.size() == 1) return table.ResolveNames(list.groups.front().names);
  std::vector<std::string_view> names;
  names.reserve(list.names_total());
  for (const wire::SegmentListGroup& group : list.groups)
    names.insert(names.end(), group.names.begin(), group.names.end());
  return table.ResolveNames(names);
}

void CountList(wire::SegmentListEncoding encoding, size_t size_bytes, bool stale) {
  CountMetric(fmt::format("trellis_server_lists_{}_total", wire::SegmentListEncodingName(encoding)),
              "Segment lists received in this encoding");
  CountMetric("trellis_server_list_bytes_total", "Bytes of segment lists received",
              static_cast<double>(size_bytes));
  if (stale) {
    CountMetric("trellis_server_lists_stale_total",
                "Segment lists that spoke of an inventory this server does not have");
  }
}

size_t ColumnBytes(const ColumnVector& column) {
  size_t bytes = column.offsets().size() * 4;
  WithPhysical(column.physical(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, std::string_view>) {
      for (const std::string_view text : column.values<T>()) bytes += text.size() + 4;
    } else {
      bytes += column.flat_size() * sizeof(T);
    }
  });
  return bytes;
}

}  // namespace

Result<PreparedStage> PrepareStage(const wire::LeafRequest& request,
                                   const ServerInventory& inventory, size_t groups_max) {
  PreparedStage prepared;
  TRELLIS_ASSIGN_OR_RETURN(plan::LeafStage stage, wire::DecodeLeafStage(request.stage.view));
  if (!request.segments) return Status::InvalidArgument("the request has no segment list");
  const auto start = std::chrono::steady_clock::now();
  TRELLIS_ASSIGN_OR_RETURN(const wire::DecodedSegmentList list,
                           wire::DecodeSegmentLists(request.segments->view));
  TRELLIS_RETURN_IF_ERROR(CheckTables(list, stage.table));
  const std::shared_ptr<TableInventory> table = inventory.Find(stage.table);
  const std::shared_ptr<const InventorySnapshot> now = table ? table->current() : nullptr;
  if (now && !now->info().refused.empty()) {
    return Status(StatusCode::kFailedPrecondition,
                  "table " + stage.table + ": " + now->info().refused, PinotCode::kQueryValidation);
  }
  TRELLIS_ASSIGN_OR_RETURN(Resolution resolution,
                           table ? Resolve(list, *table) : ResolveNowhere(list));
  prepared.statistics.decode_us = MicrosSince(start);
  prepared.statistics.list_encoding = wire::SegmentListEncodingName(list.encoding);
  CountList(list.encoding, request.segments->size_bytes(), resolution.stale);

  wire::LeafAccepted& accepted = prepared.accepted;
  accepted.incarnation = now ? now->incarnation() : 0;
  accepted.epoch = now ? now->epoch() : 0;
  accepted.stale = resolution.stale;
  if (accepted.stale) return prepared;
  accepted.missing = std::move(resolution.missing);
  accepted.missing_ordinals = std::move(resolution.missing_ordinals);
  for (BrokenSegment& broken : resolution.broken)
    accepted.broken.push_back({std::move(broken.name), std::move(broken.reason)});
  prepared.segments = std::move(resolution.selection);
  prepared.statistics.segments_queried = static_cast<int64_t>(prepared.segments.segments().size());
  prepared.statistics.documents_total = prepared.segments.documents_total;
  const auto& pin = prepared.segments.pin;
  TRELLIS_ASSIGN_OR_RETURN(
      prepared.query,
      LeafQuery::Create(std::move(stage), pin ? pin->info().schema : nullptr, groups_max));
  return prepared;
}

wire::LeafAccepted LeaveOut(const std::vector<SegmentFault>& faults, SegmentSelection& selection,
                            wire::LeafStatistics& statistics) {
  wire::LeafAccepted without;
  without.incarnation = selection.pin ? selection.pin->incarnation() : 0;
  without.epoch = selection.pin ? selection.pin->epoch() : 0;
  absl::flat_hash_set<const segment::Segment*> out;
  for (const SegmentFault& fault : faults) {
    if (!out.insert(fault.segment).second) continue;
    without.broken.push_back({fault.segment->name(), fault.status.message()});
    selection.documents_total -= fault.segment->document_count();
  }
  std::vector<const segment::Segment*> rest;
  for (const segment::Segment* segment : selection.segments())
    if (!out.contains(segment)) rest.push_back(segment);
  selection.chosen = std::move(rest);
  selection.view = selection.chosen;
  statistics.segments_queried = static_cast<int64_t>(selection.segments().size());
  statistics.documents_total = selection.documents_total;
  return without;
}

std::vector<Block> SplitBlock(Block block, size_t bytes_target) {
  size_t bytes = 0;
  for (const ColumnVector& column : block.columns) bytes += ColumnBytes(column);
  std::vector<Block> parts;
  if (bytes <= bytes_target || block.rows <= 1) {
    parts.push_back(std::move(block));
    return parts;
  }
  const size_t rows_per_part = std::max<size_t>(1, block.rows * bytes_target / bytes);
  for (size_t from = 0; from < block.rows; from += rows_per_part) {
    std::vector<uint32_t> rows(std::min(rows_per_part, block.rows - from));
    std::iota(rows.begin(), rows.end(), static_cast<uint32_t>(from));
    parts.push_back(TakeRows(block, rows));
  }
  return parts;
}

}  // namespace trellis::server
