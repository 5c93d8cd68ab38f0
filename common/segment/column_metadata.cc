#include "common/segment/column_metadata.h"

#include <limits>

#include "common/table_config/stored_text.h"
#include "common/types/java_text.h"

namespace trellis::segment {
namespace {

using Keys = MetadataText::Column;

Result<FieldRole> ParseRole(const Keys& keys) {
  const std::string_view text = keys.First(ColumnKey::kColumnType).value_or("");
  if (text == "DIMENSION") return FieldRole::kDimension;
  if (text == "METRIC") return FieldRole::kMetric;
  if (text == "TIME" || text == "DATE_TIME") return FieldRole::kDateTime;
  if (text == "COMPLEX") return FieldRole::kComplex;
  return keys.Refuse(ColumnKey::kColumnType, "DIMENSION, METRIC, TIME, DATE_TIME or COMPLEX");
}

// The text of a value key, with what Pinot and the list split did to a string undone.
std::optional<std::string> ValueText(const Keys& keys, ColumnKey key, DataType type) {
  const auto text = keys.Joined(key);
  if (!text) return std::nullopt;
  return IsText(type) ? UnescapeStringValue(*text) : std::string(*text);
}

// Digits of a number may be cut where texts are: what is left of it is another number.
constexpr size_t kBoundDigitsMax = 511;

// A bound that cannot be read is no bound: these values only ever prune.
std::optional<Value> ParseBound(const Keys& keys, ColumnKey key, DataType type) {
  const auto text = ValueText(keys, key, type);
  if (!text || type == DataType::kMap || type == DataType::kOpenStruct) return std::nullopt;
  if (!IsText(type) && text->size() > kBoundDigitsMax) return std::nullopt;
  auto value = table_config::ParseStoredText(*text, type);
  if (!value.ok()) return std::nullopt;
  return std::move(value).value();
}

Status ParseField(const Keys& keys, FieldSpec& field) {
  TRELLIS_ASSIGN_OR_RETURN(field.role, ParseRole(keys));
  const auto type = ParseDataType(keys.First(ColumnKey::kDataType).value_or(""));
  if (!type || *type == DataType::kUnknown) return keys.Refuse(ColumnKey::kDataType, "a data type");
  field.type = *type;
  TRELLIS_ASSIGN_OR_RETURN(const bool single_value, keys.Bool(ColumnKey::kSingleValues, true));
  field.multi_value = !single_value;
  field.datetime_format = keys.Joined(ColumnKey::kDatetimeFormat).value_or("");
  field.datetime_granularity = keys.Joined(ColumnKey::kDatetimeGranularity).value_or("");

  field.default_null = DefaultNullValue(field.type, field.role == FieldRole::kMetric);
  const auto default_text = ValueText(keys, ColumnKey::kDefaultNull, field.type);
  if (default_text && field.type != DataType::kMap && field.type != DataType::kOpenStruct) {
    auto value = table_config::ParseStoredText(*default_text, field.type);
    if (!value.ok())
      return keys.Refuse(ColumnKey::kDefaultNull,
                         fmt::format("a value of {}", DataTypeName(field.type)));
    field.default_null = std::move(value).value();
  }
  return {};
}

// Adds the partition ids of one list element: a number, or a legacy range "[a b]" (both ends
// included).
bool AddPartitions(std::string_view text, int partition_count, std::vector<int>& partitions) {
  if (const auto one = ParseJavaInt(text)) {
    partitions.push_back(*one);
    return true;
  }
  const size_t blank = text.find(' ');
  if (text.size() < 5 || text.front() != '[' || text.back() != ']' ||
      blank == std::string_view::npos)
    return false;
  const auto first = ParseJavaInt(text.substr(1, blank - 1));
  const auto last = ParseJavaInt(text.substr(blank + 1, text.size() - blank - 2));
  if (!first || !last || *first < 0 || *last < *first || *last >= partition_count) return false;
  for (int id = *first; id <= *last; ++id) partitions.push_back(id);
  return true;
}

// Partitions prune segments: what cannot be read whole is left out whole.
void ParsePartitions(const Keys& keys, ColumnMetadata& column) {
  constexpr int kPartitionCountMax = 1 << 20;
  const auto function = keys.First(ColumnKey::kPartitionFunction);
  const auto count = ParseJavaInt(keys.First(ColumnKey::kPartitionCount).value_or(""));
  if (!function || !count || *count <= 0 || *count > kPartitionCountMax ||
      !keys.Has(ColumnKey::kPartitions)) {
    return;
  }
  std::vector<std::string_view> values;
  keys.Elements(ColumnKey::kPartitions, values);
  std::vector<int> partitions;
  for (const std::string_view text : values) {
    if (!AddPartitions(text, *count, partitions)) return;
    if (partitions.size() > static_cast<size_t>(*count)) return;
  }
  column.partition_function = *function;
  column.partition_count = *count;
  column.partitions = std::move(partitions);
}

// The texts of a JSON array of strings. nullopt when it is none, and when a text holds a ',' or a
// '\\': the list split has taken blanks beside the one and half of the other.
std::optional<std::vector<std::string>> ParseKeyList(std::string_view text) {
  const auto skip_blanks = [&] {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  };
  const auto take = [&](char c) {
    skip_blanks();
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  std::vector<std::string> keys;
  if (!take('[')) return std::nullopt;
  bool more = !take(']');
  while (more) {
    if (!take('"')) return std::nullopt;
    const size_t end = text.find_first_of("\",\\");
    if (end == std::string_view::npos || text[end] != '"') return std::nullopt;
    keys.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
    more = take(',');
    if (!more && !take(']')) return std::nullopt;
  }
  skip_blanks();
  if (!text.empty()) return std::nullopt;
  return keys;
}

Status ParseComplex(MetadataText& file, const Keys& keys, ColumnMetadata& column) {
  std::vector<std::string_view> names;
  keys.Elements(ColumnKey::kChildren, names);
  for (const std::string_view name : names) {
    FieldSpec& child = column.children.emplace_back();
    child.name = name;
    const std::string pseudo = fmt::format("{}$${}", column.field.name, name);
    const Keys child_keys = file.Of(pseudo);
    // Segments without the specs of their children exist: the type stays unknown.
    if (child_keys.Has(ColumnKey::kDataType))
      TRELLIS_RETURN_IF_ERROR(ParseField(child_keys, child));
  }
  column.parent_column = keys.Joined(ColumnKey::kParent).value_or("");
  TRELLIS_ASSIGN_OR_RETURN(column.has_sparse_column, keys.Bool(ColumnKey::kHasSparse, false));
  if (const auto text = keys.Joined(ColumnKey::kSparseKeys))
    column.sparse_keys = ParseKeyList(*text);
  return {};
}

Status ParseEncoding(const Keys& keys, ColumnMetadata& column) {
  TRELLIS_ASSIGN_OR_RETURN(column.has_dictionary, keys.Bool(ColumnKey::kHasDictionary, true));
  column.dictionary_encoded = column.has_dictionary;
  if (const auto encoding = keys.First(ColumnKey::kEncoding)) {
    if (*encoding != "DICTIONARY" && *encoding != "RAW")
      return keys.Refuse(ColumnKey::kEncoding, "DICTIONARY or RAW");
    column.dictionary_encoded = *encoding == "DICTIONARY";
  }
  TRELLIS_ASSIGN_OR_RETURN(column.sorted, keys.Bool(ColumnKey::kSorted, false));

  if (!keys.First(ColumnKey::kCardinality)) return keys.Refuse(ColumnKey::kCardinality, "a count");
  TRELLIS_ASSIGN_OR_RETURN(const int64_t cardinality, keys.Long(ColumnKey::kCardinality, 0));
  if (cardinality > std::numeric_limits<int32_t>::max() ||
      (cardinality < 0 && column.has_dictionary)) {
    return keys.Refuse(ColumnKey::kCardinality, "a count");
  }
  column.cardinality =
      static_cast<uint32_t>(std::max<int64_t>(cardinality, 0));  // raw columns may say "unknown"

  TRELLIS_ASSIGN_OR_RETURN(const int64_t bits, keys.Long(ColumnKey::kBits, -1));
  if (bits < -1 || bits > 32) return keys.Refuse(ColumnKey::kBits, "a bit width");
  column.bits_per_element = static_cast<int>(bits);
  TRELLIS_ASSIGN_OR_RETURN(const int64_t longest, keys.Long(ColumnKey::kLongest, -1));
  TRELLIS_ASSIGN_OR_RETURN(const int64_t each, keys.Long(ColumnKey::kEach, -1));
  const int64_t width = longest >= 0 ? longest : std::max<int64_t>(each, 0);
  if (width > std::numeric_limits<int32_t>::max()) {
    return keys.Refuse(longest >= 0 ? ColumnKey::kLongest : ColumnKey::kEach, "a length");
  }
  column.dictionary_entry_bytes = static_cast<uint32_t>(width);
  TRELLIS_ASSIGN_OR_RETURN(column.total_entries, keys.Long(ColumnKey::kTotalEntries, -1));
  return {};
}

}  // namespace

std::string UnescapeStringValue(std::string_view text) {
  if (text.size() >= 2 && text[0] == '\0' && text[1] == ' ') text.remove_prefix(1);
  if (text.size() >= 2 && text.back() == '\0' && text[text.size() - 2] == ' ')
    text.remove_suffix(1);
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const bool comma = text[at] == '\0' && at + 1 < text.size() && text[at + 1] == '\0';
    plain += comma ? ',' : text[at];
    at += comma;
  }
  return plain;
}

Status ParseColumnMetadata(MetadataText& file, ColumnMetadata& column) {
  const Keys keys = file.Of(column.field.name);
  TRELLIS_RETURN_IF_ERROR(ParseField(keys, column.field));
  TRELLIS_RETURN_IF_ERROR(ParseEncoding(keys, column));
  column.min_value = ParseBound(keys, ColumnKey::kMin, column.field.type);
  column.max_value = ParseBound(keys, ColumnKey::kMax, column.field.type);
  ParsePartitions(keys, column);
  column.partition_function_configured = keys.Has(ColumnKey::kPartitionConfig);
  TRELLIS_ASSIGN_OR_RETURN(column.auto_generated, keys.Bool(ColumnKey::kAutoGenerated, false));
  TRELLIS_RETURN_IF_ERROR(ParseComplex(file, keys, column));
  if (column.field.type == DataType::kMap) {
    const std::string pseudo = column.field.name + "$$value";
    const Keys value = file.Of(pseudo);
    if (const auto text = value.First(ColumnKey::kDataType)) {
      const auto type = ParseDataType(*text);
      if (!type) return value.Refuse(ColumnKey::kDataType, "a data type");
      column.field.map_value_type = *type;
    }
  }
  return {};
}

}  // namespace trellis::segment
