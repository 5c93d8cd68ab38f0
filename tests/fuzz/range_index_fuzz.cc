#include <vector>

#include "common/index/range_index.h"

// Opens arbitrary bytes as a range index of a shape that the first bytes choose; asks it, walks it.

namespace {

using namespace trellis;

constexpr size_t kShapeSizeBytes = 6;
constexpr DataType kTypes[] = {DataType::kInt,       DataType::kLong,    DataType::kFloat,
                               DataType::kDouble,    DataType::kBoolean, DataType::kString,
                               DataType::kTimestamp, DataType::kUuid};

Value Bound(DataType type, int32_t v) {
  switch (PhysicalOf(type)) {
    case Physical::kInt32:
      return Value::Int(v);
    case Physical::kInt64:
      return Value::Long(int64_t{v} << 30);
    case Physical::kFloat:
      return Value::Float(static_cast<float>(v) / 16);
    default:
      return Value::Double(static_cast<double>(v) / 16);
  }
}

void CheckAnswer(const Result<index::RangeAnswer>& answer, uint32_t document_count) {
  if (!answer.ok()) return;
  for (const Roaring* documents : {&answer->certain, &answer->possible})
    TRELLIS_CHECK(documents->isEmpty() || documents->maximum() < document_count);
  TRELLIS_CHECK(!answer->certain.intersect(answer->possible));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kShapeSizeBytes) return 0;
  const index::RangeIndexShape shape{kTypes[data[0] % std::size(kTypes)], (data[1] & 1) != 0,
                                     (data[1] & 2) != 0,
                                     LoadLittleEndian<uint16_t>(data + 2) * (data[1] >> 4 | 1u),
                                     LoadLittleEndian<uint16_t>(data + 4)};
  const std::vector<uint8_t> payload(data + kShapeSizeBytes, data + size);
  const auto range = index::RangeIndex::Open(payload, shape);
  if (!range.ok()) return 0;
  const bool good = (*range)->Check().ok();
  for (const int32_t bound : {0, 1, 7, -5, INT32_MAX}) {
    const auto id = static_cast<uint32_t>(bound);
    const auto answer =
        shape.has_dictionary
            ? (*range)->DictIds(id / 2, id)
            : (*range)->Values({Bound(shape.type, bound), std::nullopt, (bound & 1) != 0, true});
    CheckAnswer(answer, shape.document_count);
    if (good) TRELLIS_CHECK(answer.ok());
  }
  uint64_t sum = 0;
  (void)(*range)->Visit([&](const index::RangeIndex::Entry& entry) {
    TRELLIS_CHECK(entry.document < shape.document_count);
    sum += entry.low ^ entry.high;
    return Status::Ok();
  });
  return 0;
}
