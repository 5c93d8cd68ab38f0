#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace trellis::table_config {

// How one column shall be stored, out of every place where a table config may say so
// (tableIndexConfig's lists, fieldConfigList[].encodingType, .indexTypes, .indexes, .properties).
struct FieldIndexing {
  enum class Encoding : uint8_t { kDefault, kDictionary, kRaw };
  std::string named_by;  // the path of the first key that names the column, for errors
  Encoding encoding = Encoding::kDefault;
  std::string compression_codec;  // Pinot's name, upper case: "LZ4"; empty = by the column's role
  int32_t raw_writer_version = 4;
  bool derive_docs_per_chunk = false;
  int32_t target_docs_per_chunk = 1000;  // < 0: chunks go by size alone
  int64_t target_max_chunk_size_bytes = int64_t{1} << 20;
  bool inverted = false;
  bool range = false;
  std::optional<int32_t> range_version;  // 1 or 2; unset: the table's
  bool bloom = false;
  double bloom_fpp = 0.05;
  bool variable_length_dictionary = false;
  bool forward_index_disabled = false;
  bool not_null = false;  // the schema says so: no null vector, whatever the rows hold
};

struct PartitionConfig {
  std::string function;  // "Murmur"
  int32_t partitions = 0;
  // functionConfig, sorted by key.
  std::vector<std::pair<std::string, std::string>> function_config;
};

// What of a table config decides how a segment is written.
struct IndexingConfig {
  std::map<std::string, FieldIndexing, std::less<>> fields;  // columns that are named anywhere
  std::vector<std::string> sort_columns;                     // sortedColumn
  std::string time_column;
  bool null_handling = false;
  int range_index_version = 2;
  bool optimize_dictionary = false;
  bool optimize_dictionary_for_metrics = false;
  bool optimize_dictionary_type = false;
  double dictionary_size_ratio_threshold = 0.85;       // noDictionarySizeRatioThreshold
  std::optional<double> dictionary_cardinality_ratio;  // noDictionaryCardinalityRatioThreshold
  std::string segment_version = "v3";
  std::map<std::string, PartitionConfig, std::less<>> partitions;
  // What was not understood or asks for what Trellis does not write (text, star-tree, ...): one
  // line each with the key's path, for the user to see.
  std::vector<std::string> warnings;

  // The column's own settings, or the defaults.
  const FieldIndexing& Of(std::string_view column) const;
  // The version of the column's range index: its own, or the table's.
  int RangeVersionOf(std::string_view column) const {
    return Of(column).range_version.value_or(range_index_version);
  }
};

// Parses the same text as ParseTableConfig. Errors: InvalidArgument naming the key: a value of the
// wrong kind, a size that is none ("1M"), an unknown codec.
Result<IndexingConfig> ParseIndexingConfig(std::string_view json_text);

}  // namespace trellis::table_config
