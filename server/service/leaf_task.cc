#include "server/service/leaf_task.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "common/block/row_order.h"
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

void Pin(std::string_view name, const TableStore* table, PreparedStage& prepared) {
  const size_t ordinal = table ? table->Find(name) : TableStore::npos;
  if (ordinal != TableStore::npos) {
    const auto& segment = table->segments[ordinal];
    prepared.statistics.documents_total += segment->document_count();
    prepared.segments.push_back(segment);
    return;
  }
  if (table) {
    const auto broken = std::find_if(table->broken.begin(), table->broken.end(),
                                     [&](const BrokenSegment& b) { return b.name == name; });
    if (broken != table->broken.end()) {
      prepared.accepted.broken.push_back({broken->name, broken->reason});
      return;
    }
  }
  prepared.accepted.missing.emplace_back(name);
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

Result<PreparedStage> PrepareStage(const wire::LeafRequest& request, const StoreSnapshot& store,
                                   size_t groups_max) {
  PreparedStage prepared;
  TRELLIS_ASSIGN_OR_RETURN(plan::LeafStage stage, wire::DecodeLeafStage(request.stage.view));
  if (!request.segments) return Status::InvalidArgument("the request has no segment list");
  const auto start = std::chrono::steady_clock::now();
  TRELLIS_ASSIGN_OR_RETURN(const wire::DecodedSegmentList list,
                           wire::DecodeSegmentLists(request.segments->view));
  const auto found = store.tables.find(stage.table);
  const TableStore* table = found == store.tables.end() ? nullptr : found->second.get();
  if (table && !table->refused.empty()) {
    return Status(StatusCode::kFailedPrecondition, "table " + stage.table + ": " + table->refused,
                  PinotCode::kQueryValidation);
  }
  for (const wire::SegmentListGroup& group : list.groups) {
    if (group.key != TypeOf(stage.table) && group.key != stage.table) {
      return Status::InvalidArgument("segment list for '{}', but the stage reads {}", group.key,
                                     stage.table);
    }
    for (const std::string_view name : group.names) Pin(name, table, prepared);
  }
  prepared.statistics.decode_us = MicrosSince(start);
  prepared.statistics.list_encoding = wire::SegmentListEncodingName(list.encoding);
  prepared.statistics.segments_queried = static_cast<int64_t>(prepared.segments.size());
  const std::shared_ptr<const Schema> schema = table ? table->schema : nullptr;
  TRELLIS_ASSIGN_OR_RETURN(prepared.query, LeafQuery::Create(std::move(stage), schema, groups_max));
  return prepared;
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
