#include "common/segment/segment_metadata.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "common/base/bytes.h"
#include "common/segment/column_metadata.h"
#include "common/segment/properties_file.h"
#include "common/types/java_text.h"
#include "common/types/text_order.h"

namespace trellis::segment {
namespace {

constexpr std::string_view kColumnListKeys[] = {
    "segment.dimension.column.names", "segment.metric.column.names",
    "segment.datetime.column.names", "segment.complex.column.names"};
// Columns without files: their values are computed.
constexpr std::string_view kVirtualColumns[] = {"$docId",       "$hostName", "$segmentName",
                                                "$partitionId", "$crc",      "$creationTime",
                                                "$startTime",   "$endTime",  "$totalDocs"};

bool IsVirtual(std::string_view name) {
  return std::find(std::begin(kVirtualColumns), std::end(kVirtualColumns), name) !=
         std::end(kVirtualColumns);
}

std::set<std::string> ColumnNames(const PropertiesFile& file, const std::string& time_column) {
  std::set<std::string> names;
  for (const std::string_view key : kColumnListKeys) {
    const auto* property = file.Find(key);
    if (property == nullptr) continue;
    names.insert(property->values.begin(), property->values.end());
  }
  names.insert(time_column);
  names.erase("");
  std::erase_if(names, IsVirtual);
  return names;
}

// Gives each column its raw keys. Names may hold dots: the longest name that fits a key owns it.
void AssignProperties(const PropertiesFile& file, std::vector<ColumnMetadata>& columns) {
  constexpr std::string_view kPrefix = "column.";
  std::unordered_map<std::string_view, ColumnMetadata*> by_name;
  for (ColumnMetadata& column : columns) by_name.emplace(column.field.name, &column);
  for (const auto& property : file.properties()) {
    std::string_view rest = property.key;
    if (!rest.starts_with(kPrefix)) continue;
    rest.remove_prefix(kPrefix.size());
    for (size_t dot = rest.rfind('.'); dot != std::string_view::npos && dot > 0;
         dot = rest.rfind('.', dot - 1)) {
      const auto owner = by_name.find(rest.substr(0, dot));
      if (owner == by_name.end()) continue;
      owner->second->properties.emplace(rest.substr(dot + 1), JoinValues(property));
      break;
    }
  }
}

Status ParseSegmentKeys(const PropertiesFile& file, SegmentMetadata& metadata) {
  const auto first = [&](std::string_view key) {
    return std::string(file.First(key).value_or(""));
  };
  metadata.name = first("segment.name");
  if (metadata.name.empty()) return Status::Corrupt("key 'segment.name' is missing");
  const std::string documents = first("segment.total.docs");
  const auto count = ParseJavaInt(documents);
  if (!count || *count < 0)
    return Status::Corrupt("'segment.total.docs' is '{}', expected a count", documents);
  metadata.document_count = static_cast<uint32_t>(*count);

  metadata.version = first("segment.index.version");
  if (metadata.version.empty() || metadata.version == "v2") metadata.version = "v1";
  if (metadata.version != "v1" && metadata.version != "v3") {
    return Status::Corrupt("'segment.index.version' is '{}', expected v1, v2 or v3",
                           metadata.version);
  }
  metadata.table_name = first("segment.table.name");
  metadata.time_column = first("segment.time.column.name");
  metadata.creator_version = first("creator.version");
  metadata.padding_character = first("segment.padding.character");
  const auto start = ParseJavaLong(first("segment.start.time"));
  const auto end = ParseJavaLong(first("segment.end.time"));
  const std::string unit = first("segment.time.unit");
  if (start && end && !unit.empty()) {
    metadata.start_time = start;
    metadata.end_time = end;
    metadata.time_unit = unit;
  }
  return {};
}

// i64 BE crc, i64 BE creation time, and since 1.5.0 i64 BE data crc (format notes 1.3).
Status ParseCreationMeta(std::string_view bytes, SegmentMetadata& metadata) {
  if (bytes.empty()) return {};
  ByteReader reader(AsBytes(bytes));
  TRELLIS_ASSIGN_OR_RETURN(const int64_t crc, reader.ReadBigEndian<int64_t>());
  TRELLIS_ASSIGN_OR_RETURN(const int64_t creation_ms, reader.ReadBigEndian<int64_t>());
  if (crc >= 0 && crc <= std::numeric_limits<uint32_t>::max())
    metadata.crc = static_cast<uint32_t>(crc);
  metadata.creation_ms = creation_ms;
  if (reader.remaining() < sizeof(uint64_t)) return {};
  TRELLIS_ASSIGN_OR_RETURN(metadata.data_crc, reader.ReadBigEndian<uint64_t>());
  return {};
}

// Pinot writes the document count with every column too: where they disagree, one of them would
// make COUNT(*) a wrong answer.
Status CheckColumnDocuments(const ColumnMetadata& column, uint32_t document_count) {
  const auto found = column.properties.find("totalDocs");
  if (found == column.properties.end() || found->second == std::to_string(document_count)) {
    return Status::Ok();
  }
  return Status::Corrupt("column.{}.totalDocs is {}, segment.total.docs {}", column.field.name,
                         found->second, document_count);
}

}  // namespace

const ColumnMetadata* SegmentMetadata::Find(std::string_view column) const {
  const auto found = std::lower_bound(columns.begin(), columns.end(), column,
                                      [](const ColumnMetadata& a, std::string_view name) {
                                        return CompareUtf16(a.field.name, name) < 0;
                                      });
  return found != columns.end() && found->field.name == column ? &*found : nullptr;
}

Result<SegmentMetadata> ParseSegmentMetadata(std::string_view metadata_properties,
                                             std::string_view creation_meta) {
  auto file = PropertiesFile::Parse(metadata_properties);
  if (!file.ok()) return file.status().WithContext("metadata.properties");
  SegmentMetadata metadata;
  Status status = ParseSegmentKeys(*file, metadata);
  if (!status.ok()) return status.WithContext("metadata.properties");
  for (const std::string& name : ColumnNames(*file, metadata.time_column)) {
    metadata.columns.emplace_back().field.name = name;
  }
  std::sort(metadata.columns.begin(), metadata.columns.end(),
            [](const ColumnMetadata& a, const ColumnMetadata& b) {
              return CompareUtf16(a.field.name, b.field.name) < 0;
            });
  AssignProperties(*file, metadata.columns);
  for (ColumnMetadata& column : metadata.columns) {
    status = ParseColumnMetadata(*file, column);
    if (status.ok()) status = CheckColumnDocuments(column, metadata.document_count);
    if (!status.ok()) return status.WithContext("metadata.properties");
  }
  status = ParseCreationMeta(creation_meta, metadata);
  if (!status.ok()) return status.WithContext("creation.meta");
  return metadata;
}

Schema DeriveSchema(const std::string& table, const SegmentMetadata& metadata) {
  std::vector<FieldSpec> fields;
  for (const ColumnMetadata& column : metadata.columns) {
    if (!column.parent_column.empty()) continue;  // a part of an OPEN_STRUCT
    fields.push_back(column.field);
  }
  return Schema(table, std::move(fields));
}

}  // namespace trellis::segment
