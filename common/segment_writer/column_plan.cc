#include "common/segment_writer/column_plan.h"

#include <algorithm>

#include "common/encode/forward_writers.h"
#include "common/segment_writer/partition_values.h"
#include "common/types/virtual_column.h"

namespace trellis::segment_writer {
namespace {

using codec::Compression;
using table_config::FieldIndexing;
using table_config::IndexingConfig;
using Encoding = FieldIndexing::Encoding;

constexpr std::string_view kEntryDictionary = "MV_ENTRY_DICT";

// A name becomes the name of files and lies in two properties files.
Status CheckName(std::string_view what, std::string_view name) {
  if (name.empty()) return Status::InvalidArgument("a {} has no name", what);
  if (name.find('/') != name.npos || name.find('\0') != name.npos)
    return Status::InvalidArgument("{} '{}': a name with '/' or NUL cannot be a file's", what,
                                   name);
  // Neither our reader of properties nor Pinot's gives such a key or value back as it was.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (name.front() == ' ' || name.back() == ' ' || name.front() == '#' || name.front() == '!' ||
      name.back() == '\\' || std::any_of(name.begin(), name.end(), is_control)) {
    return Status::InvalidArgument(
        "{} '{}': a properties file cannot hold a name with control characters, one that begins "
        "with '#' or '!', ends in a backslash, or has blanks at its ends",
        what, name);
  }
  return {};
}

Status CheckSegmentName(const std::string& name) {
  TRELLIS_RETURN_IF_ERROR(CheckName("segment", name));
  if (name == "." || name == ".." || name.ends_with("v3")) {
    return Status::InvalidArgument(
        "segment '{}': Pinot takes a folder whose name ends in v3 for the inside of a segment",
        name);
  }
  return {};
}

Status CheckField(const FieldSpec& field) {
  TRELLIS_RETURN_IF_ERROR(CheckName("column", field.name));
  if (FindVirtualColumn(field.name) != nullptr)
    return Status::InvalidArgument("column '{}': that name is of a virtual column", field.name);
  if (field.type == DataType::kOpenStruct)
    return Status::Unimplemented("column '{}': OPEN_STRUCT is not written by Trellis", field.name);
  if (field.type == DataType::kUnknown)
    return Status::InvalidArgument("column '{}' has no type", field.name);
  if (IsMapLike(field.type) && field.multi_value)
    return Status::InvalidArgument("column '{}': a MAP has one value a row", field.name);
  if (IsMapLike(field.type) != (field.role == FieldRole::kComplex))
    return Status::InvalidArgument("column '{}': MAP columns, and no others, are complex",
                                   field.name);
  return {};
}

Status CheckNamesConfigured(const BuildSettings& settings) {
  const auto check = [&](std::string_view where, std::string_view column) -> Status {
    for (const FieldSpec& field : settings.schema.fields()) {
      if (field.name == column) return {};
    }
    return Status::InvalidArgument("{} names column '{}', which the schema lacks", where, column);
  };
  const IndexingConfig& config = settings.indexing;
  for (const auto& [column, indexing] : config.fields)
    TRELLIS_RETURN_IF_ERROR(
        check(indexing.named_by.empty() ? "the table config" : indexing.named_by, column));
  for (const auto& [column, partition] : config.partitions)
    TRELLIS_RETURN_IF_ERROR(check("columnPartitionMap", column));
  for (const std::string& column : config.sort_columns) {
    TRELLIS_RETURN_IF_ERROR(check("sortedColumn", column));
    const FieldSpec& field = *settings.schema.Find(column);
    if (field.multi_value || IsMapLike(field.type))
      return Status::InvalidArgument("sortedColumn '{}' has no order of rows", column);
  }
  if (!config.time_column.empty())
    TRELLIS_RETURN_IF_ERROR(check("timeColumnName", config.time_column));
  return {};
}

// DELTA and its like pack whole numbers, one a row.
bool FitsColumn(Compression codec, const FieldSpec& field) {
  if (codec != Compression::kDelta && codec != Compression::kDeltaDelta) return true;
  const Physical physical = PhysicalOf(field.type);
  return !field.multi_value && (physical == Physical::kInt32 || physical == Physical::kInt64);
}

Status PlanCodec(ColumnPlan& plan) {
  const std::string& name = plan.indexing->compression_codec;
  const FieldSpec& field = *plan.field;
  if (name == kEntryDictionary) {
    if (!plan.dictionary || !field.multi_value)
      return Status::InvalidArgument("{} is for dictionary-encoded multi-value columns", name);
    plan.entry_dictionary = true;
    return {};
  }
  if (name.empty()) {
    plan.raw.compression =
        field.role == FieldRole::kMetric ? Compression::kPassThrough : Compression::kLz4;
    return {};
  }
  if (name.starts_with("CLP")) return Status::Unimplemented("{} is not written by Trellis", name);
  constexpr Compression kCodecs[] = {
      Compression::kPassThrough, Compression::kSnappy, Compression::kZstandard, Compression::kLz4,
      Compression::kGzip,        Compression::kDelta,  Compression::kDeltaDelta};
  for (const Compression codec : kCodecs) {
    if (codec::CompressionName(codec) != name) continue;
    if (plan.indexing->encoding != Encoding::kRaw && plan.dictionary)
      return Status::InvalidArgument("{} is for raw columns, and this one has a dictionary", name);
    if (!FitsColumn(codec, field))
      return Status::InvalidArgument("{} packs single INT and LONG values, not {}", name,
                                     ValueTypeName(field.value_type()));
    plan.raw.compression = codec;
    return {};
  }
  return Status::InvalidArgument("compression codec '{}' is not known", name);
}

Status PlanIndexes(ColumnPlan& plan) {
  const FieldIndexing& indexing = *plan.indexing;
  const bool bytes = PhysicalOf(plan.field->type) == Physical::kBytes;
  if (plan.is_map() && (indexing.inverted || indexing.range || indexing.bloom))
    return Status::InvalidArgument("a MAP has no inverted index, range index or bloom filter");
  if (indexing.range && !plan.dictionary && bytes)
    return Status::InvalidArgument("a range index of {} needs a dictionary",
                                   DataTypeName(plan.field->type));
  if (indexing.forward_index_disabled && !(plan.dictionary && indexing.inverted))
    return Status::InvalidArgument(
        "without a forward index its values would be lost: it needs a dictionary and an inverted "
        "index");
  return {};
}

Status PlanColumn(const IndexingConfig& config, ColumnPlan& plan) {
  const FieldIndexing& indexing = *plan.indexing;
  const FieldSpec& field = *plan.field;
  // An inverted index names dictIds: it wins over whatever says "raw".
  plan.dictionary = !plan.is_map() && (indexing.inverted || indexing.encoding != Encoding::kRaw);
  const bool metric = field.role == FieldRole::kMetric;
  plan.may_turn_raw =
      plan.dictionary && !indexing.inverted && !field.multi_value &&
      (config.optimize_dictionary || (config.optimize_dictionary_for_metrics && metric));
  plan.raw.writer_version = indexing.raw_writer_version;
  plan.raw.derive_docs_per_chunk = indexing.derive_docs_per_chunk;
  plan.raw.target_docs_per_chunk = indexing.target_docs_per_chunk;
  plan.raw.target_max_chunk_size_bytes = indexing.target_max_chunk_size_bytes;
  TRELLIS_RETURN_IF_ERROR(PlanCodec(plan));
  TRELLIS_RETURN_IF_ERROR(PlanIndexes(plan));
  if (!plan.dictionary || plan.may_turn_raw) {
    // Only to hear now, not after the last row, that the settings cannot be met.
    TRELLIS_RETURN_IF_ERROR(
        raw_writer::PlanRawLayout(
            plan.raw, {.type = field.value_type(), .document_count = 1, .longest_row_bytes = 1})
            .status());
  }
  if (plan.partition != nullptr) {
    if (field.multi_value || plan.is_map())
      return Status::InvalidArgument("only a single value a row has a partition");
    TRELLIS_RETURN_IF_ERROR(PartitionValues::Create(*plan.partition).status());
  }
  return {};
}

}  // namespace

