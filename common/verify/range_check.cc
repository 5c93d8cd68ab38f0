#include "common/verify/range_check.h"

namespace trellis::verify {

std::unique_ptr<RangeCheck> OpenRangeCheck(ByteView bytes, const RangeShape& shape, FaultLog log) {
  if (bytes.size() < 4) {
    log.Fault(0, "a version", fmt::format("{} bytes", bytes.size()));
    return nullptr;
  }
  const int32_t version = LoadBigEndian<int32_t>(bytes.data());
  if (version == 1) return OpenRangeCheckV1(bytes, shape, std::move(log));
  if (version == 2) return OpenRangeCheckV2(bytes, shape, std::move(log));
  log.Fault(0, "version 1 or 2", std::to_string(version));
  return nullptr;
}

}  // namespace trellis::verify
