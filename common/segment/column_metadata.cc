#include "common/segment/column_metadata.h"

#include <limits>

#include "common/base/nearest_name.h"
#include "common/table_config/stored_text.h"
#include "common/types/java_text.h"

namespace trellis::segment {
namespace {

// Reads the keys of one column.
class ColumnKeys {
 public:
  ColumnKeys(const PropertiesFile& file, const std::string& column)
      : file_(file), prefix_("column." + column + ".") {}

  std::string Key(std::string_view name) const { return prefix_ + std::string(name); }
  std::optional<std::string_view> First(std::string_view name) const {
    return file_.First(Key(name));
  }
  std::optional<std::string> Joined(std::string_view name) const { return file_.Joined(Key(name)); }
  const PropertiesFile::Property* Find(std::string_view name) const {
    return file_.Find(Key(name));
  }

  Status Refuse(std::string_view name, std::string_view expected) const {
    const auto* property = Find(name);
    if (property == nullptr)
      return Status::Corrupt("key '{}' is missing, expected {}", Key(name), expected);
    return Status::Corrupt("line {}: '{}' is '{}', expected {}", property->line, property->key,
                           property->values.front(), expected);
  }
  Result<int64_t> Long(std::string_view name, int64_t fallback) const {
    const auto text = First(name);
    if (!text) return fallback;
    if (const auto number = ParseJavaLong(*text)) return *number;
    return Refuse(name, "a number");
  }
  Result<bool> Bool(std::string_view name, bool fallback) const {
    const auto text = First(name);
    if (!text) return fallback;
    for (const std::string_view yes : {"true", "yes", "on"}) {
      if (EqualsIgnoreCase(*text, yes)) return true;
    }
    for (const std::string_view no : {"false", "no", "off"}) {
      if (EqualsIgnoreCase(*text, no)) return false;
    }
    return Refuse(name, "true or false");
  }

