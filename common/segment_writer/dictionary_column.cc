#include <algorithm>

#include "common/encode/dictionary_builder.h"
#include "common/encode/forward_writers.h"
#include "common/encode/index_writers.h"
#include "common/segment_writer/column_encoder.h"
#include "common/segment_writer/partition_values.h"
#include "common/segment_writer/value_text.h"

namespace trellis::segment_writer {
namespace {

// The dictIds of a column in the order of the segment, batch by batch.
class IdReader {
 public:
  explicit IdReader(const EncodeTask& task)
      : reader_(*task.spill, task.order), rank_(task.dictionary->rank) {}

  bool Next() {
    if (!reader_.Next(batch_)) return false;
    const auto& provisional = batch_.values<int32_t>();
    ids_.resize(provisional.size());
    for (size_t i = 0; i < ids_.size(); ++i) ids_[i] = rank_[static_cast<uint32_t>(provisional[i])];
    return true;
  }
  std::span<const uint32_t> ids() const { return ids_; }
  // Empty for single values.
  std::span<const uint32_t> offsets() const {
    if (!batch_.is_multi_value()) return {};
    return batch_.offsets();
  }

 private:
  SpillReader reader_;
  std::span<const uint32_t> rank_;
  ColumnVector batch_;
  std::vector<uint32_t> ids_;
};

// Looks at the ids once, before anything is written.
Status ScanIds(const EncodeTask& task, ColumnFacts& facts) {
  facts.sorted = !task.plan->is_multi_value();
  std::optional<PartitionValues> partitions;
  std::vector<bool> seen;
  if (task.plan->partition != nullptr) {
    TRELLIS_ASSIGN_OR_RETURN(partitions, PartitionValues::Create(*task.plan->partition));
    seen.resize(facts.cardinality);
  }
  uint32_t before = 0;
  for (IdReader reader(task); reader.Next();) {
    for (const uint32_t id : reader.ids()) {
      facts.sorted = facts.sorted && id >= before;
      before = id;
      if (!partitions || seen[id]) continue;
      seen[id] = true;
      TRELLIS_RETURN_IF_ERROR(partitions->Add(StoredValueText(task.dictionary->values, id)));
    }
    if (!facts.sorted && !partitions) break;
  }
  if (partitions) facts.partitions = partitions->values();
  return {};
}

class DictionaryColumn {
 public:
  DictionaryColumn(const EncodeTask& task, ColumnFacts& facts)
      : task_(task),
        facts_(facts),
        values_(task.dictionary->values),
        cardinality_(facts.cardinality),
        bits_(encode::BitsPerElement(facts.cardinality)) {}

  Status WriteAll() {
    const table_config::FieldIndexing& indexing = *task_.plan->indexing;
    TRELLIS_RETURN_IF_ERROR(WriteDictionary());
    // The ranges of a sorted column are both its forward and its inverted index.
    facts_.has_forward_index = facts_.sorted || !indexing.forward_index_disabled;
    if (facts_.has_forward_index) TRELLIS_RETURN_IF_ERROR(WriteForward());
    if (indexing.inverted && !facts_.sorted) TRELLIS_RETURN_IF_ERROR(WriteInverted());
    if (indexing.range) TRELLIS_RETURN_IF_ERROR(WriteRange());
    if (indexing.bloom) return WriteBloomIndex(task_, values_, facts_);
    return {};
  }

 private:
  // Hands every batch of ids to `append`.
  template <class Append>
  Status ForEachBatch(const Append& append) {
    for (IdReader reader(task_); reader.Next();)
      TRELLIS_RETURN_IF_ERROR(append(reader.ids(), reader.offsets()));
    return {};
  }

  Status WriteDictionary() {
    const encode::DictionaryForm form =
        encode::ChooseDictionaryForm(values_, task_.plan->indexing->variable_length_dictionary,
                                     task_.config->optimize_dictionary_type);
    TRELLIS_ASSIGN_OR_RETURN(IndexFile index, CreateIndexFile(task_, "dictionary", ".dict"));
    TRELLIS_RETURN_IF_ERROR(encode::WriteDictionary(values_, form, index.file()));
    return index.FinishInto(facts_.files);
  }

