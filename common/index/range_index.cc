#include "common/index/range_index.h"

#include "common/index/range_index_versions.h"

namespace trellis::index {
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
