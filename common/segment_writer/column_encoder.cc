#include "common/segment_writer/column_encoder.h"

#include "common/encode/index_writers.h"
#include "common/segment_writer/properties_text.h"
#include "common/segment_writer/value_text.h"

namespace trellis::segment_writer {
namespace {

// The documents that are null, in their order.
std::vector<uint32_t> NullDocuments(const EncodeTask& task) {
  std::vector<uint32_t> documents;
  documents.reserve(task.nulls->cardinality());
  if (task.order.empty()) {
    for (const uint32_t row : *task.nulls) documents.push_back(row);
    return documents;
  }
  for (size_t document = 0; document < task.order.size(); ++document) {
    if (task.nulls->contains(task.order[document]))
      documents.push_back(static_cast<uint32_t>(document));
  }
  return documents;
}

Status WriteNulls(const EncodeTask& task, ColumnFacts& facts) {
  if (!task.config->null_handling || task.plan->indexing->not_null || task.nulls->isEmpty())
    return {};
  TRELLIS_ASSIGN_OR_RETURN(IndexFile index,
                           CreateIndexFile(task, "nullvalue_vector", ".bitmap.nullvalue"));
  TRELLIS_RETURN_IF_ERROR(encode::WriteNullVector(NullDocuments(task), index.file()));
  return index.FinishInto(facts.files);
}

Status Encode(const EncodeTask& task, ColumnFacts& facts) {
  const uint32_t documents = task.spill->rows();
  facts.total_entries = task.spill->entries();
  if (task.plan->is_multi_value()) facts.longest_row_entries = task.spill->longest_row_entries();
  if (documents == 0) {
    facts.sorted = !task.plan->is_map() && !task.plan->is_multi_value();
    facts.has_forward_index = true;
    return {};
  }
  const bool raw =
      task.dictionary == nullptr || TurnsRaw(*task.plan, *task.config, documents,
                                             static_cast<uint32_t>(task.dictionary->values.size()));
  TRELLIS_RETURN_IF_ERROR(raw ? EncodeRawColumn(task, facts) : EncodeDictionaryColumn(task, facts));
  return WriteNulls(task, facts);
}

}  // namespace

Result<ColumnFacts> EncodeColumn(const EncodeTask& task) {
  ColumnFacts facts;
  TRELLIS_RETURN_IF_ERROR(
      Encode(task, facts).WithContext(fmt::format("column '{}'", task.plan->field->name)));
  return facts;
}

std::optional<std::string> BoundText(const ColumnVector& values, size_t index) {
  std::string text = StoredValueText(values, index);
  if (Utf16Units(text) > kBoundUnitsMax) return std::nullopt;
  return text;
}

Result<IndexFile> CreateIndexFile(const EncodeTask& task, std::string index,
                                  std::string extension) {
  return IndexFile::Create(task.folder, task.plan->field->name, std::move(index),
                           std::move(extension));
}

Status WriteBloomIndex(const EncodeTask& task, const ColumnVector& distinct, ColumnFacts& facts) {
  TRELLIS_ASSIGN_OR_RETURN(IndexFile index, CreateIndexFile(task, "bloom_filter", ".bloom"));
  TRELLIS_RETURN_IF_ERROR(
      encode::WriteBloomFilter(distinct, task.plan->indexing->bloom_fpp, index.file()));
  return index.FinishInto(facts.files);
}

}  // namespace trellis::segment_writer
