#include "server/operators/virtual_values.h"

#include <unistd.h>

#include <limits>

namespace trellis::server {
namespace {

const std::string& HostName() {
  static const std::string name = [] {
    char buffer[256] = {};
    return gethostname(buffer, sizeof(buffer) - 1) == 0 ? std::string(buffer)
                                                        : std::string("localhost");
  }();
  return name;
}

// Milliseconds of a java.util.concurrent.TimeUnit; saturates as that does. nullopt for an unknown
// unit.
std::optional<int64_t> ToMillis(int64_t time, std::string_view unit) {
  if (unit == "NANOSECONDS") return time / 1'000'000;
  if (unit == "MICROSECONDS") return time / 1'000;
  int64_t scale = 0;
  if (unit == "MILLISECONDS") scale = 1;
  if (unit == "SECONDS") scale = 1'000;
  if (unit == "MINUTES") scale = 60'000;
  if (unit == "HOURS") scale = 3'600'000;
  if (unit == "DAYS") scale = 86'400'000;
  if (scale == 0) return std::nullopt;
  int64_t millis = 0;
  if (!__builtin_mul_overflow(time, scale, &millis)) return millis;
  return time < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

// `column_partition` for each partition of each partitioned column; one empty text when there is
// none.
Value PartitionIds(const segment::SegmentMetadata& metadata) {
  std::vector<Value> ids;
  for (const segment::ColumnMetadata& column : metadata.columns) {
    for (const int partition : column.partitions)
      ids.push_back(Value::String(fmt::format("{}_{}", column.field.name, partition)));
  }
  if (ids.empty()) ids.push_back(Value::String(""));
  return Value::Array(DataType::kString, std::move(ids));
}

// The value of all columns but `$docId`; null where the segment does not tell.
Value ConstantOf(const segment::Segment& segment, std::string_view name) {
  const segment::SegmentMetadata& metadata = segment.metadata();
  const auto time = [&](const std::optional<int64_t>& at) {
    const auto millis = at ? ToMillis(*at, metadata.time_unit) : std::nullopt;
    return millis ? Value::Timestamp(*millis) : Value::Null(DataType::kTimestamp);
  };
  if (name == "$hostName") return Value::String(HostName());
  if (name == "$segmentName") return Value::String(segment.name());
  if (name == "$partitionId") return PartitionIds(metadata);
  if (name == "$startTime") return time(metadata.start_time);
  if (name == "$endTime") return time(metadata.end_time);
  if (name == "$totalDocs") return Value::Int(static_cast<int32_t>(segment.document_count()));
  if (name == "$crc")
    return metadata.crc ? Value::Long(*metadata.crc) : Value::Null(DataType::kLong);
  TRELLIS_CHECK(name == "$creationTime");
  return metadata.creation_ms.value_or(0) > 0 ? Value::Timestamp(*metadata.creation_ms)
                                              : Value::Null(DataType::kTimestamp);
}

}  // namespace

void FillVirtualColumn(const segment::Segment& segment, const VirtualColumn& column,
                       std::span<const uint32_t> docs, ColumnVector& out) {
  if (column.name == "$docId") {
    out.Reset(column.type);
    out.values<int32_t>().assign(docs.begin(), docs.end());
    out.SetSize(docs.size());
    return;
  }
  const Value value = ConstantOf(segment, column.name);
  out = ColumnVector::Constant(
      value.is_null() ? DefaultNullValue(column.type.type, /*is_metric=*/false) : value,
      docs.size());
  if (value.is_null() && !docs.empty()) out.SetNull(0);
}

bool IsVirtualNull(const segment::Segment& segment, const VirtualColumn& column) {
  return column.name != "$docId" && ConstantOf(segment, column.name).is_null();
}

}  // namespace trellis::server
