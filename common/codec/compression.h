#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/status.h"

namespace trellis::codec {

// Chunk compression of raw forward indexes: the codes of their file headers
// (pinot-segment-format.md 5.2).
enum class Compression : int32_t {
  kPassThrough = 0,
  kSnappy = 1,             // a raw block, no stream framing
  kZstandard = 2,          // one frame with its content size
  kLz4 = 3,                // a block without any size
  kLz4LengthPrefixed = 4,  // i32 LE uncompressed size, then an LZ4 block
  kGzip = 5,               // a zlib stream, then its uncompressed size as i32
  kDelta = 6,              // fixed width only: the first value, an LZ4 block of differences
  kDeltaDelta = 7,         // the same with differences of differences
};

// Byte order of GZIP's size trailer, which the container decides (pinot-segment-format.md 5.2).
enum class SizeTrailer : uint8_t { kBigEndian, kLittleEndian };

// "ZSTANDARD": Pinot's spelling.
std::string_view CompressionName(Compression compression);
// Errors: Corrupt for a code that no release wrote.
Result<Compression> ParseCompression(int32_t code);

}  // namespace trellis::codec
