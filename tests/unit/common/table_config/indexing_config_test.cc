#include "common/table_config/indexing_config.h"

#include <catch2/catch.hpp>

namespace trellis::table_config {
namespace {

using Encoding = FieldIndexing::Encoding;

constexpr const char* kConfig = R"({"OFFLINE": {
  "tableName": "t_OFFLINE", "tableType": "OFFLINE", "tenants": {}, "routing": null,
  "segmentsConfig": {"timeColumnName": "ts", "replication": "1"},
  "tableIndexConfig": {
    "noDictionaryColumns": ["a"], "noDictionaryConfig": {"b": "snappy"},
    "onHeapDictionaryColumns": ["z"], "varLengthDictionaryColumns": ["c"],
    "invertedIndexColumns": ["c", "d"], "rangeIndexColumns": ["a"], "rangeIndexVersion": 1,
    "bloomFilterColumns": ["e"], "bloomFilterConfigs": {"f": {"fpp": 0.01, "loadOnHeap": true}},
    "sortedColumn": ["d"], "nullHandlingEnabled": true, "segmentFormatVersion": "V1",
    "optimizeDictionary": true, "optimizeDictionaryForMetrics": true,
    "optimizeDictionaryType": true, "noDictionarySizeRatioThreshold": 0.5,
    "noDictionaryCardinalityRatioThreshold": 0.25, "loadMode": "MMAP",
    "createInvertedIndexDuringSegmentGeneration": false,
    "segmentPartitionConfig": {"columnPartitionMap": {"g": {"functionName": "BoundedColumnValue",
      "numPartitions": 4, "functionConfig": {
        "columnValues": "x|y", "columnValuesDelimiter": "|"}}}}},
  "fieldConfigList": [
    {"name": "raw", "encodingType": "RAW", "compressionCodec": "GZIP", "indexTypes": ["RANGE"],
     "properties": {"deriveNumDocsPerChunkForRawIndex": "true", "rawIndexWriterVersion": "3"}},
    {"name": "new", "encodingType": "DICTIONARY", "indexes": {
      "forward": {"rawIndexWriterVersion": 6, "compressionCodec": "ZSTANDARD",
                  "targetMaxChunkSize": "8K", "targetDocsPerChunk": -1, "encodingType": "RAW"},
      "inverted": {}, "range": {"version": 2}, "bloom": {"fpp": 0.2}}},
    {"name": "off", "indexes": {"dictionary": {"disabled": true}, "inverted": {"disabled": true},
      "forward": {"disabled": true}}},
    {"name": "mv", "indexes": {"forward": {"dictIdCompressionType": "MV_ENTRY_DICT"},
      "dictionary": {"useVarLengthDictionary": true, "onHeap": true}}},
    {"name": "a", "encodingType": "DICTIONARY"}]}})";

TEST_CASE("what a table config says wrongly is named by its own key") {
  const struct {
    const char* json;
    const char* named;
  } cases[] = {
      {R"({"OFFLINE": 5})", "OFFLINE"},
      {R"({"REALTIME": []})", "REALTIME"},
      {R"({"fieldConfigList": [{"name": "a", "properties": {"rawIndexWriterVersion": 0}}]})",
       "rawIndexWriterVersion"},
      {R"({"fieldConfigList": [{"name": "a", "indexes": {"forward": {
           "rawIndexWriterVersion": 1}}}]})",
       "rawIndexWriterVersion"},
      {R"({"tableIndexConfig": {"segmentPartitionConfig": {"columnPartitionMap": {
           "a": {"functionName": "Murmur", "numPartitions": 0}}}}})",
       "a.numPartitions"},
      {R"({"tableIndexConfig": {"onHeapDictionaryColumns": 3}})", "onHeapDictionaryColumns"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.json);
    const auto config = ParseIndexingConfig(each.json);
    CHECK(config.status().code() == StatusCode::kInvalidArgument);
    CHECK(config.status().message().find(each.named) != std::string::npos);
  }
  const auto config = ParseIndexingConfig(R"({"tableIndexConfig": {
      "onHeapDictionaryColumns": ["a"], "jsonIndexColumns": ["b"], "invertedIndexColumns": ["a"]},
      "fieldConfigList": [{"name": "c"}]})");
  REQUIRE(config.ok());
  CHECK(config->Of("a").named_by == "tableIndexConfig.invertedIndexColumns");
  CHECK(config->Of("b").named_by == "tableIndexConfig.jsonIndexColumns");
  CHECK(config->Of("c").named_by == "fieldConfigList[0].name");
}