Result<std::vector<ColumnPlan>> PlanColumns(const BuildSettings& settings) {
  const IndexingConfig& config = settings.indexing;
  TRELLIS_RETURN_IF_ERROR(CheckSegmentName(settings.segment_name));
  if (config.segment_version != "v1" && config.segment_version != "v3") {
    return Status::InvalidArgument("segment version '{}' is not written; v1 and v3 are",
                                   config.segment_version);
  }
  if (config.range_index_version != 1 && config.range_index_version != 2)
    return Status::InvalidArgument("range index version {}; 1 or 2", config.range_index_version);
  if (settings.schema.fields().empty()) return Status::InvalidArgument("the schema has no column");
  TRELLIS_RETURN_IF_ERROR(CheckNamesConfigured(settings));
  std::vector<ColumnPlan> plans;
  for (const FieldSpec& field : settings.schema.fields()) {
    TRELLIS_RETURN_IF_ERROR(CheckField(field));
    if (!plans.empty() && plans.back().field->name == field.name)
      return Status::InvalidArgument("column '{}' is there twice", field.name);
    ColumnPlan plan;
    plan.field = &field;
    plan.indexing = &config.Of(field.name);
    const auto partition = config.partitions.find(field.name);
    if (partition != config.partitions.end()) plan.partition = &partition->second;
    TRELLIS_RETURN_IF_ERROR(
        PlanColumn(config, plan).WithContext(fmt::format("column '{}'", field.name)));
    plans.push_back(plan);
  }
  return plans;
}

bool TurnsRaw(const ColumnPlan& plan, const IndexingConfig& config, uint32_t documents,
              uint32_t cardinality) {
  if (!plan.may_turn_raw || documents == 0) return false;
  const Physical physical = PhysicalOf(plan.field->type);
  if (physical == Physical::kBytes) {
    return config.dictionary_cardinality_ratio &&
           *config.dictionary_cardinality_ratio * documents <= cardinality;
  }
  const bool wide = physical == Physical::kInt64 || physical == Physical::kDouble;
  const uint64_t width = wide ? 8 : 4;
  const auto bits = static_cast<uint64_t>(encode::BitsPerElement(cardinality));
  const uint64_t with_dictionary = cardinality * width + (documents * bits + 7) / 8;
  return static_cast<double>(documents * width) / static_cast<double>(with_dictionary) <=
         config.dictionary_size_ratio_threshold;
}

}  // namespace trellis::segment_writer
