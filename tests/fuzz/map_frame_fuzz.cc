#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "common/column/map_frame.h"
#include "common/column/map_keys.h"

// Reads arbitrary bytes as MAP frames: their keys, their JSON, the first key's value as every type,
// and several keys of several frames in one walk, which must find what a plain walk finds.
//
// Input: a key of one byte; a byte that says the type, whether the key is empty and how many other
// keys are looked for; the frame. The other keys are the first ones of the frame itself.

namespace trellis {
namespace {

uint64_t NumberAt(std::string_view frame, size_t at) {
  uint64_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(frame[at + i]);
  return number;
}

using Entries = std::vector<std::pair<std::string_view, std::string_view>>;
// The entries that lie whole in the frame; nullopt when there are fewer than it says.
std::optional<Entries> PlainEntries(std::string_view frame, Entries& whole) {
  if (frame.size() < 4 || NumberAt(frame, 0) > INT32_MAX) return std::nullopt;
  size_t at = 4;
  for (uint64_t left = NumberAt(frame, 0); left > 0; --left) {
    std::string_view texts[2];
    for (std::string_view& text : texts) {
      if (frame.size() - at < 4) return std::nullopt;
      const uint64_t size = NumberAt(frame, at);
      if (size > frame.size() - at - 4) return std::nullopt;
      text = frame.substr(at + 4, size);
      at += 4 + size;
    }
    whole.emplace_back(texts[0], texts[1]);
  }
  return whole;
}

void CompareKeys(std::string_view frame, const std::vector<std::string_view>& keys) {
  Entries whole;
  const bool complete = PlainEntries(frame, whole).has_value();
  std::vector<std::string_view> expected;
  for (const std::string_view key : keys) {
    const auto first = std::find_if(whole.begin(), whole.end(),
                                    [&](const auto& entry) { return entry.first == key; });
    expected.push_back(first == whole.end() ? std::string_view() : first->second);
  }
  const bool all_found = std::none_of(expected.begin(), expected.end(),
                                      [](std::string_view text) { return text.data() == nullptr; });
  // Enough rows for several to be walked in turns, good ones before the frame.
  const std::string_view empty("\0\0\0\0", 4);
  std::vector<std::string_view> rows(11, empty);
  rows.insert(rows.end(), 9, frame);
  std::vector<std::string_view> values(rows.size() * keys.size());
  size_t failed_row = 0;
  const column::MapKeySet set(keys);
  const Status status = set.Find(rows, nullptr, values.data(), failed_row);
  TRELLIS_CHECK(status.ok() == (complete || all_found));
  if (!status.ok()) {
    TRELLIS_CHECK(status.IsCorrupt() && failed_row == 11);
    return;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string_view want =
        i / keys.size() < 11 ? std::string_view() : expected[i % keys.size()];
    TRELLIS_CHECK(values[i].data() == want.data() && values[i].size() == want.size());
  }
}

void Fuzz(const std::string& key, uint8_t choice, const std::string& frame) {
  ColumnVector frames(DataType::kMap);
  frames.values<std::string_view>().push_back(frame);
  frames.SetSize(1);
  constexpr DataType kTypes[] = {DataType::kInt,     DataType::kLong,   DataType::kFloat,
                                 DataType::kDouble,  DataType::kString, DataType::kBigDecimal,
                                 DataType::kBoolean, DataType::kBytes};
  ColumnVector out;
  const std::string_view name = choice & 8 ? std::string_view() : std::string_view(key);
  if (column::ReadMapKey(frames, name, kTypes[choice % 8], out).ok()) (void)out.Get(0);
  const auto json = column::MapFrameToJson(frame);
  if (json.ok()) TRELLIS_CHECK(column::FindMapKey(frame, name).ok());
  Entries whole;
  (void)PlainEntries(frame, whole);
  std::vector<std::string_view> keys = {name};
  for (size_t i = 0; i < whole.size() && keys.size() <= choice >> 4U; ++i) {
    if (std::find(keys.begin(), keys.end(), whole[i].first) == keys.end())
      keys.push_back(whole[i].first);
  }
  CompareKeys(frame, keys);
}

}  // namespace
}  // namespace trellis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  trellis::Fuzz(std::string(1, static_cast<char>(data[0])), data[1],
                std::string(reinterpret_cast<const char*>(data) + 2, size - 2));
  return 0;
}
