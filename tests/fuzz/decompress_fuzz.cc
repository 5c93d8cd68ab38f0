#include <algorithm>
#include <vector>

#include "common/codec/decompress.h"

// Inflates arbitrary bytes by the codec, trailer order and limit that the first two bytes choose.
// What comes out keeps to the limit, and so does the memory that is held for it.

namespace {

using namespace trellis;

constexpr size_t kLimits[] = {0, 1, 64, 4096, size_t{1} << 20, SIZE_MAX};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const auto compression = codec::ParseCompression(data[0] % 8);
  const auto trailer =
      data[1] & 1 ? codec::SizeTrailer::kLittleEndian : codec::SizeTrailer::kBigEndian;
  const size_t limit = kLimits[(data[1] >> 1) % std::size(kLimits)];
  // An exact copy, so that reading one byte past the end is seen.
  const std::vector<uint8_t> payload(data + 2, data + size);
  codec::InflatedBuffer out;
  const Status status = codec::Decompress(*compression, payload, trailer, limit, out);
  TRELLIS_CHECK(out.capacity_bytes() <= std::min(limit, codec::kInflatedSizeBytesMax));
  if (!status.ok()) {
    const bool in_place = *compression == codec::Compression::kPassThrough;
    TRELLIS_CHECK(in_place ? status.code() == StatusCode::kInternal : status.IsCorrupt());
    return 0;
  }
  TRELLIS_CHECK(out.view().size() <= limit);
  uint64_t sum = 0;
  for (const uint8_t byte : out.view()) sum += byte;
  volatile uint64_t sink = sum;
  (void)sink;
  return 0;
}
