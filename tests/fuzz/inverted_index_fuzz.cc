#include <vector>

#include "common/index/inverted_index.h"

// Opens arbitrary bytes as an inverted index of either layout; reads every bitmap.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 4) return 0;
  const uint32_t documents = LoadLittleEndian<uint16_t>(data);
  const std::vector<uint8_t> payload(data + 4, data + size);
  const auto inverted = index::InvertedIndex::Open(payload, data[2], documents);
  if (inverted.ok()) {
    const bool good = (*inverted)->Check(data[3] & 1).ok();
    for (uint32_t id = 0; id < data[2]; ++id) {
      const auto bitmap = (*inverted)->Documents(id);
      if (good) TRELLIS_CHECK(bitmap.ok());
      if (bitmap.ok()) TRELLIS_CHECK(bitmap->isEmpty() || bitmap->maximum() < documents);
    }
  }
  if (!index::LegacyRawInvertedIndex::Recognizes(payload)) return 0;
  constexpr DataType kTypes[] = {DataType::kString, DataType::kLong, DataType::kBytes,
                                 DataType::kBigDecimal};
  const auto legacy =
      index::LegacyRawInvertedIndex::Open(payload, kTypes[data[3] % std::size(kTypes)], documents);
  if (!legacy.ok()) return 0;
  (void)(*legacy)->Check(data[3] & 1);
  for (uint32_t id = 0; id < (*legacy)->dictionary().size(); ++id) {
    (void)(*legacy)->Documents(id);
    (void)(*legacy)->dictionary().At(id);
  }
  return 0;
}
