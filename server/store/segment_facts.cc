#include "server/store/segment_facts.h"

#include <algorithm>
#include <map>

#include "common/types/order_key.h"
#include "server/inventory/interned_text.h"

namespace trellis::server {
namespace {

// A segment of one value a column is sorted by each of them: more zones than this are not worth
// their bytes.
constexpr size_t kZonesMax = 8;

// Milliseconds of a time in the unit that a segment's metadata names; nullopt for units without a
// length.
std::optional<int64_t> ToMilliseconds(std::optional<int64_t> time, const std::string& unit) {
  static const std::map<std::string, int64_t> kUnits{{"MILLISECONDS", 1},
                                                     {"SECONDS", 1000},
                                                     {"MINUTES", 60'000},
                                                     {"HOURS", 3'600'000},
                                                     {"DAYS", 86'400'000}};
  const auto found = kUnits.find(unit);
  if (!time || found == kUnits.end()) return std::nullopt;
  int64_t ms;
  if (__builtin_mul_overflow(*time, found->second, &ms)) return std::nullopt;
  return ms;
}

// Whether the segment's column is of the table's own type. Brokers round what a query compares with
// to the table's type before they take its key or its partition: rounded to another type than the
// segment's (0.1 as a FLOAT and as a DOUBLE), it prunes segments that hold rows.
bool IsOfTableType(const segment::ColumnMetadata& column, const Schema& schema) {
  const FieldSpec* field = schema.Find(column.field.name);
  return field != nullptr && field->name == column.field.name &&
         field->value_type() == column.field.value_type();
}

// The column holds epoch times in the unit of the segment's start and end time.
bool HoldsTimesOf(const FieldSpec& field, const std::string& unit) {
  if (field.multi_value) return false;
  if (field.type == DataType::kTimestamp) return unit == "MILLISECONDS";
  if (field.type != DataType::kLong && field.type != DataType::kInt) return false;
  const std::string& format = field.datetime_format;
  return format == "1:" + unit + ":EPOCH" || format == "EPOCH|" + unit + "|1" ||
         format == "EPOCH|" + unit;
}

void AddZone(const segment::SegmentMetadata& metadata, const std::string& name,
             const Schema& schema, SegmentFacts& facts) {
  const segment::ColumnMetadata* column = metadata.Find(name);
  if (column == nullptr || !IsOfTableType(*column, schema) || facts.zones.size() >= kZonesMax)
    return;
  std::optional<int64_t> min, max;
  if (column->min_value && column->min_certain) min = OrderKey(*column->min_value);
  if (column->max_value && column->max_certain) max = OrderKey(*column->max_value);
  if (!min && !max && name == metadata.time_column &&
      HoldsTimesOf(column->field, metadata.time_unit)) {
    min = metadata.start_time;
    max = metadata.end_time;
  }
  if (!min || !max || *min > *max) return;
  facts.zones.push_back({InternedText(name), *min, *max});
}

void AddPartitions(const segment::SegmentMetadata& metadata, const Schema& schema,
                   SegmentFacts& facts) {
  for (const segment::ColumnMetadata& column : metadata.columns) {
    if (column.partition_function.empty() || column.partitions.size() != 1 ||
        column.partition_function_configured || !IsOfTableType(column, schema)) {
      continue;
    }
    const int partition = column.partitions[0];
    if (partition < 0 || partition >= column.partition_count) continue;
    facts.partitions.push_back(
        {InternedText(column.field.name), InternedText(column.partition_function),
         static_cast<uint32_t>(column.partition_count), static_cast<uint32_t>(partition)});
  }
}

}  // namespace

SegmentFacts FactsOf(const segment::SegmentMetadata& metadata, const ZoneColumns& columns,
                     const Schema& schema) {
  SegmentFacts facts;
  facts.name = metadata.name;
  facts.crc = metadata.crc.value_or(0);
  facts.rows = metadata.document_count;
  const auto start_ms = ToMilliseconds(metadata.start_time, metadata.time_unit);
  const auto end_ms = ToMilliseconds(metadata.end_time, metadata.time_unit);
  if (start_ms && end_ms && *start_ms <= *end_ms) {
    facts.start_time_ms = start_ms;
    facts.end_time_ms = end_ms;
  }
  const std::string& time_column =
      columns.time_column.empty() ? metadata.time_column : columns.time_column;
  AddZone(metadata, time_column, schema, facts);
  if (!columns.sort_columns.empty()) {
    for (const std::string& name : columns.sort_columns)
      if (name != time_column) AddZone(metadata, name, schema, facts);
  } else {
    for (const segment::ColumnMetadata& column : metadata.columns)
      if (column.sorted && column.field.name != time_column)
        AddZone(metadata, column.field.name, schema, facts);
  }
  facts.zones.shrink_to_fit();
  AddPartitions(metadata, schema, facts);
  facts.partitions.shrink_to_fit();
  return facts;
}

bool SameColumnTypes(const Schema& a, const Schema& b) {
  return std::equal(a.fields().begin(), a.fields().end(), b.fields().begin(), b.fields().end(),
                    [](const FieldSpec& left, const FieldSpec& right) {
                      return left.name == right.name && left.value_type() == right.value_type();
                    });
}

}  // namespace trellis::server
