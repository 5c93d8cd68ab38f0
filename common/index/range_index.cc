#include "common/index/range_index.h"

#include <bit>
#include <cmath>

#include "common/index/range_index_versions.h"

namespace trellis::index {
namespace {

template <class Bits, class T>
Bits OrderedBitsOf(T value) {
  constexpr Bits kTop = Bits{1} << (sizeof(Bits) * 8 - 1);
  if (std::isnan(value)) return 0;
  if (std::isinf(value)) return value > 0 ? ~Bits{0} : 0;
  const Bits bits = std::bit_cast<Bits>(value);
  if (bits == kTop) return kTop;  // -0.0, as 0.0
  return bits & kTop ? static_cast<Bits>(~bits) : static_cast<Bits>(bits ^ kTop);
}

}  // namespace

uint32_t OrderedBits(float value) { return OrderedBitsOf<uint32_t>(value); }
uint64_t OrderedBits(double value) { return OrderedBitsOf<uint64_t>(value); }

Result<std::unique_ptr<RangeIndex>> RangeIndex::Open(ByteView payload,
                                                     const RangeIndexShape& shape) {
  if (payload.size() < sizeof(int32_t))
    return Status::Corrupt("range index of {} bytes", payload.size());
  const auto version = LoadBigEndian<int32_t>(payload.data());
  if (version != kBucketedVersion && version != kBitSlicedVersion)
    return Status::Unimplemented("range index of version {}", version);
  if (!shape.has_dictionary && PhysicalOf(shape.type) == Physical::kBytes) {
    return Status::Unimplemented("range index over {} without a dictionary",
                                 DataTypeName(shape.type));
  }
  return version == kBucketedVersion ? OpenBucketedRangeIndex(payload, shape)
                                     : OpenBitSlicedRangeIndex(payload, shape);
}

}  // namespace trellis::index
