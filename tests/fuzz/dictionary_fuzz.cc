#include <vector>

#include "common/column/dictionary.h"

// Opens arbitrary bytes as a dictionary of a type, size and padding that the first bytes choose;
// every value is read and looked up.

namespace {

using namespace trellis;

constexpr DataType kTypes[] = {DataType::kInt,        DataType::kLong,    DataType::kFloat,
                               DataType::kDouble,     DataType::kString,  DataType::kBytes,
                               DataType::kBigDecimal, DataType::kUuid,    DataType::kMap,
                               DataType::kJson,       DataType::kBoolean, DataType::kTimestamp};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const DataType type = kTypes[(data[0] & 0x7f) % std::size(kTypes)];
  const std::vector<uint8_t> payload(data + 3, data + size);
  const auto padding =
      data[0] & 0x80 ? column::DictionaryPadding::kPercent : column::DictionaryPadding::kNul;
  const auto opened = column::OpenDictionary(payload, type, data[1], data[2], padding);
  if (!opened.ok()) return 0;
  const column::Dictionary& dictionary = **opened;
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < dictionary.size(); ++id) {
    ids.push_back(id);
    const auto value = dictionary.At(id);
    TRELLIS_CHECK(value.ok());
    TRELLIS_CHECK(dictionary.LowerBound(*value) <= dictionary.size());
    (void)dictionary.Find(*value);
    (void)ValueToText(*value);
  }
  ColumnVector out;
  TRELLIS_CHECK(dictionary.Gather(ids, out).ok());
  for (const uint32_t id : ids) (void)out.Get(id);
  ids.push_back(static_cast<uint32_t>(dictionary.size()));
  TRELLIS_CHECK(dictionary.Gather(ids, out).IsCorrupt());
  return 0;
}
