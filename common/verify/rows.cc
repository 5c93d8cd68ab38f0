#include "common/verify/rows.h"

#include <algorithm>
#include <numeric>

#include "common/vector/batch_size.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kInflatedSizeBytesMax = 64 << 20;  // that a batch aims to hold
constexpr uint32_t kFixedRows = 65536;
constexpr uint32_t kVariableRowsMax = 4096;

uint32_t RowsPerBatch(const segment::ColumnMetadata& column, uint64_t largest_chunk_bytes) {
  const bool fixed =
      column.dictionary_encoded ||
      (!column.field.multi_value && PhysicalOf(column.field.type) != Physical::kBytes);
  if (fixed) return kFixedRows;
  const uint64_t chunks = kInflatedSizeBytesMax / std::max<uint64_t>(largest_chunk_bytes, 1);
  return static_cast<uint32_t>(std::clamp<uint64_t>(chunks, 1, kVariableRowsMax));
}

// The ids of flat values; false, and a fault, when one is not in the dictionary.
bool FindIds(const ColumnView& view, const column::Dictionary& dictionary,
             const ColumnVector& values, uint32_t first_doc, std::vector<uint32_t>& ids) {
  ids.clear();
  for (size_t i = 0; i < values.flat_size(); ++i) {
    const auto id = dictionary.Find(FlatValue(values, i));
    if (!id) {
      view.Log("dictionary")
          .Fault(std::nullopt, fmt::format("value {} behind row {}'s first", i, first_doc),
                 fmt::format("no entry '{}'", ValueToText(FlatValue(values, i)).substr(0, 100)));
      return false;
    }
    ids.push_back(*id);
  }
  return true;
}

}  // namespace

Value FlatValue(const ColumnVector& values, size_t position) {
  const DataType type = values.type();
  switch (values.physical()) {
    case Physical::kInt32: {
      const int32_t value = values.values<int32_t>()[position];
      return type == DataType::kBoolean ? Value::Boolean(value != 0) : Value::Int(value);
    }
    case Physical::kInt64: {
      const int64_t value = values.values<int64_t>()[position];
      return type == DataType::kTimestamp ? Value::Timestamp(value) : Value::Long(value);
    }
    case Physical::kFloat:
      return Value::Float(values.values<float>()[position]);
    case Physical::kDouble:
      return Value::Double(values.values<double>()[position]);
    case Physical::kBytes:
      break;
  }
  return Value::Bytes(type, std::string(values.values<std::string_view>()[position]));
}

bool ReadRows(const ColumnView& view, const column::ForwardIndexReader& forward,
              const column::Dictionary* dictionary, uint64_t largest_chunk_bytes,
              std::span<RowConsumer* const> consumers) {
  const uint32_t count = view.document_count();
  BatchSize size(RowsPerBatch(view.metadata(), largest_chunk_bytes));
  const auto scratch = forward.NewScratch();
  std::vector<uint32_t> docs, ids, offsets;
  for (uint64_t first = 0; first < count;) {
    docs.resize(std::min<uint64_t>(size.rows(), count - first));
    std::iota(docs.begin(), docs.end(), static_cast<uint32_t>(first));
    RowBatch batch{static_cast<uint32_t>(first), static_cast<uint32_t>(docs.size())};
    ColumnVector values;
    Status status;
    ids.clear();
    offsets.clear();
    if (forward.is_dictionary_encoded()) {
      status = forward.ReadDictIds(docs, *scratch, ids, &offsets);
      if (!view.metadata().field.multi_value) offsets.clear();
    } else {
      status = forward.ReadValues(docs, *scratch, values);
      if (status.ok() && values.is_multi_value()) offsets = values.offsets();
      batch.values = &values;
    }
    if (status.code() == StatusCode::kResourceExhausted) {
      if (size.Halve(batch.rows)) continue;
      // A limit of ours, which says nothing about the segment.
      view.Log("forward_index")
          .Note(0, fmt::format("row {} that can be read", first), status.message());
      return false;
    }
    if (!status.ok()) {
      view.Log("forward_index")
          .Fault(0, fmt::format("rows from {} on that can be read", first), status.message());
      return false;
    }
    if (batch.values != nullptr && dictionary != nullptr &&
        !FindIds(view, *dictionary, values, batch.first_doc, ids))
      return false;
    batch.ids = ids;
    batch.offsets = offsets;
    for (RowConsumer* consumer : consumers) consumer->Take(batch);
    const uint64_t value_bytes = batch.values == nullptr ? 0 : ValueBytes(values);
    size.Took(batch.rows, value_bytes + (ids.size() + offsets.size()) * sizeof(uint32_t));
    first += batch.rows;
  }
  return true;
}

void IdRows::Take(const RowBatch& batch) {
  rows_ += batch.rows;
  if (batch.offsets.empty()) {
    ids_.insert(ids_.end(), batch.ids.begin(), batch.ids.end());
    return;
  }
  for (uint32_t row = 0; row < batch.rows; ++row) {
    const size_t begin = ids_.size();
    ids_.insert(ids_.end(), batch.ids.begin() + static_cast<ptrdiff_t>(batch.begin(row)),
                batch.ids.begin() + static_cast<ptrdiff_t>(batch.begin(row + 1)));
    const auto from = ids_.begin() + static_cast<ptrdiff_t>(begin);
    std::sort(from, ids_.end());
    ids_.erase(std::unique(from, ids_.end()), ids_.end());
    ends_.push_back(static_cast<uint32_t>(ids_.size()));
  }
}

}  // namespace trellis::verify
