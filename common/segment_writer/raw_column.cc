#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <limits>
#include <set>

#include "common/base/string_hash.h"
#include "common/column/map_walk.h"
#include "common/encode/dictionary_builder.h"
#include "common/encode/index_writers.h"
#include "common/raw_writer/raw_writer.h"
#include "common/segment_writer/column_encoder.h"
#include "common/segment_writer/partition_values.h"
#include "common/segment_writer/value_text.h"
#include "common/types/value_order.h"

namespace trellis::segment_writer {
namespace {

// Distinct values are counted by their 64-bit hashes, so many in memory at a time: a column with
// more is read again for the next share of the hashes.
constexpr uint64_t kHashesAtOnce = uint64_t{1} << 22;

// The values of a raw column in the order of the segment, batch by batch: as they were spilled, or
// out of the dictionary that the column turned out not to need.
class ValueReader {
 public:
  explicit ValueReader(const EncodeTask& task)
      : reader_(*task.spill, task.order), dictionary_(task.dictionary) {}

  bool Next() {
    if (dictionary_ == nullptr) return reader_.Next(batch_);
    if (!reader_.Next(ids_)) return false;
    batch_.Reset(dictionary_->values.value_type());
    WithPhysical(batch_.physical(), [&]<class T>(T) {
      const auto& values = dictionary_->values.values<T>();
      for (const int32_t id : ids_.values<int32_t>())
        batch_.values<T>().push_back(values[dictionary_->rank[static_cast<uint32_t>(id)]]);
    });
    batch_.SetSize(ids_.size());
    return true;
  }
  const ColumnVector& batch() const { return batch_; }

 private:
  SpillReader reader_;
  const SortedDictionary* dictionary_;
  ColumnVector ids_;
  ColumnVector batch_;
};

using MapKeys = std::set<std::string, std::less<>>;

// Adds the keys of one frame. Errors: Corrupt for a frame that is none: what is built shall not
// hold rows that nobody can read.
Status AddMapKeys(std::string_view frame, MapKeys& keys) {
  column::FrameWalk walk(frame);
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t count, walk.Count());
  column::MapEntry entry;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walk.Next(entry)) return column::DamagedFrame(frame, walk.position());
    if (entry.value == "null") continue;  // Pinot counts keys that some row has a value for
    const auto place = keys.lower_bound(entry.key);
    if (place == keys.end() || *place != entry.key) keys.emplace_hint(place, entry.key);
  }
  return walk.at_end() ? Status() : column::DamagedFrame(frame, walk.position());
}

template <class T>
int Compare(DataType type, const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string_view>)
    return CompareStoredBytes(type, a, b);
  else
    return CompareNumbers(a, b);
}

template <class T>
size_t HashOf(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>)
    return StringHash()(value);
  else
    return absl::HashOf(value);
}

// What one reading of a column of type T tells.
template <class T>
class Statistics {
 public:
  explicit Statistics(const EncodeTask& task) : task_(task), type_(task.plan->field->type) {}

  Status Scan() {
    if (task_.plan->partition != nullptr) {
      TRELLIS_ASSIGN_OR_RETURN(partitions_, PartitionValues::Create(*task_.plan->partition));
    }
    shares_ = task_.dictionary != nullptr ? 1 : 1 + task_.spill->entries() / kHashesAtOnce;
    for (ValueReader reader(task_); reader.Next();) {
      TRELLIS_RETURN_IF_ERROR(AddBatch(reader.batch()));
    }
    CountRest();
    return {};
  }

  void Tell(ColumnFacts& facts) const {
    facts.sorted = sorted_ && !task_.plan->is_multi_value();
    facts.cardinality = static_cast<uint32_t>(
        task_.dictionary != nullptr ? task_.dictionary->values.size() : distinct_);
    if (!min_) return;  // rows of no value at all
    facts.has_bounds = true;
    ColumnVector bounds({type_, false});
    bounds.values<T>() = {*min_, *max_};
    facts.min_text = BoundText(bounds, 0);
    facts.max_text = BoundText(bounds, 1);
    if (partitions_) facts.partitions = partitions_->values();
  }
  // As Pinot reckons it, to whom rows of many values have room for the most values and the most
  // bytes of any: raw_writer::RawShape.
  uint64_t longest_row_bytes() const {
    if (!task_.plan->is_multi_value()) return longest_bytes_;
    const uint64_t lengths =
        std::is_same_v<T, std::string_view> ? uint64_t{4} * task_.spill->longest_row_entries() : 0;
    return 4 + lengths + longest_bytes_;
  }
  const std::optional<T>& min() const { return min_; }
  const std::optional<T>& max() const { return max_; }