TEST_CASE("every place that says how a column is stored is heard") {
  const auto config = ParseIndexingConfig(kConfig);
  CAPTURE(config.status().message());
  REQUIRE(config.ok());
  CHECK(config->warnings ==
        std::vector<std::string>{"tableIndexConfig.noDictionaryConfig.b: Pinot takes no codec from "
                                 "here; fieldConfigList says it"});
  CHECK(config->time_column == "ts");
  CHECK(config->sort_columns == std::vector<std::string>{"d"});
  CHECK(config->null_handling);
  CHECK(config->range_index_version == 1);
  CHECK(config->segment_version == "v1");
  CHECK(config->optimize_dictionary);
  CHECK(config->optimize_dictionary_for_metrics);
  CHECK(config->optimize_dictionary_type);
  CHECK(config->dictionary_size_ratio_threshold == 0.5);
  CHECK(config->dictionary_cardinality_ratio == 0.25);
  REQUIRE(config->partitions.size() == 1);
  CHECK(config->partitions.at("g").function == "BoundedColumnValue");
  CHECK(config->partitions.at("g").partitions == 4);
  CHECK(config->partitions.at("g").function_config.front() ==
        std::pair<std::string, std::string>("columnValues", "x|y"));

  CHECK(config->Of("a").encoding == Encoding::kRaw);  // one place that says raw is enough
  CHECK(config->Of("a").range);
  CHECK_FALSE(config->Of("a").range_version.has_value());
  CHECK(config->Of("b").encoding == Encoding::kRaw);
  CHECK(config->Of("b").compression_codec.empty());
  CHECK(config->Of("c").variable_length_dictionary);
  CHECK(config->Of("c").inverted);
  CHECK(config->Of("e").bloom);
  CHECK(config->Of("e").bloom_fpp == 0.05);
  CHECK(config->Of("f").bloom);
  CHECK(config->Of("f").bloom_fpp == 0.01);
  const FieldIndexing& raw = config->Of("raw");
  CHECK(raw.compression_codec == "GZIP");
  CHECK(raw.range);
  CHECK(raw.derive_docs_per_chunk);
  CHECK(raw.raw_writer_version == 3);
  const FieldIndexing& fresh = config->Of("new");
  CHECK(fresh.encoding == Encoding::kRaw);
  CHECK(fresh.raw_writer_version == 6);
  CHECK(fresh.compression_codec == "ZSTANDARD");
  CHECK(fresh.target_max_chunk_size_bytes == 8192);
  CHECK(fresh.target_docs_per_chunk == -1);
  CHECK(fresh.inverted);
  CHECK(fresh.range_version == 2);
  CHECK(fresh.bloom_fpp == 0.2);
  CHECK(config->Of("off").encoding == Encoding::kRaw);
  CHECK(config->Of("off").forward_index_disabled);
  CHECK_FALSE(config->Of("off").inverted);
  CHECK(config->Of("mv").compression_codec == "MV_ENTRY_DICT");
  CHECK(config->Of("mv").variable_length_dictionary);
}

TEST_CASE("a column no place names is stored by Pinot's defaults") {
  const auto config = ParseIndexingConfig(R"({"tableName": "t"})");
  REQUIRE(config.ok());
  CHECK(config->segment_version == "v3");
  CHECK(config->range_index_version == 2);
  CHECK(config->dictionary_size_ratio_threshold == 0.85);
  CHECK_FALSE(config->null_handling);
  const FieldIndexing& field = config->Of("anything");
  CHECK(field.encoding == Encoding::kDefault);
  CHECK(field.raw_writer_version == 4);
  CHECK(field.target_docs_per_chunk == 1000);
  CHECK(field.target_max_chunk_size_bytes == 1 << 20);
}

TEST_CASE("what Trellis does not write and what nobody knows is said, once each") {
  const auto config = ParseIndexingConfig(R"({"tableName": "t", "fieldConfigLst": [],
    "tableIndexConfig": {"jsonIndexColumns": ["j"], "starTreeIndexConfigs": [{}],
      "enableDefaultStarTree": false, "vectorIndexColumns": [], "invertedIndexColumn": ["x"],
      "bloomFilterConfigs": {"b": {"maxSizeInBytes": 100}}},
    "segmentsConfig": {"timeColumnNam": "ts"},
    "fieldConfigList": [{"name": "s", "indexTypes": ["TEXT", "SORTED"], "timestampConfig": {},
      "indexes": {"text": {}, "fst": {"disabled": true}, "forward": {"targetDocs": 5},
                  "ranges": {}}}]})");
  CAPTURE(config.status().message());
  REQUIRE(config.ok());
  const auto has = [&](const std::string& text) {
    size_t found = 0;
    for (const auto& line : config->warnings) found += line.find(text) != std::string::npos;
    return found == 1;
  };
  CAPTURE(config->warnings);
  CHECK(has("fieldConfigLst: unknown key (did you mean 'fieldConfigList'?)"));
  CHECK(has("tableIndexConfig.jsonIndexColumns: is not written"));
  CHECK(has("tableIndexConfig.starTreeIndexConfigs: is not written"));
  CHECK(
      has("tableIndexConfig.invertedIndexColumn: unknown key (did you mean "
          "'invertedIndexColumns'?)"));
  CHECK(has("tableIndexConfig.bloomFilterConfigs.b.maxSizeInBytes: is not heeded"));
  CHECK(has("segmentsConfig.timeColumnNam: unknown key (did you mean 'timeColumnName'?)"));
  CHECK(has("fieldConfigList[s].indexTypes: TEXT is not written"));
  CHECK(has("fieldConfigList[s].indexes.text: is not written"));
  CHECK(has("fieldConfigList[s].indexes.forward.targetDocs: unknown key"));
  CHECK(has("fieldConfigList[s].indexes.ranges: unknown key (did you mean 'range'?)"));
  CHECK(config->warnings.size() == 10);
}