 private:
  const PropertiesFile& file_;
  std::string prefix_;
};

Result<FieldRole> ParseRole(const ColumnKeys& keys) {
  const std::string_view text = keys.First("columnType").value_or("");
  if (text == "DIMENSION") return FieldRole::kDimension;
  if (text == "METRIC") return FieldRole::kMetric;
  if (text == "TIME" || text == "DATE_TIME") return FieldRole::kDateTime;
  if (text == "COMPLEX") return FieldRole::kComplex;
  return keys.Refuse("columnType", "DIMENSION, METRIC, TIME, DATE_TIME or COMPLEX");
}

// The text of a value key, with what Pinot and the list split did to a string undone.
std::optional<std::string> ValueText(const ColumnKeys& keys, std::string_view name, DataType type) {
  auto text = keys.Joined(name);
  if (text && IsText(type)) text = UnescapeStringValue(*text);
  return text;
}

// A bound that cannot be read is no bound: these values only ever prune.
std::optional<Value> ParseBound(const ColumnKeys& keys, std::string_view name, DataType type) {
  const auto text = ValueText(keys, name, type);
  if (!text || type == DataType::kMap || type == DataType::kOpenStruct) return std::nullopt;
  auto value = table_config::ParseStoredText(*text, type);
  if (!value.ok()) return std::nullopt;
  return std::move(value).value();
}

Status ParseField(const ColumnKeys& keys, FieldSpec& field) {
  TRELLIS_ASSIGN_OR_RETURN(field.role, ParseRole(keys));
  const auto type = ParseDataType(keys.First("dataType").value_or(""));
  if (!type || *type == DataType::kUnknown) return keys.Refuse("dataType", "a data type");
  field.type = *type;
  TRELLIS_ASSIGN_OR_RETURN(const bool single_value, keys.Bool("isSingleValues", true));
  field.multi_value = !single_value;
  field.datetime_format = keys.Joined("datetimeFormat").value_or("");
  field.datetime_granularity = keys.Joined("datetimeGranularity").value_or("");

  field.default_null = DefaultNullValue(field.type, field.role == FieldRole::kMetric);
  const auto default_text = ValueText(keys, "defaultNullValue", field.type);
  if (default_text && field.type != DataType::kMap && field.type != DataType::kOpenStruct) {
    auto value = table_config::ParseStoredText(*default_text, field.type);
    if (!value.ok())
      return keys.Refuse("defaultNullValue",
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
void ParsePartitions(const ColumnKeys& keys, ColumnMetadata& column) {
  constexpr int kPartitionCountMax = 1 << 20;
  const auto function = keys.First("partitionFunction");
  const auto count = ParseJavaInt(keys.First("numPartitions").value_or(""));
  const auto* values = keys.Find("partitionValues");
  if (!function || !count || *count <= 0 || *count > kPartitionCountMax || values == nullptr)
    return;
  std::vector<int> partitions;
  for (const std::string& text : values->values) {
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

Status ParseComplex(const PropertiesFile& file, const ColumnKeys& keys, ColumnMetadata& column) {
  if (const auto* names = keys.Find("complexChildFieldNames")) {
    for (const std::string& name : names->values) {
      FieldSpec child;
      child.name = name;
      const ColumnKeys child_keys(file, column.field.name + "$$" + name);
      // Segments without the specs of their children exist: the type stays unknown.
      if (child_keys.First("dataType")) TRELLIS_RETURN_IF_ERROR(ParseField(child_keys, child));
      column.children.push_back(std::move(child));
    }
  }
  column.parent_column = keys.Joined("parentColumn").value_or("");
  TRELLIS_ASSIGN_OR_RETURN(column.has_sparse_column, keys.Bool("hasSparseColumn", false));
  if (const auto text = keys.Joined("sparseKeys")) column.sparse_keys = ParseKeyList(*text);
  return {};
}

Status ParseEncoding(const ColumnKeys& keys, ColumnMetadata& column) {
  TRELLIS_ASSIGN_OR_RETURN(column.has_dictionary, keys.Bool("hasDictionary", true));
  column.dictionary_encoded = column.has_dictionary;
  if (const auto encoding = keys.First("forwardIndexEncoding")) {
    if (*encoding != "DICTIONARY" && *encoding != "RAW")
      return keys.Refuse("forwardIndexEncoding", "DICTIONARY or RAW");
    column.dictionary_encoded = *encoding == "DICTIONARY";
  }
  TRELLIS_ASSIGN_OR_RETURN(column.sorted, keys.Bool("isSorted", false));

  if (!keys.First("cardinality")) return keys.Refuse("cardinality", "a count");
  TRELLIS_ASSIGN_OR_RETURN(const int64_t cardinality, keys.Long("cardinality", 0));
  if (cardinality > std::numeric_limits<int32_t>::max() ||
      (cardinality < 0 && column.has_dictionary)) {
    return keys.Refuse("cardinality", "a count");
  }
  column.cardinality =
      static_cast<uint32_t>(std::max<int64_t>(cardinality, 0));  // raw columns may say "unknown"

  TRELLIS_ASSIGN_OR_RETURN(const int64_t bits, keys.Long("bitsPerElement", -1));
  if (bits < -1 || bits > 32) return keys.Refuse("bitsPerElement", "a bit width");
  column.bits_per_element = static_cast<int>(bits);
  TRELLIS_ASSIGN_OR_RETURN(const int64_t longest, keys.Long("lengthOfLongestElement", -1));
  TRELLIS_ASSIGN_OR_RETURN(const int64_t each, keys.Long("lengthOfEachEntry", -1));
  const int64_t width = longest >= 0 ? longest : std::max<int64_t>(each, 0);
  if (width > std::numeric_limits<int32_t>::max()) {
    return keys.Refuse(longest >= 0 ? "lengthOfLongestElement" : "lengthOfEachEntry", "a length");
  }
  column.dictionary_entry_bytes = static_cast<uint32_t>(width);
  TRELLIS_ASSIGN_OR_RETURN(column.total_entries, keys.Long("totalNumberOfEntries", -1));
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

Status ParseColumnMetadata(const PropertiesFile& file, ColumnMetadata& column) {
  const ColumnKeys keys(file, column.field.name);
  TRELLIS_RETURN_IF_ERROR(ParseField(keys, column.field));
  TRELLIS_RETURN_IF_ERROR(ParseEncoding(keys, column));
  column.min_value = ParseBound(keys, "minValue", column.field.type);
  column.max_value = ParseBound(keys, "maxValue", column.field.type);
  ParsePartitions(keys, column);
  TRELLIS_RETURN_IF_ERROR(ParseComplex(file, keys, column));
  for (const auto& [key, text] : column.properties) {
    if (key.starts_with("partitionFunctionConfig") || key == "partitionIdNormalizer")
      column.partition_function_configured = true;
  }
  if (column.field.type == DataType::kMap) {
    const std::string key = "column." + column.field.name + "$$value.dataType";
    if (const auto text = file.First(key)) {
      const auto type = ParseDataType(*text);
      if (!type) return Status::Corrupt("'{}' is '{}', expected a data type", key, *text);
      column.field.map_value_type = *type;
    }
  }
  return {};
}

}  // namespace trellis::segment
