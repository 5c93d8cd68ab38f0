#include "common/table_config/indexing_config.h"

#include <algorithm>

#include "common/base/nearest_name.h"
#include "common/table_config/config_reader.h"
#include "common/table_config/ingestion_config.h"
#include "common/table_config/json_parts.h"
#include "common/table_config/silent_keys.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr std::string_view kNotWritten = "is not written by Trellis: the segment is built without";

// Pinot's codecs of a column, those of dictionary columns included.
constexpr std::string_view kCodecs[] = {
    "PASS_THROUGH",       "SNAPPY", "ZSTANDARD", "LZ4",        "GZIP",          "DELTA",
    "DELTADELTA",         "CLP",    "CLPV2",     "CLPV2_ZSTD", "MV_ENTRY_DICT", "CLPV2_LZ4",
    "LZ4_LENGTH_PREFIXED"};

class Parser {
 public:
  explicit Parser(IndexingConfig& config) : config_(config) {}

  Status ParseRoot(const Json& root) {
    ConfigReader reader(root, "", &config_.warnings);
    const Json segments = PartAt(root, "segmentsConfig");
    const Json indexing = PartAt(root, "tableIndexConfig");
    const Json fields = PartAt(root, "fieldConfigList");
    const Json ingestion = PartAt(root, "ingestionConfig");
    const Names parts = {"segmentsConfig", "tableIndexConfig", "fieldConfigList",
                         "ingestionConfig"};
    if (!segments.is_null()) TRELLIS_RETURN_IF_ERROR(ParseSegments(segments));
    if (!indexing.is_null()) TRELLIS_RETURN_IF_ERROR(ParseIndexing(indexing));
    if (!fields.is_null()) TRELLIS_RETURN_IF_ERROR(ParseFields(fields));
    TRELLIS_RETURN_IF_ERROR(CheckIngestionConfig(ingestion, &config_.warnings));
    Names silent = SilentRootKeys();
    silent.insert(silent.end(), parts.begin(), parts.end());
    reader.WarnOfUnknown(silent);
    return {};
  }

 private:
  // The settings of `column`, which the key at `path` names.
  FieldIndexing& Field(const std::string& column, const std::string& path) {
    FieldIndexing& field = config_.fields[column];
    if (field.named_by.empty()) field.named_by = path;
    return field;
  }

  Status ParseSegments(const Json& json) {
    ConfigReader reader(json, "segmentsConfig", &config_.warnings);
    TRELLIS_RETURN_IF_ERROR(reader.CheckObject());
    TRELLIS_ASSIGN_OR_RETURN(const auto time, reader.Text("timeColumnName"));
    config_.time_column = time.value_or("");
    reader.WarnOfUnknown(SilentSegmentsKeys());
    return {};
  }

