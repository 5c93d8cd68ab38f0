#pragma once

#include "common/base/bytes.h"
#include "common/codec/compression.h"
#include "common/codec/inflated_buffer.h"

namespace trellis::codec {

// No inflated chunk or value may be larger, whatever a header says.
inline constexpr size_t kInflatedSizeBytesMax = size_t{1} << 30;

// Inflates `input` into `out`. The result has at most `size_bytes_max` bytes (and
// kInflatedSizeBytesMax). Memory is taken only after the size that the frame declares was found to
// be within that limit and possible for so little input; what comes out must have exactly that
// size. LZ4 declares none: memory grows with its content, up to the limit. DELTA and DELTADELTA
// give the values big-endian, in the width of the column. PASS_THROUGH is refused (Internal): its
// bytes are used where they lie. Errors: Corrupt, naming the limit that was passed. Thread-safe.
Status Decompress(Compression compression, ByteView input, SizeTrailer trailer,
                  size_t size_bytes_max, InflatedBuffer& out);

// How often this thread has called Decompress: what a scan costs, for benchmarks and tests.
uint64_t DecompressCalls();

}  // namespace trellis::codec
