#pragma once

#include <span>

#include "common/base/bytes.h"
#include "common/codec/compression.h"

namespace trellis::codec {

// No chunk or value that is compressed may be larger: readers refuse them (kInflatedSizeBytesMax).
inline constexpr size_t kCompressInputBytesMax = size_t{1} << 30;

// The most bytes that Compress writes for `size` bytes. REQUIRES: size <= kCompressInputBytesMax.
size_t CompressBound(Compression compression, size_t size);

// Compresses `input` as Pinot's writers frame it (pinot-segment-format.md 5.2) and returns how many
// bytes of `out` were written. ZSTANDARD has level 3, GZIP zlib's default level; DELTA and
// DELTADELTA take values big-endian, 8 bytes each where the length allows it. Contexts are kept by
// the thread, so that a call allocates nothing (but SNAPPY's table, which that library takes per
// call). Errors: InvalidArgument for an input that is too large or, with DELTA and DELTADELTA, not
// made of values; Internal for PASS_THROUGH, whose bytes are stored as they are, and when the
// library fails. Thread-safe.
// REQUIRES: out.size() >= CompressBound(compression, input.size()); the ranges do not overlap.
Result<size_t> Compress(Compression compression, ByteView input, SizeTrailer trailer,
                        std::span<uint8_t> out);

}  // namespace trellis::codec