  Status ParseIndexing(const Json& json) {
    ConfigReader reader(json, "tableIndexConfig", &config_.warnings);
    TRELLIS_RETURN_IF_ERROR(reader.CheckObject());
    TRELLIS_RETURN_IF_ERROR(ParseColumnLists(reader));
    TRELLIS_RETURN_IF_ERROR(ParseDictionaryRules(reader));
    TRELLIS_ASSIGN_OR_RETURN(config_.sort_columns, reader.Names("sortedColumn", /*or_text=*/true));
    TRELLIS_ASSIGN_OR_RETURN(const auto nulls, reader.Flag("nullHandlingEnabled"));
    config_.null_handling = nulls.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const auto range, ParseRangeVersion(reader, "rangeIndexVersion"));
    if (range) config_.range_index_version = *range;
    TRELLIS_ASSIGN_OR_RETURN(const auto version, reader.Text("segmentFormatVersion"));
    if (version && !version->empty()) {
      config_.segment_version = ToLowerAscii(*version);
      if (config_.segment_version.size() != 2 || config_.segment_version < "v1" ||
          config_.segment_version > "v3") {
        return Status::InvalidArgument("table config: {}: '{}', expected v1, v2 or v3",
                                       reader.PathOf("segmentFormatVersion"), *version);
      }
    }
    for (const char* key : {"onHeapDictionaryColumns", "jsonIndexColumns"}) {
      // Nothing to write: only that the columns are there can be wrong.
      TRELLIS_ASSIGN_OR_RETURN(const Names columns, reader.Names(key));
      for (const auto& column : columns) Field(column, reader.PathOf(key));
    }
    TRELLIS_RETURN_IF_ERROR(ParseBloomConfigs(reader));
    TRELLIS_RETURN_IF_ERROR(ParsePartitions(reader));
    for (const char* key :
         {"jsonIndexColumns", "jsonIndexConfigs", "starTreeIndexConfigs", "enableDefaultStarTree",
          "multiColumnTextIndexConfig", "h3IndexColumns", "vectorIndexColumns", "mapIndexColumns",
          "mapIndexConfigs", "openStructIndexConfigs"}) {
      reader.WarnIfAsked(key, kNotWritten);
    }
    reader.WarnOfUnknown(SilentIndexingKeys());
    return {};
  }

  Status ParseColumnLists(ConfigReader& reader) {
    TRELLIS_ASSIGN_OR_RETURN(const Names raw, reader.Names("noDictionaryColumns"));
    for (const auto& name : raw)
      Field(name, reader.PathOf("noDictionaryColumns")).encoding = FieldIndexing::Encoding::kRaw;
    TRELLIS_ASSIGN_OR_RETURN(const Json* codecs, reader.Object("noDictionaryConfig"));
    if (codecs != nullptr) {
      ConfigReader columns(*codecs, reader.PathOf("noDictionaryConfig"), &config_.warnings);
      for (const auto& [name, codec] : codecs->items()) {
        Field(name, reader.PathOf("noDictionaryConfig")).encoding = FieldIndexing::Encoding::kRaw;
        // Pinot 1.5.1 writes such a column with its default codec, whatever stands here.
        FieldIndexing unheard;
        TRELLIS_RETURN_IF_ERROR(ParseCodec(columns, name, unheard));
        if (!unheard.compression_codec.empty()) {
          config_.warnings.push_back(columns.PathOf(name) +
                                     ": Pinot takes no codec from here; fieldConfigList says it");
        }
      }
    }
    TRELLIS_ASSIGN_OR_RETURN(const Names variable, reader.Names("varLengthDictionaryColumns"));
    for (const auto& name : variable)
      Field(name, reader.PathOf("varLengthDictionaryColumns")).variable_length_dictionary = true;
    TRELLIS_ASSIGN_OR_RETURN(const Names inverted, reader.Names("invertedIndexColumns"));
    for (const auto& name : inverted)
      Field(name, reader.PathOf("invertedIndexColumns")).inverted = true;
    TRELLIS_ASSIGN_OR_RETURN(const Names range, reader.Names("rangeIndexColumns"));
    for (const auto& name : range) Field(name, reader.PathOf("rangeIndexColumns")).range = true;
    TRELLIS_ASSIGN_OR_RETURN(const Names bloom, reader.Names("bloomFilterColumns"));
    for (const auto& name : bloom) Field(name, reader.PathOf("bloomFilterColumns")).bloom = true;
    return {};
  }

  Status ParseDictionaryRules(ConfigReader& reader) {
    TRELLIS_ASSIGN_OR_RETURN(const auto all, reader.Flag("optimizeDictionary"));
    config_.optimize_dictionary = all.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const auto metrics, reader.Flag("optimizeDictionaryForMetrics"));
    config_.optimize_dictionary_for_metrics = metrics.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const auto type, reader.Flag("optimizeDictionaryType"));
    config_.optimize_dictionary_type = type.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const auto size, reader.Number("noDictionarySizeRatioThreshold"));
    if (size) config_.dictionary_size_ratio_threshold = *size;
    TRELLIS_ASSIGN_OR_RETURN(config_.dictionary_cardinality_ratio,
                             reader.Number("noDictionaryCardinalityRatioThreshold"));
    return {};
  }

  static Result<std::optional<int32_t>> ParseRangeVersion(ConfigReader& reader,
                                                          const std::string& key) {
    TRELLIS_ASSIGN_OR_RETURN(const auto version, reader.Integer(key));
    if (version && *version != 1 && *version != 2) {
      return Status::InvalidArgument("table config: {}: {}, expected 1 or 2", reader.PathOf(key),
                                     *version);
    }
    return version;
  }

  Status ParseBloomConfigs(ConfigReader& reader) {
    TRELLIS_ASSIGN_OR_RETURN(const Json* configs, reader.Object("bloomFilterConfigs"));
    if (configs == nullptr) return {};
    const std::string path = reader.PathOf("bloomFilterConfigs");
    for (const auto& [name, json] : configs->items()) {
      if (json.is_null()) continue;
      ConfigReader bloom(json, path + "." + name, &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParseBloom(bloom, Field(name, path)));
    }
    return {};
  }

  Status ParseBloom(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_RETURN_IF_ERROR(reader.CheckObject());
    TRELLIS_ASSIGN_OR_RETURN(const auto disabled, reader.Flag("disabled"));
    field.bloom = !disabled.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const auto fpp, reader.Number("fpp"));
    if (fpp && !(*fpp > 0 && *fpp < 1)) {
      return Status::InvalidArgument("table config: {}: {}, expected more than 0 and less than 1",
                                     reader.PathOf("fpp"), *fpp);
    }
    if (fpp) field.bloom_fpp = *fpp;
    TRELLIS_ASSIGN_OR_RETURN(const auto size, reader.Integer("maxSizeInBytes"));
    if (size.value_or(0) > 0)
      reader.Warn("maxSizeInBytes", "is not heeded: the filter's size goes by fpp alone");
    reader.WarnOfUnknown(Names{"loadOnHeap"});
    return {};
  }

  Status ParsePartitions(ConfigReader& reader) {
    TRELLIS_ASSIGN_OR_RETURN(const Json* config, reader.Object("segmentPartitionConfig"));
    if (config == nullptr) return {};
    ConfigReader outer(*config, reader.PathOf("segmentPartitionConfig"), &config_.warnings);
    TRELLIS_ASSIGN_OR_RETURN(const Json* columns, outer.Object("columnPartitionMap"));
    outer.WarnOfUnknown({});
    if (columns == nullptr) return {};
    for (const auto& [name, json] : columns->items()) {
      if (json.is_null()) continue;
      ConfigReader column(json, outer.PathOf("columnPartitionMap") + "." + name, &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParsePartition(column, config_.partitions[name]));
    }
    return {};
  }

  Status ParsePartition(ConfigReader& reader, PartitionConfig& partition) {
    TRELLIS_RETURN_IF_ERROR(reader.CheckObject());
    TRELLIS_ASSIGN_OR_RETURN(const auto function, reader.Text("functionName"));
    TRELLIS_ASSIGN_OR_RETURN(const auto count, reader.Integer("numPartitions"));
    if (!function || function->empty()) {
      return Status::InvalidArgument("table config: {}: expected the name of a function",
                                     reader.PathOf("functionName"));
    }
    if (count.value_or(0) < 1) {
      return Status::InvalidArgument("table config: {}: {}, expected at least 1",
                                     reader.PathOf("numPartitions"), count.value_or(0));
    }
    partition.function = *function;
    partition.partitions = *count;
    TRELLIS_ASSIGN_OR_RETURN(const Json* extra, reader.Object("functionConfig"));
    if (extra != nullptr) {
      ConfigReader options(*extra, reader.PathOf("functionConfig"), &config_.warnings);
      for (const auto& [key, value] : extra->items()) {
        TRELLIS_ASSIGN_OR_RETURN(const auto text, options.Text(key));
        if (text) partition.function_config.emplace_back(key, *text);
      }
    }
    reader.WarnOfUnknown({});
    return {};
  }

  Status ParseCodec(ConfigReader& reader, const std::string& key, FieldIndexing& field) {
    TRELLIS_ASSIGN_OR_RETURN(const auto text, reader.Text(key));
    if (!text || text->empty()) return {};
    for (const std::string_view known : kCodecs) {
      if (EqualsIgnoreCase(*text, known)) {
        field.compression_codec = known;
        return {};
      }
    }
    return Status::InvalidArgument(
        "table config: {}: '{}' is no codec{}", reader.PathOf(key), text->substr(0, 64),
        DidYouMean(*text, Names(std::begin(kCodecs), std::end(kCodecs))));
  }

  Status ParseEncoding(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_ASSIGN_OR_RETURN(const auto text, reader.Text("encodingType"));
    if (!text) return {};
    if (EqualsIgnoreCase(*text, "RAW")) {
      field.encoding = FieldIndexing::Encoding::kRaw;
    } else if (!EqualsIgnoreCase(*text, "DICTIONARY")) {
      return Status::InvalidArgument("table config: {}: '{}', expected RAW or DICTIONARY",
                                     reader.PathOf("encodingType"), text->substr(0, 64));
    } else if (field.encoding == FieldIndexing::Encoding::kDefault) {
      field.encoding = FieldIndexing::Encoding::kDictionary;
    }
    return {};
  }

  Status ParseFields(const Json& list) {
    if (!list.is_array())
      return Status::InvalidArgument("table config: fieldConfigList is no list");
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_null()) continue;
      const std::string at = "fieldConfigList[" + std::to_string(i) + "]";
      ConfigReader nameless(list[i], at, &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(nameless.CheckObject());
      TRELLIS_ASSIGN_OR_RETURN(const auto name, nameless.Text("name"));
      if (!name || name->empty())
        return Status::InvalidArgument("table config: {} has no name", at);
      ConfigReader reader(list[i], "fieldConfigList[" + *name + "]", &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParseField(reader, Field(*name, at + ".name")));
    }
    return {};
  }

  Status ParseField(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_RETURN_IF_ERROR(ParseEncoding(reader, field));
    TRELLIS_RETURN_IF_ERROR(ParseCodec(reader, "compressionCodec", field));
    TRELLIS_ASSIGN_OR_RETURN(const Names types, reader.Names("indexTypes"));
    TRELLIS_ASSIGN_OR_RETURN(const auto type, reader.Text("indexType"));
    for (const std::string& each : types)
      TRELLIS_RETURN_IF_ERROR(ParseIndexType(reader, each, field));
    if (type) TRELLIS_RETURN_IF_ERROR(ParseIndexType(reader, *type, field));
    TRELLIS_ASSIGN_OR_RETURN(const Json* properties, reader.Object("properties"));
    if (properties != nullptr) {
      ConfigReader inner(*properties, reader.PathOf("properties"), &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParseProperties(inner, field));
    }
    TRELLIS_ASSIGN_OR_RETURN(const Json* indexes, reader.Object("indexes"));
    if (indexes != nullptr) {
      ConfigReader inner(*indexes, reader.PathOf("indexes"), &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParseIndexes(inner, *indexes, field));
    }
    reader.WarnIfAsked("timestampConfig", kNotWritten);
    reader.WarnOfUnknown(Names{"name", "tierOverwrites"});
    return {};
  }

  Status ParseIndexType(ConfigReader& reader, const std::string& type, FieldIndexing& field) {
    static const Names others = {"TEXT", "FST",       "IFST",   "H3",
                                 "JSON", "TIMESTAMP", "VECTOR", "OPEN_STRUCT"};
    if (type == "INVERTED") {
      field.inverted = true;
    } else if (type == "RANGE") {
      field.range = true;
    } else if (std::find(others.begin(), others.end(), type) != others.end()) {
      reader.Warn("indexTypes", type + " " + std::string(kNotWritten));
    } else if (type != "SORTED") {
      return Status::InvalidArgument("table config: {}: '{}' is no index type",
                                     reader.PathOf("indexTypes"), type.substr(0, 64));
    }
    return {};
  }

  Status ParseProperties(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_ASSIGN_OR_RETURN(const auto derive, reader.Flag("deriveNumDocsPerChunkForRawIndex"));
    if (derive) field.derive_docs_per_chunk = *derive;
    TRELLIS_RETURN_IF_ERROR(ParseWriterVersion(reader, field));
    TRELLIS_ASSIGN_OR_RETURN(const auto disabled, reader.Flag("forwardIndexDisabled"));
    if (disabled) field.forward_index_disabled = *disabled;
    TRELLIS_ASSIGN_OR_RETURN(const auto variable, reader.Flag("useVarLengthDictionary"));
    if (variable) field.variable_length_dictionary = *variable;
    reader.WarnIfAsked("createBloomFilter",
                       "is heeded neither by Pinot nor here: use bloomFilterColumns");
    reader.WarnOfUnknown(SilentPropertyKeys());
    return {};
  }

  Status ParseWriterVersion(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_ASSIGN_OR_RETURN(const auto version, reader.Integer("rawIndexWriterVersion"));
    if (!version) return {};
    // Numbers that name no container of their own mean the fourth to Pinot, too (raw_layout.h).
    if (*version < 2) {
      return Status::InvalidArgument("table config: {}: {}, expected at least 2",
                                     reader.PathOf("rawIndexWriterVersion"), *version);
    }
    field.raw_writer_version = *version;
    return {};
  }

  Status ParseIndexes(ConfigReader& reader, const Json& json, FieldIndexing& field) {
    for (const char* name : {"forward", "dictionary", "inverted", "range", "bloom"}) {
      TRELLIS_ASSIGN_OR_RETURN(const Json* index, reader.Object(name));
      if (index == nullptr) continue;
      ConfigReader inner(*index, reader.PathOf(name), &config_.warnings);
      TRELLIS_RETURN_IF_ERROR(ParseIndex(inner, name, field));
    }
    Names others = {"json",   "text", "fst",         "ifst",    "h3",
                    "vector", "map",  "open_struct", "startree"};
    for (const std::string& name : others) {
      const auto found = json.find(name);
      if (found == json.end() || found->is_null()) continue;
      if (found->is_object() && found->value("disabled", Json(false)) == Json(true)) continue;
      reader.Warn(name, kNotWritten);
    }
    others.insert(others.end(), {"nullvalue_vector", "null_value_vector"});
    reader.WarnOfUnknown(others);
    return {};
  }

  Status ParseIndex(ConfigReader& reader, std::string_view name, FieldIndexing& field) {
    if (name == "forward") return ParseForward(reader, field);
    if (name == "bloom") return ParseBloom(reader, field);
    TRELLIS_ASSIGN_OR_RETURN(const auto disabled, reader.Flag("disabled"));
    const bool on = !disabled.value_or(false);
    if (name == "dictionary") {
      if (!on) field.encoding = FieldIndexing::Encoding::kRaw;
      TRELLIS_ASSIGN_OR_RETURN(const auto variable, reader.Flag("useVarLengthDictionary"));
      if (variable) field.variable_length_dictionary = *variable;
      reader.WarnOfUnknown(Names{"onHeap", "intern"});
      return {};
    }
    if (name == "range") {
      field.range = on;
      TRELLIS_ASSIGN_OR_RETURN(field.range_version, ParseRangeVersion(reader, "version"));
    } else {
      field.inverted = on;
    }
    reader.WarnOfUnknown(Names{"enabled"});
    return {};
  }

  Status ParseForward(ConfigReader& reader, FieldIndexing& field) {
    TRELLIS_ASSIGN_OR_RETURN(const auto disabled, reader.Flag("disabled"));
    if (disabled) field.forward_index_disabled = *disabled;
    for (const char* key : {"dictIdCompressionType", "chunkCompressionType", "compressionCodec"})
      TRELLIS_RETURN_IF_ERROR(ParseCodec(reader, key, field));
    TRELLIS_RETURN_IF_ERROR(ParseEncoding(reader, field));
    TRELLIS_ASSIGN_OR_RETURN(const auto derive, reader.Flag("deriveNumDocsPerChunk"));
    if (derive) field.derive_docs_per_chunk = *derive;
    TRELLIS_RETURN_IF_ERROR(ParseWriterVersion(reader, field));
    TRELLIS_ASSIGN_OR_RETURN(const auto size, reader.DataSize("targetMaxChunkSize"));
    if (size) {
      constexpr int64_t kChunkSizeMax = int64_t{1} << 30;
      if (*size < 1 || *size > kChunkSizeMax) {
        return Status::InvalidArgument("table config: {}: {} bytes, expected 1 to {}",
                                       reader.PathOf("targetMaxChunkSize"), *size, kChunkSizeMax);
      }
      field.target_max_chunk_size_bytes = *size;
    }
    TRELLIS_ASSIGN_OR_RETURN(const auto docs, reader.Integer("targetDocsPerChunk"));
    if (docs) {
      if (*docs == 0)
        return Status::InvalidArgument("table config: {} is 0",
                                       reader.PathOf("targetDocsPerChunk"));
      field.target_docs_per_chunk = *docs;
    }
    reader.WarnIfAsked("codecSpec", "is heeded neither by Pinot's writer nor here");
    reader.WarnOfUnknown(Names{"configs"});
    return {};
  }

  IndexingConfig& config_;
};

}  // namespace

const FieldIndexing& IndexingConfig::Of(std::string_view column) const {
  static const FieldIndexing kDefaults;
  const auto found = fields.find(column);
  return found == fields.end() ? kDefaults : found->second;
}

Result<IndexingConfig> ParseIndexingConfig(std::string_view json_text) {
  TRELLIS_ASSIGN_OR_RETURN(const BareTableConfig bare, ParseTableConfigText(json_text));
  for (const char* type : {"OFFLINE", "REALTIME"}) {
    const Json part = PartAt(bare.root, type);
    if (!part.is_null())
      return Status::InvalidArgument("table config: {}: expected an object", type);
  }
  IndexingConfig config;
  TRELLIS_RETURN_IF_ERROR(Parser(config).ParseRoot(bare.root));
  return config;
}

}  // namespace trellis::table_config