  Status WriteForward() {
    if (task_.plan->is_multi_value()) return WriteMultiValueForward();
    TRELLIS_ASSIGN_OR_RETURN(
        IndexFile index, CreateIndexFile(task_, "forward_index",
                                         facts_.sorted ? ".sv.sorted.fwd" : ".sv.unsorted.fwd"));
    const auto write = [&](auto& writer) -> Status {
      TRELLIS_RETURN_IF_ERROR(ForEachBatch([&](auto ids, auto) { return writer.Append(ids); }));
      return writer.Finish();
    };
    if (facts_.sorted) {
      encode::SortedIndexWriter writer(cardinality_, index.file());
      TRELLIS_RETURN_IF_ERROR(write(writer));
    } else {
      encode::BitStreamWriter writer(bits_, index.file());
      TRELLIS_RETURN_IF_ERROR(write(writer));
    }
    return index.FinishInto(facts_.files);
  }

  Status WriteMultiValueForward() {
    TRELLIS_ASSIGN_OR_RETURN(IndexFile index, CreateIndexFile(task_, "forward_index", ".mv.fwd"));
    const uint32_t documents = task_.spill->rows();
    const auto writer = task_.plan->entry_dictionary
                            ? encode::NewEntryDictionaryWriter(documents, bits_, index.file())
                            : encode::NewBitPackedMultiValueWriter(
                                  documents, task_.spill->entries(), bits_, index.file());
    TRELLIS_RETURN_IF_ERROR(
        ForEachBatch([&](auto ids, auto offsets) { return writer->Append(ids, offsets); }));
    TRELLIS_RETURN_IF_ERROR(writer->Finish());
    return index.FinishInto(facts_.files);
  }

  Status WriteInverted() {
    TRELLIS_ASSIGN_OR_RETURN(IndexFile index,
                             CreateIndexFile(task_, "inverted_index", ".bitmap.inv"));
    encode::InvertedIndexWriter writer(cardinality_);
    TRELLIS_RETURN_IF_ERROR(
        ForEachBatch([&](auto ids, auto offsets) { return writer.Append(ids, offsets); }));
    TRELLIS_RETURN_IF_ERROR(writer.Finish(index.file()));
    return index.FinishInto(facts_.files);
  }

  Status WriteRange() {
    TRELLIS_ASSIGN_OR_RETURN(IndexFile index,
                             CreateIndexFile(task_, "range_index", ".bitmap.range"));
    const bool buckets =
        task_.plan->is_multi_value() || task_.config->RangeVersionOf(task_.plan->field->name) == 1;
    TRELLIS_RETURN_IF_ERROR(buckets ? FillBuckets(index.file()) : FillSlices(index.file()));
    return index.FinishInto(facts_.files);
  }

  Status FillSlices(output::OutputFile& file) {
    const auto writer = encode::NewRangeIndexWriter(0, cardinality_ - 1, task_.spill->rows(), file);
    std::vector<uint64_t> numbers;
    TRELLIS_RETURN_IF_ERROR(ForEachBatch([&](std::span<const uint32_t> ids, auto) {
      numbers.assign(ids.begin(), ids.end());
      return writer->Append(numbers);
    }));
    return writer->Finish();
  }

  Status FillBuckets(output::OutputFile& file) {
    std::vector<uint32_t> ids;
    std::vector<uint32_t> offsets;
    ids.reserve(task_.spill->entries());
    if (task_.plan->is_multi_value()) offsets.push_back(0);
    TRELLIS_RETURN_IF_ERROR(ForEachBatch([&](auto batch_ids, auto batch_offsets) {
      const auto base = static_cast<uint32_t>(ids.size());
      for (size_t row = 1; row < batch_offsets.size(); ++row)
        offsets.push_back(base + batch_offsets[row]);
      ids.insert(ids.end(), batch_ids.begin(), batch_ids.end());
      return Status();
    }));
    return encode::WriteBucketedRangeIndex(ids, offsets, cardinality_, file);
  }

  const EncodeTask& task_;
  ColumnFacts& facts_;
  const ColumnVector& values_;
  uint32_t cardinality_;
  int bits_;
};

}  // namespace

Status EncodeDictionaryColumn(const EncodeTask& task, ColumnFacts& facts) {
  const ColumnVector& values = task.dictionary->values;
  facts.has_dictionary = true;
  facts.cardinality = static_cast<uint32_t>(values.size());
  if (values.physical() == Physical::kBytes) facts.entry_bytes = encode::EntryWidthBytes(values);
  facts.has_bounds = true;
  facts.min_text = BoundText(values, 0);
  facts.max_text = BoundText(values, values.size() - 1);
  TRELLIS_RETURN_IF_ERROR(ScanIds(task, facts));
  return DictionaryColumn(task, facts).WriteAll();
}

}  // namespace trellis::segment_writer
