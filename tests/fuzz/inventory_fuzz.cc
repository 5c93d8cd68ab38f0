// Any bytes as a message of a watch, or as its request: refused, or read, written and read again as
// the same, with columns of one length.
#include <google/protobuf/stubs/logging.h>

#include "common/base/check.h"
#include "common/wire/inventory_messages.h"
#include "common/wire/message_limits.h"

namespace {

using namespace trellis::wire;

void CheckColumns(const SegmentBatch& batch) {
  const size_t count = batch.size();
  TRELLIS_CHECK(batch.names.size() == count && batch.crcs.size() == count &&
                batch.rows.size() == count);
  const bool times = !batch.time_ms.present.empty();
  TRELLIS_CHECK(!times || (batch.time_ms.present.size() == count &&
                           batch.time_ms.min.size() == count && batch.time_ms.max.size() == count));
  for (const ZoneColumn& zones : batch.zones) {
    TRELLIS_CHECK(zones.present.size() == count && zones.min.size() == count &&
                  zones.max.size() == count);
    for (size_t i = 0; i < count; ++i) TRELLIS_CHECK(zones.min[i] <= zones.max[i]);
  }
  for (const PartitionColumn& column : batch.partitions) {
    TRELLIS_CHECK(column.partition.size() == count);
    for (const uint32_t partition : column.partition)
      TRELLIS_CHECK(partition < column.count || partition == PartitionColumn::kUnknown);
  }
  for (size_t i = 0; i < count; ++i) {
    TRELLIS_CHECK(batch.rows[i] >= 0);
    TRELLIS_CHECK(batch.names[i].size() <= kMessageLimits.segment_name_bytes_max);
    TRELLIS_CHECK(batch.ordinals[i] < kMessageLimits.ordinals_max);
    TRELLIS_CHECK(i == 0 || batch.ordinals[i - 1] < batch.ordinals[i]);
  }
}

void CheckEqual(const TableUpdate& a, const TableUpdate& b) {
  TRELLIS_CHECK(a.table == b.table && a.incarnation == b.incarnation && a.epoch == b.epoch &&
                a.base_epoch == b.base_epoch && a.more == b.more && a.gone == b.gone &&
                a.description == b.description && a.dropped == b.dropped);
  TRELLIS_CHECK(a.added.ordinals == b.added.ordinals && a.added.names == b.added.names &&
                a.added.crcs == b.added.crcs && a.added.rows == b.added.rows);
  if (a.added.size() == 0) return;  // a batch without segments is not written
  TRELLIS_CHECK(a.added.time_ms == b.added.time_ms && a.added.zones == b.added.zones &&
                a.added.partitions == b.added.partitions);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const google::protobuf::LogSilencer quiet;
  (void)DecodeWatchRequest({data, size});
  const auto inventory = DecodeInventory({data, size});
  if (!inventory.ok()) return 0;
  for (const TableUpdate& update : inventory->updates) CheckColumns(update.added);
  const auto bytes = EncodeInventory(*inventory);
  TRELLIS_CHECK(bytes.ok());
  const auto again = DecodeInventory(trellis::AsBytes(*bytes));
  TRELLIS_CHECK(again.ok() && again->tables == inventory->tables &&
                again->features == inventory->features && again->epoch == inventory->epoch &&
                again->complete == inventory->complete &&
                again->updates.size() == inventory->updates.size());
  for (size_t i = 0; i < again->updates.size(); ++i)
    CheckEqual(inventory->updates[i], again->updates[i]);
  return 0;
}
