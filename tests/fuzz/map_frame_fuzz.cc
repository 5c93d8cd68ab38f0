#include <string>
#include <vector>

#include "common/column/map_frame.h"

// Reads arbitrary bytes as a MAP frame: its keys, its JSON, and the first key's value as every
// type.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 2) return 0;
  const std::string key(1, static_cast<char>(data[0]));
  const std::string frame(reinterpret_cast<const char*>(data) + 2, size - 2);
  ColumnVector frames(DataType::kMap);
  frames.values<std::string_view>().push_back(frame);
  frames.SetSize(1);
  constexpr DataType kTypes[] = {DataType::kInt,     DataType::kLong,   DataType::kFloat,
                                 DataType::kDouble,  DataType::kString, DataType::kBigDecimal,
                                 DataType::kBoolean, DataType::kBytes};
  ColumnVector out;
  const std::string_view name = data[1] & 8 ? std::string_view() : std::string_view(key);
  if (column::ReadMapKey(frames, name, kTypes[data[1] % 8], out).ok()) (void)out.Get(0);
  const auto json = column::MapFrameToJson(frame);
  if (json.ok()) TRELLIS_CHECK(column::FindMapKey(frame, name).ok());
  return 0;
}
