#include "common/codec/decompress.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>

namespace trellis::codec {
namespace {

// The most bytes that one byte of input can stand for, with slack: a declared size beyond it is a
// lie that would only cost memory. LZ4: a length byte adds 255. Snappy: a copy of 64 bytes takes 3.
// Deflate: 1032. Zstandard: an RLE block of 128 KiB takes 4 bytes.
constexpr size_t kLz4RatioMax = 256;
constexpr size_t kSnappyRatioMax = 32;
constexpr size_t kDeflateRatioMax = 1040;
constexpr size_t kZstandardRatioMax = 128 * 1024 / 3;
constexpr size_t kRatioSlackBytes = 256 * 1024;

Status CheckDeclared(std::string_view codec, uint64_t declared, size_t input_size, size_t ratio_max,
                     size_t size_bytes_max) {
  if (declared > size_bytes_max) {
    return Status::Corrupt("{} chunk declares {} bytes, at most {} are possible here", codec,
                           declared, size_bytes_max);
  }
  if (declared / ratio_max > input_size + kRatioSlackBytes / ratio_max) {
    return Status::Corrupt("{} chunk of {} bytes declares {} bytes", codec, input_size, declared);
  }
  return {};
}

Status InflateSnappy(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  const char* data = reinterpret_cast<const char*>(input.data());
  size_t declared = 0;
  if (!snappy::GetUncompressedLength(data, input.size(), &declared)) {
    return Status::Corrupt("SNAPPY chunk of {} bytes has no length", input.size());
  }
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("SNAPPY", declared, input.size(), kSnappyRatioMax, size_bytes_max));
  char* to = reinterpret_cast<char*>(out.Prepare(declared));
  if (!snappy::RawUncompress(data, input.size(), to)) {
    return Status::Corrupt("SNAPPY chunk of {} bytes does not inflate to its {} bytes",
                           input.size(), declared);
  }
  return {};
}

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Status InflateZstandard(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  const unsigned long long declared = ZSTD_getFrameContentSize(input.data(), input.size());
  if (declared == ZSTD_CONTENTSIZE_ERROR || declared == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Status::Corrupt("ZSTANDARD chunk of {} bytes has no frame header with a content size",
                           input.size());
  }
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("ZSTANDARD", declared, input.size(), kZstandardRatioMax, size_bytes_max));
  static thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return Status::ResourceExhausted("no memory for a ZSTANDARD context");
  uint8_t* to = out.Prepare(declared);
  const size_t size = ZSTD_decompressDCtx(context.get(), to, declared, input.data(), input.size());
  if (ZSTD_isError(size)) return Status::Corrupt("ZSTANDARD chunk: {}", ZSTD_getErrorName(size));
  if (size != declared) {
    return Status::Corrupt("ZSTANDARD chunk inflates to {} bytes, it declares {}", size, declared);
  }
  return {};
}

// Inflates a bare block to at most `capacity` bytes; returns their number.
Result<size_t> InflateLz4Block(ByteView input, size_t capacity, InflatedBuffer& out) {
  constexpr size_t kIntMax = std::numeric_limits<int>::max();
  if (input.size() > kIntMax || capacity > kIntMax) {
    return Status::Corrupt("LZ4 block of {} bytes is too large", input.size());
  }
  uint8_t* to = out.Prepare(capacity);
  const int size =
      LZ4_decompress_safe(reinterpret_cast<const char*>(input.data()), reinterpret_cast<char*>(to),
                          static_cast<int>(input.size()), static_cast<int>(capacity));
  if (size < 0) {
    return Status::Corrupt("LZ4 block of {} bytes does not inflate into {} bytes", input.size(),
                           capacity);
  }
  return static_cast<size_t>(size);
}

Status InflateLz4(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  const size_t possible = input.size() * kLz4RatioMax + 16;
  TRELLIS_ASSIGN_OR_RETURN(const size_t size,
                           InflateLz4Block(input, std::min(size_bytes_max, possible), out));
  out.Shrink(size);
  return {};
}

Status InflateLz4LengthPrefixed(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  if (input.size() < 4)
    return Status::Corrupt("LZ4 chunk of {} bytes has no length prefix", input.size());
  const uint32_t declared = LoadLittleEndian<uint32_t>(input.data());
  const ByteView block = input.subspan(4);
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("LZ4", declared, block.size(), kLz4RatioMax, size_bytes_max));
  TRELLIS_ASSIGN_OR_RETURN(const size_t size, InflateLz4Block(block, declared, out));
  if (size != declared) {
    return Status::Corrupt("LZ4 chunk inflates to {} bytes, its prefix says {}", size, declared);
  }
  return {};
}

Status InflateGzip(ByteView input, SizeTrailer trailer, size_t size_bytes_max,
                   InflatedBuffer& out) {
  if (input.size() < 4)
    return Status::Corrupt("GZIP chunk of {} bytes has no size trailer", input.size());
  const uint8_t* at = input.data() + input.size() - 4;
  const uint32_t declared = trailer == SizeTrailer::kBigEndian ? LoadBigEndian<uint32_t>(at)
                                                               : LoadLittleEndian<uint32_t>(at);
  const ByteView stream = input.first(input.size() - 4);
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("GZIP", declared, stream.size(), kDeflateRatioMax, size_bytes_max));
  uLongf size = declared;
  uLong used = stream.size();
  const int code = uncompress2(out.Prepare(declared), &size, stream.data(), &used);
  if (code != Z_OK)
    return Status::Corrupt("GZIP chunk of {} bytes does not inflate: zlib {}", input.size(), code);
  if (size != declared || used != stream.size()) {
    return Status::Corrupt("GZIP chunk inflates to {} bytes from {} of {}, its trailer says {}",
                           size, used, stream.size(), declared);
  }
  return {};
}

}  // namespace

std::string_view CompressionName(Compression compression) {
  switch (compression) {
    case Compression::kPassThrough:
      return "PASS_THROUGH";
    case Compression::kSnappy:
      return "SNAPPY";
    case Compression::kZstandard:
      return "ZSTANDARD";
    case Compression::kLz4:
      return "LZ4";
    case Compression::kLz4LengthPrefixed:
      return "LZ4_LENGTH_PREFIXED";
    case Compression::kGzip:
      return "GZIP";
    case Compression::kDelta:
      return "DELTA";
    case Compression::kDeltaDelta:
      return "DELTADELTA";
  }
  return "?";
}

Result<Compression> ParseCompression(int32_t code) {
  if (code < 0 || code > static_cast<int32_t>(Compression::kDeltaDelta)) {
    return Status::Corrupt("compression code {} is not known", code);
  }
  return static_cast<Compression>(code);
}

Status Decompress(Compression compression, ByteView input, SizeTrailer trailer,
                  size_t size_bytes_max, InflatedBuffer& out) {
  const size_t limit = std::min(size_bytes_max, kInflatedSizeBytesMax);
  switch (compression) {
    case Compression::kPassThrough:
      return Status::Internal("PASS_THROUGH bytes are used in place");
    case Compression::kSnappy:
      return InflateSnappy(input, limit, out);
    case Compression::kZstandard:
      return InflateZstandard(input, limit, out);
    case Compression::kLz4:
      return InflateLz4(input, limit, out);
    case Compression::kLz4LengthPrefixed:
      return InflateLz4LengthPrefixed(input, limit, out);
    case Compression::kGzip:
      return InflateGzip(input, trailer, limit, out);
    case Compression::kDelta:
    case Compression::kDeltaDelta:
      break;
  }
  return Status::Unimplemented("chunk compression {} is not supported yet",
                               CompressionName(compression));
}

}  // namespace trellis::codec
