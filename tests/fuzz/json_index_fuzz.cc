#include <vector>

#include "common/index/json_index.h"

// Opens arbitrary bytes as a JSON index, looks keys up and walks it.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 2) return 0;
  const uint32_t documents = LoadLittleEndian<uint16_t>(data);
  const std::vector<uint8_t> payload(data + 2, data + size);
  const auto json = index::JsonIndex::Open(payload, documents);
  if (!json.ok()) return 0;
  const bool good = (*json)->Check().ok();
  for (const auto& found : {(*json)->Documents(".a"), (*json)->Documents(".a", "x"),
                            (*json)->Documents(".tags.", "q"), (*json)->Documents("")}) {
    if (good) TRELLIS_CHECK(found.ok());
    if (found.ok()) TRELLIS_CHECK(found->isEmpty() || found->maximum() < documents);
  }
  return 0;
}
