#include <algorithm>
#include <vector>

#include "common/column/forward_index.h"

// Opens arbitrary bytes as a forward index of a shape that the first bytes choose, and reads it
// all, in batches and with gaps. Views are touched, so that the sanitizer sees a bad one.

namespace {

using namespace trellis;

constexpr size_t kShapeSizeBytes = 8;
constexpr DataType kTypes[] = {
    DataType::kInt,   DataType::kLong,       DataType::kFloat, DataType::kDouble, DataType::kString,
    DataType::kBytes, DataType::kBigDecimal, DataType::kUuid,  DataType::kMap,    DataType::kJson};

column::ForwardIndexShape ShapeOf(const uint8_t* data) {
  column::ForwardIndexShape shape;
  shape.type = kTypes[data[0] % std::size(kTypes)];
  shape.multi_value = data[1] & 1;
  shape.dictionary_encoded = data[1] & 2;
  shape.sorted = data[1] & 4;
  shape.document_count = LoadLittleEndian<uint16_t>(data + 2) % 5000;
  shape.cardinality = data[4];
  shape.bits_per_element = static_cast<int8_t>(data[5]);
  shape.total_entries = LoadLittleEndian<int16_t>(data + 6);
  return shape;
}

uint64_t Touch(const ColumnVector& vector) {
  uint64_t sum = vector.size();
  for (const uint32_t offset : vector.offsets()) TRELLIS_CHECK(offset <= vector.flat_size());
  if (vector.physical() != Physical::kBytes) return sum + vector.flat_size();
  for (const std::string_view value : vector.values<std::string_view>()) {
    for (const char c : value) sum += static_cast<unsigned char>(c);
  }
  return sum;
}

void ReadAll(const column::ForwardIndexReader& reader, uint32_t document_count, uint32_t step,
             size_t batch) {
  const auto scratch = reader.NewScratch();
  std::vector<uint32_t> docs, ids, offsets;
  ColumnVector previous(DataType::kInt);
  for (uint32_t doc = 0; doc < document_count; doc += step) {
    docs.push_back(doc);
    if (docs.size() < batch && doc + step < document_count) continue;
    if (reader.is_dictionary_encoded()) {
      if (reader.ReadDictIds(docs, *scratch, ids, &offsets).ok() && reader.is_multi_value()) {
        TRELLIS_CHECK(offsets.size() == docs.size() + 1 && offsets.back() == ids.size());
      }
    } else {
      ColumnVector out;
      if (reader.ReadValues(docs, *scratch, out).ok()) {
        TRELLIS_CHECK(out.size() == docs.size());
        volatile uint64_t sink = Touch(out) + Touch(previous);
        (void)sink;
      }
      previous = std::move(out);
    }
    docs.clear();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kShapeSizeBytes) return 0;
  const column::ForwardIndexShape shape = ShapeOf(data);
  // An exact copy, so that reading one byte past the end is seen.
  const std::vector<uint8_t> payload(data + kShapeSizeBytes, data + size);
  const auto reader = column::OpenForwardIndex(payload, shape);
  if (!reader.ok()) return 0;
  ReadAll(**reader, shape.document_count, 1, 1000);
  ReadAll(**reader, shape.document_count, 3, 7);
  for (uint32_t id = 0; (*reader)->is_sorted() && id < 256; ++id) (void)(*reader)->DocRange(id);
  return 0;
}
