#include "common/segment/segment_metadata.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "common/base/bytes.h"
#include "common/segment/column_metadata.h"
#include "common/segment/open_struct.h"
#include "common/types/java_text.h"
#include "common/types/text_order.h"
#include "common/types/virtual_column.h"

namespace trellis::segment {
namespace {

constexpr std::string_view kColumnListKeys[] = {
    "segment.dimension.column.names", "segment.metric.column.names",
    "segment.datetime.column.names", "segment.complex.column.names"};
constexpr std::string_view kTimeColumnKey = "segment.time.column.name";
// In name order, each once.
std::vector<std::string_view> ColumnNames(MetadataText& file) {
  std::vector<std::string_view> names;
  for (const std::string_view key : kColumnListKeys) file.Elements(key, names);
  names.push_back(file.First(kTimeColumnKey));
  std::erase_if(names,
                [](std::string_view name) { return name.empty() || FindVirtualColumn(name); });
  std::sort(names.begin(), names.end(),
            [](std::string_view a, std::string_view b) { return CompareUtf16(a, b) < 0; });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Status ParseSegmentKeys(MetadataText& file, SegmentMetadata& metadata) {
  const auto first = [&](std::string_view key) { return file.First(key); };
  metadata.name = first("segment.name");
  if (metadata.name.empty()) return Status::Corrupt("key 'segment.name' is missing");
  const std::string_view documents = first("segment.total.docs");
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
  metadata.time_column = first(kTimeColumnKey);
  metadata.creator_version = first("creator.version");
  metadata.padding_character = first("segment.padding.character");
  const auto start = ParseJavaLong(first("segment.start.time"));
  const auto end = ParseJavaLong(first("segment.end.time"));
  const std::string_view unit = first("segment.time.unit");
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
Status CheckColumnDocuments(const MetadataText::Column& keys, uint32_t document_count) {
  const auto text = keys.Joined(ColumnKey::kTotalDocs);
  if (!text) return {};
  const auto count = ParseJavaLong(*text);
  if (count && *count == document_count) return {};
  return Status::Corrupt("column.{}.totalDocs is {}, segment.total.docs {}", keys.name(), *text,
                         document_count);
}

// A text of 512 UTF-16 units or more may be the start of one. Each unit has a byte at least:
// shorter ones in bytes are whole.
constexpr size_t kBoundTextSize = 512;

// Files from before the guards of blanks and commas (format notes 2.1) are told from later ones by
// what 1.5.0 brought besides: the data crc.
void JudgeTextBounds(bool guarded, ColumnMetadata& column) {
  if (!IsText(column.field.type)) return;
  const auto certain = [&](const std::optional<Value>& bound) {
    return guarded && bound && !bound->is_null() && bound->bytes().size() < kBoundTextSize;
  };
  column.min_certain = certain(column.min_value);
  column.max_certain = certain(column.max_value);
}

Status ParseMetadataText(std::string_view text, SegmentMetadata& metadata) {
  MetadataText file(text);
  TRELLIS_RETURN_IF_ERROR(file.Parse());
  TRELLIS_RETURN_IF_ERROR(ParseSegmentKeys(file, metadata));
  const std::vector<std::string_view> names = ColumnNames(file);
  // Each column has keys of its own: more columns than names with keys end in an error below.
  metadata.columns.reserve(std::min(names.size(), file.names()));
  for (const std::string_view name : names) {
    ColumnMetadata& column = metadata.columns.emplace_back();
    column.field.name = name;
    TRELLIS_RETURN_IF_ERROR(ParseColumnMetadata(file, column));
    TRELLIS_RETURN_IF_ERROR(CheckColumnDocuments(file.Of(name), metadata.document_count));
  }
  return {};
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
  SegmentMetadata metadata;
  Status status = ParseMetadataText(metadata_properties, metadata);
  if (!status.ok()) return status.WithContext("metadata.properties");
  status = ParseCreationMeta(creation_meta, metadata);
  if (!status.ok()) return status.WithContext("creation.meta");
  for (ColumnMetadata& column : metadata.columns)
    JudgeTextBounds(metadata.data_crc.has_value(), column);
  return metadata;
}

std::vector<StructKey> StructKeysOf(const SegmentMetadata& metadata, const ColumnMetadata& parent) {
  std::map<std::string, DataType> types;
  for (const ColumnMetadata& column : metadata.columns) {
    if (column.parent_column != parent.field.name) continue;
    const auto key = StructKeyOf(column);
    if (key && *key != kSparseKey) types.emplace(*key, column.field.type);
  }
  for (const FieldSpec& child : parent.children) {
    if (child.type != DataType::kUnknown) types[child.name] = child.type;
  }
  std::vector<StructKey> keys;
  for (const auto& [name, type] : types) keys.push_back({name, type});
  return keys;
}

Schema DeriveSchema(const std::string& table, const SegmentMetadata& metadata) {
  std::vector<FieldSpec> fields;
  for (const ColumnMetadata& column : metadata.columns) {
    if (!column.parent_column.empty()) continue;  // a part of an OPEN_STRUCT
    FieldSpec& field = fields.emplace_back(column.field);
    if (field.type == DataType::kOpenStruct) field.struct_keys = StructKeysOf(metadata, column);
  }
  return Schema(table, std::move(fields));
}

}  // namespace trellis::segment
