#include "cli/segment/segment_report.h"

#include <algorithm>
#include <map>

#include "common/base/bytes.h"
#include "common/codec/compression.h"
#include "common/table_config/schema_json.h"

namespace trellis::cli {
namespace {

using Json = nlohmann::ordered_json;
using segment::ColumnMetadata;
using segment::Segment;
using segment::SegmentDirectory;

std::string CodecName(int32_t code) {
  const auto known = codec::ParseCompression(code);
  return known.ok() ? std::string(codec::CompressionName(*known))
                    : fmt::format("unknown ({})", code);
}

// Container version and codec of a raw forward index, from its own header (format
// notes 5.1, 5.3, 5.4).
void DescribeRaw(const ColumnMetadata& column, ByteView bytes, Json& out) {
  const std::string_view text = AsText(bytes);
  if (text.starts_with("CLP.v1") || text.starts_with("CLP.v2")) {
    out["container"] = text.substr(0, 6);
    return;
  }
  constexpr size_t kChunkHeaderSizeBytes = 28;
  constexpr size_t kV4HeaderSizeBytes = 16;
  if (bytes.size() < kV4HeaderSizeBytes) return;
  const auto version = LoadBigEndian<int32_t>(bytes.data());
  out["container"] = fmt::format("V{}", version);
  const bool fixed_width =
      !column.field.multi_value && PhysicalOf(column.field.type) != Physical::kBytes;
  if (version >= 4 && !fixed_width) {
    out["codec"] = CodecName(LoadBigEndian<int32_t>(bytes.data() + 8));
  } else if (version == 1) {
    out["codec"] = "SNAPPY";
  } else if (bytes.size() >= kChunkHeaderSizeBytes) {
    out["codec"] = CodecName(LoadBigEndian<int32_t>(bytes.data() + 20));
  }
}

Json BoundText(const std::optional<Value>& value) {
  if (!value) return nullptr;
  if (value->type() == DataType::kTimestamp) return std::to_string(value->int64());
  return ValueToText(*value);
}

std::string EncodingName(const ColumnMetadata& column) {
  if (column.field.type == DataType::kOpenStruct) return "NONE";
  if (!column.dictionary_encoded) return column.has_dictionary ? "RAW+DICTIONARY" : "RAW";
  return column.sorted && !column.field.multi_value ? "SORTED" : "DICTIONARY";
}

// Opens the column to learn its null count and whether it can be read at all.
void DescribeOpenColumn(const Segment& segment, const std::string& name, Json& out) {
  const auto column = segment.OpenColumn(name);
  if (!column.ok()) {
    out["nulls"] = nullptr;
    out["unreadable"] = column.status().message();
    return;
  }
  // The segment has no forward index of it, which the inverted index stands in for.
  if ((*column)->forward_rebuilt()) out["forward"] = "REBUILT";
  const Roaring* nulls = (*column)->null_documents();
  out["nulls"] = nulls == nullptr ? 0 : nulls->cardinality();
}

Json DescribeColumn(const Segment& segment, const ColumnMetadata& column,
                    const std::map<std::string, std::map<std::string, uint64_t>>& sizes) {
  const std::string& name = column.field.name;
  Json out;
  out["name"] = name;
  out["type"] = ValueTypeName(column.field.value_type());
  out["role"] = table_config::FieldRoleName(column.field.role);
  out["encoding"] = EncodingName(column);
  out["cardinality"] = column.cardinality;
  if (column.dictionary_encoded) out["bits"] = column.bits_per_element;
  if (!column.dictionary_encoded && segment.directory().Has(name, "forward_index")) {
    const auto bytes = segment.directory().Buffer(name, "forward_index");
    if (bytes.ok()) DescribeRaw(column, *bytes, out);
  }
  out["min"] = BoundText(column.min_value);
  out["max"] = BoundText(column.max_value);
  DescribeOpenColumn(segment, name, out);
  Json& indexes = out["indexes"] = Json::object();
  if (const auto found = sizes.find(name); found != sizes.end()) {
    for (const auto& [index, size_bytes] : found->second) indexes[index] = size_bytes;
  }
  return out;
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json SkippedIndex(const std::string& column, const std::string& index, uint64_t size_bytes,
                  const index::IndexDescription& description) {
  return {{"column", column.empty() ? Json(nullptr) : Json(column)},
          {"index", index},
          {"sizeBytes", size_bytes},
          {"kind", description.kind},
          {"detail", description.detail}};
}

std::string CellText(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// At most `width` bytes, cut between characters.
std::string Shorten(std::string text, size_t width) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  if (text.size() <= width) return text;
  size_t cut = width - 2;
  while (cut > 0 && (static_cast<uint8_t>(text[cut]) & 0xC0) == 0x80) --cut;
  return text.substr(0, cut) + "..";
}

std::string IndexesText(const Json& column) {
  std::string text;
  for (const auto& [index, size_bytes] : column["indexes"].items()) {
    if (!text.empty()) text += " ";
    text += fmt::format("{}={}", index, size_bytes.get<uint64_t>());
  }
  return text;
}

void AppendTable(const std::vector<std::vector<std::string>>& rows, std::string& out) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) out += fmt::format("{:<{}}  ", row[i], widths[i]);
    out += row.back() + "\n";
  }
}

}  // namespace

