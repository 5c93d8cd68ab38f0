#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "common/index/range_index.h"
#include "common/types/value_payload.h"

namespace trellis::index {

inline constexpr int32_t kBucketedVersion = 1;
inline constexpr int32_t kBitSlicedVersion = 2;

// The two layouts; `payload` begins with the version.
Result<std::unique_ptr<RangeIndex>> OpenBucketedRangeIndex(ByteView payload,
                                                           const RangeIndexShape& shape);
Result<std::unique_ptr<RangeIndex>> OpenBitSlicedRangeIndex(ByteView payload,
                                                            const RangeIndexShape& shape);

// A range with its ends: nullopt where nothing lies in it.
template <class T>
struct ClosedRange {
  T low;
  T high;
};

// The integers of `range`; its open ends become those of T.
template <class T>
std::optional<ClosedRange<T>> CloseRange(const ValueRange& range) {
  ClosedRange<T> closed{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  if (range.lower) {
    closed.low = PayloadAs<T>(*range.lower);
    if (!range.lower_inclusive) {
      if (closed.low == std::numeric_limits<T>::max()) return std::nullopt;
      ++closed.low;
    }
  }
  if (range.upper) {
    closed.high = PayloadAs<T>(*range.upper);
    if (!range.upper_inclusive) {
      if (closed.high == std::numeric_limits<T>::min()) return std::nullopt;
      --closed.high;
    }
  }
  if (closed.low > closed.high) return std::nullopt;
  return closed;
}

}  // namespace trellis::index
