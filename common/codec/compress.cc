#include "common/codec/compress.h"

#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <vector>

#include "common/codec/decompress.h"

namespace trellis::codec {
namespace {

constexpr int kZstandardLevel = 3;
// DELTA's header: flag, number of values, the first value, the block's size.
constexpr size_t kDeltaHeadSizeBytesMax = 1 + 4 + 8 + 4;

static_assert(kCompressInputBytesMax <= LZ4_MAX_INPUT_SIZE);
static_assert(kCompressInputBytesMax == kInflatedSizeBytesMax);

size_t Lz4Bound(size_t size) {
  return static_cast<size_t>(LZ4_compressBound(static_cast<int>(size)));
}

// LZ4_compress_default starts from an empty table that lies on the stack: the bytes depend on the
// input alone, and nothing is allocated.
Result<size_t> Lz4Block(ByteView input, std::span<uint8_t> out) {
  const int size = LZ4_compress_default(
      reinterpret_cast<const char*>(input.data()), reinterpret_cast<char*>(out.data()),
      static_cast<int>(input.size()), static_cast<int>(Lz4Bound(input.size())));
  if (size <= 0) return Status::Internal("LZ4 does not compress {} bytes", input.size());
  return static_cast<size_t>(size);
}

Result<size_t> Lz4LengthPrefixed(ByteView input, std::span<uint8_t> out) {
  const auto length = static_cast<uint32_t>(input.size());
  std::memcpy(out.data(), &length, sizeof length);
  TRELLIS_ASSIGN_OR_RETURN(const size_t size, Lz4Block(input, out.subspan(sizeof length)));
  return size + sizeof length;
}

size_t Snappy(ByteView input, std::span<uint8_t> out) {
  size_t size = 0;
  snappy::RawCompress(reinterpret_cast<const char*>(input.data()), input.size(),
                      reinterpret_cast<char*>(out.data()), &size);
  return size;
}

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

Result<size_t> Zstandard(ByteView input, std::span<uint8_t> out) {
  static thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  if (context == nullptr) return Status::ResourceExhausted("no memory for a ZSTANDARD context");
  const size_t size = ZSTD_compressCCtx(context.get(), out.data(), out.size(), input.data(),
                                        input.size(), kZstandardLevel);
  if (ZSTD_isError(size)) return Status::Internal("ZSTANDARD: {}", ZSTD_getErrorName(size));
  return size;
}

// zlib's state for one thread.
class Deflater {
 public:
  Deflater() { ready_ = deflateInit(&stream_, Z_DEFAULT_COMPRESSION) == Z_OK; }
  Deflater(const Deflater&) = delete;
  ~Deflater() {
    if (ready_) deflateEnd(&stream_);
  }

  Result<size_t> Run(ByteView input, std::span<uint8_t> out) {
    if (!ready_) return Status::ResourceExhausted("no memory for a GZIP context");
    if (deflateReset(&stream_) != Z_OK) return Status::Internal("zlib does not reset");
    stream_.next_in = const_cast<Bytef*>(input.data());  // zlib only reads it
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = deflate(&stream_, Z_FINISH);
    if (code != Z_STREAM_END) return Status::Internal("zlib answers {}", code);
    return static_cast<size_t>(stream_.total_out);
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

Result<size_t> Gzip(ByteView input, SizeTrailer trailer, std::span<uint8_t> out) {
  static thread_local Deflater deflater;
  TRELLIS_ASSIGN_OR_RETURN(const size_t size, deflater.Run(input, out.first(out.size() - 4)));
  const auto length = static_cast<uint32_t>(input.size());
  if (trailer == SizeTrailer::kBigEndian) {
    StoreBigEndian(length, out.data() + size);
  } else {
    std::memcpy(out.data() + size, &length, sizeof length);
  }
  return size + 4;
}

// Writes the differences between the neighbours of `count` values, count - 1 of them, or with
// `second_order` the first difference and then the differences between those. They wrap around.
template <class T>
void Differences(const uint8_t* values, size_t count, bool second_order, uint8_t* to) {
  T previous = LoadBigEndian<T>(values), step = 0;
  for (size_t i = 1; i < count; ++i) {
    const T value = LoadBigEndian<T>(values + i * sizeof(T));
    const T delta = value - previous;
    StoreBigEndian<T>(second_order ? delta - step : delta, to + (i - 1) * sizeof(T));
    step = delta;
    previous = value;
  }
}

Result<size_t> Deltas(Compression compression, ByteView input, std::span<uint8_t> out) {
  if (input.size() % 4 != 0) {
    return Status::InvalidArgument("{} of {} bytes, which are no values of 4 or 8 bytes",
                                   CompressionName(compression), input.size());
  }
  const bool wide = input.size() % 8 == 0;
  const size_t width = wide ? 8 : 4, count = input.size() / width;
  out[0] = wide ? 1 : 0;
  StoreBigEndian(static_cast<uint32_t>(count), out.data() + 1);
  if (count == 0) return size_t{5};
  std::memcpy(out.data() + 5, input.data(), width);
  if (count == 1) return 5 + width;
  static thread_local std::vector<uint8_t> differences;
  differences.resize(input.size() - width);
  const bool second_order = compression == Compression::kDeltaDelta;
  if (wide) {
    Differences<uint64_t>(input.data(), count, second_order, differences.data());
  } else {
    Differences<uint32_t>(input.data(), count, second_order, differences.data());
  }
  const size_t head = 5 + width + 4;
  TRELLIS_ASSIGN_OR_RETURN(const size_t block, Lz4Block(differences, out.subspan(head)));
  StoreBigEndian(static_cast<uint32_t>(block), out.data() + head - 4);
  return head + block;
}

}  // namespace

size_t CompressBound(Compression compression, size_t size) {
  switch (compression) {
    case Compression::kPassThrough:
      return size;
    case Compression::kSnappy:
      return snappy::MaxCompressedLength(size);
    case Compression::kZstandard:
      return ZSTD_compressBound(size);
    case Compression::kLz4:
      return Lz4Bound(size);
    case Compression::kLz4LengthPrefixed:
      return Lz4Bound(size) + 4;
    case Compression::kGzip:
      return compressBound(size) + 4;
    case Compression::kDelta:
    case Compression::kDeltaDelta:
      return Lz4Bound(size) + kDeltaHeadSizeBytesMax;
  }
  return size;
}

Result<size_t> Compress(Compression compression, ByteView input, SizeTrailer trailer,
                        std::span<uint8_t> out) {
  if (input.size() > kCompressInputBytesMax) {
    return Status::InvalidArgument("{} of {} bytes, compress_input_bytes_max is {}",
                                   CompressionName(compression), input.size(),
                                   kCompressInputBytesMax);
  }
  TRELLIS_CHECK(out.size() >= CompressBound(compression, input.size()));
  switch (compression) {
    case Compression::kPassThrough:
      return Status::Internal("PASS_THROUGH bytes are stored as they are");
    case Compression::kSnappy:
      return Snappy(input, out);
    case Compression::kZstandard:
      return Zstandard(input, out);
    case Compression::kLz4:
      return Lz4Block(input, out);
    case Compression::kLz4LengthPrefixed:
      return Lz4LengthPrefixed(input, out);
    case Compression::kGzip:
      return Gzip(input, trailer, out);
    case Compression::kDelta:
    case Compression::kDeltaDelta:
      return Deltas(compression, input, out);
  }
  return Status::Internal("compression code {}", static_cast<int32_t>(compression));
}

}  // namespace trellis::codec