 private:
  Status AddBatch(const ColumnVector& batch) {
    const std::vector<T>& values = batch.values<T>();
    for (const T& value : values) {
      if (!min_ || Compare(type_, value, *min_) < 0) min_ = value;
      if (!max_ || Compare(type_, value, *max_) > 0) max_ = value;
      sorted_ = sorted_ && (!before_ || Compare(type_, *before_, value) <= 0);
      before_ = value;
      if (task_.dictionary == nullptr) Count(value, 0);
    }
    for (size_t i = 0; partitions_ && i < values.size(); ++i)
      TRELLIS_RETURN_IF_ERROR(partitions_->Add(StoredValueText(batch, i)));
    for (size_t row = 0; row < batch.size(); ++row) AddLength(batch, row);
    return {};
  }
  void AddLength(const ColumnVector& batch, size_t row) {
    const bool many = task_.plan->is_multi_value();
    const size_t end = many ? batch.offsets()[row + 1] : row + 1;
    uint64_t bytes = 0;
    for (size_t i = many ? batch.offsets()[row] : row; i < end; ++i) {
      if constexpr (std::is_same_v<T, std::string_view>)
        bytes += batch.values<T>()[i].size();
      else
        bytes += sizeof(T);
    }
    longest_bytes_ = std::max(longest_bytes_, bytes);
  }
  void Count(const T& value, uint64_t share) {
    const size_t hash = HashOf(value);
    if (shares_ == 1 || (hash >> 7) % shares_ == share) hashes_.insert(hash);
  }
  void CountRest() {
    distinct_ = hashes_.size();
    for (uint64_t share = 1; share < shares_; ++share) {
      hashes_.clear();
      for (ValueReader reader(task_); reader.Next();) {
        for (const T& value : reader.batch().template values<T>()) Count(value, share);
      }
      distinct_ += hashes_.size();
    }
    hashes_ = {};
  }

  const EncodeTask& task_;
  DataType type_;
  // Texts are views into the spill file or the dictionary, which outlive this.
  std::optional<T> min_, max_, before_;
  bool sorted_ = true;
  uint64_t longest_bytes_ = 0;  // of the values of a row
  uint64_t shares_ = 1;
  uint64_t distinct_ = 0;
  absl::flat_hash_set<size_t> hashes_;
  std::optional<PartitionValues> partitions_;
};

class RawColumn {
 public:
  RawColumn(const EncodeTask& task, ColumnFacts& facts) : task_(task), facts_(facts) {}

  Status WriteAll() {
    facts_.has_forward_index = true;
    raw_writer::RawShape shape{.type = task_.plan->field->value_type(),
                               .document_count = task_.spill->rows(),
                               .longest_row_bytes = 0};
    if (task_.plan->is_map()) return WriteMap(shape);
    return WithPhysical(PhysicalOf(shape.type.type),
                        [&]<class T>(T) { return WriteTyped<T>(shape); });
  }

 private:
  template <class T>
  Status WriteTyped(raw_writer::RawShape shape) {
    Statistics<T> statistics(task_);
    TRELLIS_RETURN_IF_ERROR(statistics.Scan());
    statistics.Tell(facts_);
    TRELLIS_ASSIGN_OR_RETURN(shape.longest_row_bytes, RowBytes(statistics.longest_row_bytes()));
    TRELLIS_RETURN_IF_ERROR(WriteForward(shape));
    if (task_.plan->indexing->range) TRELLIS_RETURN_IF_ERROR(WriteRange(statistics));
    if (task_.plan->indexing->bloom) TRELLIS_RETURN_IF_ERROR(WriteBloom());
    return {};
  }

  static Result<uint32_t> RowBytes(uint64_t bytes) {
    constexpr uint64_t kRowBytesMax = std::numeric_limits<int32_t>::max();
    if (bytes <= kRowBytesMax) return static_cast<uint32_t>(bytes);
    return Status::ResourceExhausted("a row of up to {} bytes; {} at most", bytes, kRowBytesMax);
  }

  Status WriteMap(raw_writer::RawShape shape) {
    MapKeys keys;
    uint32_t row = 0;
    for (ValueReader reader(task_); reader.Next();) {
      for (const std::string_view frame : reader.batch().values<std::string_view>()) {
        const Status status = AddMapKeys(frame, keys);
        if (!status.ok()) return status.WithContext(fmt::format("document {}", row));
        ++row;
        shape.longest_row_bytes =
            std::max(shape.longest_row_bytes, static_cast<uint32_t>(frame.size()));
      }
    }
    facts_.cardinality = static_cast<uint32_t>(keys.size());
    return WriteForward(shape);
  }

