#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/types/schema.h"

namespace trellis::segment {

// One column as `metadata.properties` describes it (format notes 2.3). Not trusted: readers check
// it against the bytes.
struct ColumnMetadata {
  FieldSpec field;  // name, type, multi-value, role, default null, MAP value type
  uint32_t cardinality = 0;
  bool has_dictionary = true;
  bool dictionary_encoded = true;  // forwardIndexEncoding
  bool sorted = false;
  int bits_per_element = -1;
  uint32_t dictionary_entry_bytes = 0;
  int64_t total_entries = -1;
  std::optional<Value> min_value;  // typed as the column; absent when missing or invalid
  std::optional<Value> max_value;
  // Whether no value is below min_value, above max_value, as far as this file can say it. Not so of
  // texts that may have been cut, or have lost blanks and commas on their way through the file
  // (docs/format/metadata.md): those prune nothing.
  bool min_certain = true;
  bool max_certain = true;
  std::string partition_function;
  int partition_count = 0;
  std::vector<int> partitions;
  // The function is given more than its name (partitionFunctionConfig.*, an id normalizer): who
  // computes partitions by the name alone gets other ones.
  bool partition_function_configured = false;

  // COMPLEX columns: `complexChildFieldNames` in their order. A child is named without its parent.
  std::vector<FieldSpec> children;
  // OPEN_STRUCT (format notes 6.5). Children and the sparse remainder name their parent; the rest
  // is of the parent.
  std::string parent_column;
  bool has_sparse_column = false;
  // The keys of the sparse remainder; absent = any key may be in it, also where the text that lists
  // them does not tell for certain (a key with a comma or a backslash).
  std::optional<std::vector<std::string>> sparse_keys;
  bool auto_generated = false;  // added by a later load, with its default value in every row
};

struct SegmentMetadata {
  std::string name;
  std::string table_name;
  std::string version;  // "v1" or "v3" ("v2" reads as v1)
  uint32_t document_count = 0;
  std::string time_column;
  std::optional<int64_t> start_time;  // in time_unit
  std::optional<int64_t> end_time;
  std::string time_unit;  // "MILLISECONDS", ...
  std::string creator_version;
  // `segment.padding.character`, unescaped: a NUL in what Pinot writes today, "%" in old segments,
  // whose dictionaries are padded with it. Empty when the key is missing.
  std::string padding_character;
  std::optional<uint32_t> crc;  // creation.meta
  std::optional<int64_t> creation_ms;
  std::optional<uint64_t> data_crc;
  std::vector<ColumnMetadata>
      columns;  // in name order (Java String order), virtual columns left out

  const ColumnMetadata* Find(std::string_view column) const;  // exact spelling
};

// Parses `metadata.properties` (format notes section 2) and, when not empty, `creation.meta`.
// Errors: Corrupt naming key and line; a column of unknown type or without a required key is an
// error.
Result<SegmentMetadata> ParseSegmentMetadata(std::string_view metadata_properties,
                                             std::string_view creation_meta);

// What a segment tells of the keys of its OPEN_STRUCT column `parent`: those it declares, and the
// dense ones, which are stored under a type of their own. In name order.
std::vector<StructKey> StructKeysOf(const SegmentMetadata& metadata, const ColumnMetadata& parent);

// The schema that a segment's columns imply, for tables without a schema file.
Schema DeriveSchema(const std::string& table, const SegmentMetadata& metadata);

}  // namespace trellis::segment