TEST_CASE("a value that cannot be meant is refused with its key") {
  const auto refusal = [](const std::string& json) {
    const auto config = ParseIndexingConfig(json);
    return config.ok() ? "" : config.status().message();
  };
  const auto indexing = [&](const std::string& json) {
    return refusal(R"({"tableIndexConfig": {)" + json + "}}");
  };
  const auto field = [&](const std::string& json) {
    return refusal(R"({"fieldConfigList": [{"name": "c", )" + json + "}]}");
  };
  CHECK(refusal("[]") == "table config: not a JSON object");
  CHECK(refusal("{") == "table config: not a JSON object");
  CHECK(refusal(R"({"tableIndexConfig": 3})") ==
        "table config: tableIndexConfig: '3' is no object");
  CHECK(refusal(R"({"fieldConfigList": {}})") == "table config: fieldConfigList is no list");
  CHECK(refusal(R"({"fieldConfigList": [7]})") ==
        "table config: fieldConfigList[0]: '7' is no object");
  CHECK(refusal(R"({"fieldConfigList": [{"encodingType": "RAW"}]})") ==
        "table config: fieldConfigList[0] has no name");
  CHECK(indexing(R"("invertedIndexColumns": "a")") ==
        "table config: tableIndexConfig.invertedIndexColumns: 'a' is no list of names");
  CHECK(indexing(R"("invertedIndexColumns": [["a"]])") ==
        "table config: tableIndexConfig.invertedIndexColumns: '[\"a\"]' is no name");
  CHECK(indexing(R"("rangeIndexVersion": 3)") ==
        "table config: tableIndexConfig.rangeIndexVersion: 3, expected 1 or 2");
  CHECK(indexing(R"("segmentFormatVersion": "v9")") ==
        "table config: tableIndexConfig.segmentFormatVersion: 'v9', expected v1, v2 or v3");
  CHECK(indexing(R"("bloomFilterConfigs": {"b": {"fpp": 1}})") ==
        "table config: tableIndexConfig.bloomFilterConfigs.b.fpp: 1, expected more than 0 and "
        "less than 1");
  CHECK(indexing(R"("noDictionaryConfig": {"b": "ZSTANDRD"})") ==
        "table config: tableIndexConfig.noDictionaryConfig.b: 'ZSTANDRD' is no codec (did you "
        "mean 'ZSTANDARD'?)");
  CHECK(indexing(R"("segmentPartitionConfig": {"columnPartitionMap": {"c": {}}})")
            .find("columnPartitionMap.c.functionName") != std::string::npos);
  CHECK(field(R"("encodingType": "raww")") ==
        "table config: fieldConfigList[c].encodingType: 'raww', expected RAW or DICTIONARY");
  CHECK(field(R"("indexTypes": ["INVERTD"])") ==
        "table config: fieldConfigList[c].indexTypes: 'INVERTD' is no index type");
  CHECK(field(R"("indexes": {"forward": {"targetMaxChunkSize": "1 M"}})") ==
        "table config: fieldConfigList[c].indexes.forward.targetMaxChunkSize: '1 M' is no size "
        "(such as 64K or 1M)");
  CHECK(field(R"("indexes": {"forward": {"targetMaxChunkSize": "2G"}})")
            .find("2147483648 bytes, expected 1 to 1073741824") != std::string::npos);
  CHECK(field(R"("indexes": {"forward": {"targetDocsPerChunk": 0}})")
            .find("targetDocsPerChunk is 0") != std::string::npos);
  CHECK(field(R"("indexes": {"forward": {"rawIndexWriterVersion": 1}})")
            .find("rawIndexWriterVersion: 1, expected at least 2") != std::string::npos);
  CHECK(field(R"("indexes": {"bloom": 5})") ==
        "table config: fieldConfigList[c].indexes.bloom: '5' is no object");
}

}  // namespace
}  // namespace trellis::table_config