  // Reading the lengths once more is cheaper than writing all chunks twice.
  uint32_t CountChunks(const raw_writer::RawLayout& layout) const {
    raw_writer::ChunkCounter counter(layout.chunk_size_bytes);
    for (ValueReader reader(task_); reader.Next();) {
      for (size_t row = 0; row < reader.batch().size(); ++row)
        counter.Add(raw_writer::StoredRowBytes(reader.batch(), row, layout.rows_carry_count));
    }
    return counter.count();
  }

  Status WriteForward(const raw_writer::RawShape& shape) {
    TRELLIS_ASSIGN_OR_RETURN(raw_writer::RawLayout layout,
                             raw_writer::PlanRawLayout(task_.plan->raw, shape));
    if (layout.container == raw_writer::Container::kSizedRows)
      layout.chunk_count = CountChunks(layout);
    TRELLIS_ASSIGN_OR_RETURN(
        IndexFile index,
        CreateIndexFile(task_, "forward_index",
                        task_.plan->is_multi_value() ? ".mv.raw.fwd" : ".sv.raw.fwd"));
    TRELLIS_ASSIGN_OR_RETURN(const auto writer,
                             raw_writer::NewRawForwardIndexWriter(
                                 layout, shape.type, {.threads = task_.threads}, index.file()));
    for (ValueReader reader(task_); reader.Next();)
      TRELLIS_RETURN_IF_ERROR(writer->Append(reader.batch()));
    TRELLIS_RETURN_IF_ERROR(writer->Finish());
    return index.FinishInto(facts_.files);
  }

  template <class T>
  Status WriteRange(const Statistics<T>& statistics) {
    TRELLIS_ASSIGN_OR_RETURN(IndexFile index,
                             CreateIndexFile(task_, "range_index", ".bitmap.range"));
    if (task_.plan->is_multi_value() ||
        task_.config->RangeVersionOf(task_.plan->field->name) == 1) {
      TRELLIS_RETURN_IF_ERROR(encode::WriteBucketedRangeIndex(AllValues(), index.file()));
      return index.FinishInto(facts_.files);
    }
    if constexpr (!std::is_same_v<T, std::string_view>) {
      TRELLIS_RETURN_IF_ERROR(FillSlices<T>(*statistics.min(), *statistics.max(), index.file()));
    }
    return index.FinishInto(facts_.files);
  }

  template <class T>
  Status FillSlices(T min, T max, output::OutputFile& file) {
    // Whole numbers count from the least one, floating ones by their order.
    const auto number = [&](T value) -> uint64_t {
      if constexpr (std::is_floating_point_v<T>)
        return encode::OrderedBits(value);
      else
        return static_cast<uint64_t>(int64_t{value}) - static_cast<uint64_t>(int64_t{min});
    };
    const int64_t base = std::is_floating_point_v<T> ? 0 : static_cast<int64_t>(min);
    const auto writer = encode::NewRangeIndexWriter(base, number(max), task_.spill->rows(), file);
    std::vector<uint64_t> numbers;
    for (ValueReader reader(task_); reader.Next();) {
      const auto& values = reader.batch().template values<T>();
      numbers.resize(values.size());
      std::transform(values.begin(), values.end(), numbers.begin(), number);
      TRELLIS_RETURN_IF_ERROR(writer->Append(numbers));
    }
    return writer->Finish();
  }

  // The whole column in memory; texts stay where they are.
  ColumnVector AllValues() const {
    ColumnVector all(task_.plan->field->value_type());
    size_t rows = 0;
    for (ValueReader reader(task_); reader.Next();) {
      WithPhysical(all.physical(), [&]<class T>(T) {
        const auto base = static_cast<uint32_t>(all.values<T>().size());
        const auto& values = reader.batch().values<T>();
        all.values<T>().insert(all.values<T>().end(), values.begin(), values.end());
        for (size_t row = 1; row < reader.batch().offsets().size(); ++row)
          all.offsets().push_back(base + reader.batch().offsets()[row]);
      });
      rows += reader.batch().size();
    }
    all.SetSize(rows);
    return all;
  }

  Status WriteBloom() {
    ColumnVector distinct = task_.dictionary != nullptr ? task_.dictionary->values : ColumnVector();
    if (task_.dictionary == nullptr) {
      const auto builder = encode::DictionaryBuilder::Create(task_.plan->field->type);
      std::vector<uint32_t> ids;
      for (ValueReader reader(task_); reader.Next();)
        TRELLIS_RETURN_IF_ERROR(builder->Add(reader.batch(), ids));
      builder->Finish(distinct, ids);
    }
    return WriteBloomIndex(task_, distinct, facts_);
  }

  const EncodeTask& task_;
  ColumnFacts& facts_;
};

}  // namespace

Status EncodeRawColumn(const EncodeTask& task, ColumnFacts& facts) {
  return RawColumn(task, facts).WriteAll();
}

}  // namespace trellis::segment_writer