Json DescribeSegment(const Segment& segment, const std::vector<SideIndex>& side_indexes) {
  const auto& metadata = segment.metadata();
  Json out;
  out["name"] = metadata.name;
  out["table"] = metadata.table_name;
  out["version"] = metadata.version;
  out["layout"] = segment.directory().is_v3() ? "v3" : "v1";
  out["documents"] = metadata.document_count;
  out["timeColumn"] = metadata.time_column.empty() ? Json(nullptr) : Json(metadata.time_column);
  out["startTime"] = OrNull(metadata.start_time);
  out["endTime"] = OrNull(metadata.end_time);
  out["timeUnit"] = metadata.time_unit.empty() ? Json(nullptr) : Json(metadata.time_unit);
  out["crc"] = OrNull(metadata.crc);
  out["creationTimeMs"] = OrNull(metadata.creation_ms);
  out["dataCrc"] = OrNull(metadata.data_crc);
  out["creator"] =
      metadata.creator_version.empty() ? Json(nullptr) : Json(metadata.creator_version);

  std::map<std::string, std::map<std::string, uint64_t>> sizes;
  Json skipped = Json::array();
  for (const SegmentDirectory::Entry& entry : segment.directory().entries()) {
    sizes[entry.column][entry.index] = entry.size_bytes;
    const auto bytes = segment.directory().Buffer(entry.column, entry.index);
    index::IndexDescription description =
        index::DescribeIndex(entry.index, bytes.ok() ? *bytes : ByteView());
    if (description.used) continue;
    if (!bytes.ok()) description.detail = "not readable: " + bytes.status().message();
    skipped.push_back(SkippedIndex(entry.column, entry.index, entry.size_bytes, description));
  }
  for (const SideIndex& side : side_indexes)
    skipped.push_back(SkippedIndex(side.column, side.index, side.size_bytes, side.description));
  Json& columns = out["columns"] = Json::array();
  for (const ColumnMetadata& column : metadata.columns)
    columns.push_back(DescribeColumn(segment, column, sizes));
  out["skipped"] = std::move(skipped);
  return out;
}

std::string ReportText(const Json& description) {
  constexpr size_t kBoundWidth = 28;
  std::string out;
  std::vector<std::vector<std::string>> head;
  for (const auto& [key, value] : description.items()) {
    if (!value.is_structured()) head.push_back({key, CellText(value)});
  }
  AppendTable(head, out);

  std::vector<std::vector<std::string>> rows = {{"COLUMN", "TYPE", "ROLE", "ENCODING",
                                                 "CARDINALITY", "BITS", "NULLS", "MIN", "MAX",
                                                 "INDEXES (bytes)"}};
  std::string notes;
  for (const Json& column : description["columns"]) {
    std::string encoding = CellText(column["encoding"]);
    for (const char* key : {"forward", "container", "codec"}) {
      if (column.contains(key)) encoding += " " + CellText(column[key]);
    }
    rows.push_back({CellText(column["name"]), CellText(column["type"]), CellText(column["role"]),
                    encoding, CellText(column["cardinality"]),
                    column.contains("bits") ? CellText(column["bits"]) : "-",
                    CellText(column["nulls"]), Shorten(CellText(column["min"]), kBoundWidth),
                    Shorten(CellText(column["max"]), kBoundWidth), IndexesText(column)});
    if (column.contains("unreadable"))
      notes += "not readable: " + CellText(column["unreadable"]) + "\n";
  }
  out += "\n";
  AppendTable(rows, out);
  for (const Json& index : description["skipped"]) {
    const Json& column = index["column"];
    notes += fmt::format("skipped: {}{}: {}, {}\n", CellText(index["index"]),
                         column.is_null() ? "" : " of column '" + CellText(column) + "'",
                         CellText(index["kind"]), CellText(index["detail"]));
  }
  if (!notes.empty()) out += "\n" + notes;
  return out;
}

}  // namespace trellis::cli
