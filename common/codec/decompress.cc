#include "common/codec/decompress.h"

#include <lz4.h>
#include <snappy-sinksource.h>
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

// The name of the limit that bounds a chunk, for errors.
std::string_view LimitName(size_t size_bytes_max) {
  return size_bytes_max == kInflatedSizeBytesMax ? "inflated_size_bytes_max"
                                                 : "chunk_size_bytes_max";
}

Status CheckDeclared(std::string_view codec, uint64_t declared, size_t input_size, size_t ratio_max,
                     size_t size_bytes_max) {
  if (declared > size_bytes_max) {
    return Status::Corrupt("{} chunk declares {} bytes, {} is {}", codec, declared,
                           LimitName(size_bytes_max), size_bytes_max);
  }
  if (declared / ratio_max > input_size + kRatioSlackBytes / ratio_max) {
    return Status::Corrupt("{} chunk of {} bytes declares {} bytes, inflation_ratio_max is {}",
                           codec, input_size, declared, ratio_max);
  }
  return {};
}

// A SNAPPY chunk whose declared length is read once: snappy reads it again before it inflates, and
// the bytes of a mapped file may have changed by then.
class SnappySource final : public snappy::Source {
 public:
  explicit SnappySource(ByteView input) : rest_(reinterpret_cast<const char*>(input.data())) {
    rest_size_ = input.size();
    while (head_size_ < std::min(sizeof head_, input.size())) {
      head_[head_size_] = *rest_++;
      --rest_size_;
      if ((head_[head_size_++] & 0x80) == 0) break;
    }
  }
  // Before anything is taken.
  bool DeclaredLength(size_t& size) const {
    return snappy::GetUncompressedLength(head_, head_size_, &size);
  }

  size_t Available() const override { return head_size_ - head_taken_ + rest_size_; }
  const char* Peek(size_t* size) override {
    const bool in_head = head_taken_ < head_size_;
    *size = in_head ? head_size_ - head_taken_ : rest_size_;
    return in_head ? head_ + head_taken_ : rest_;
  }
  void Skip(size_t count) override {
    const size_t of_head = std::min(count, head_size_ - head_taken_);
    head_taken_ += of_head;
    rest_ += count - of_head;
    rest_size_ -= count - of_head;
  }

 private:
  char head_[5];
  size_t head_size_ = 0;
  size_t head_taken_ = 0;
  const char* rest_;
  size_t rest_size_ = 0;
};

Status InflateSnappy(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  SnappySource source(input);
  size_t declared = 0;
  if (!source.DeclaredLength(declared)) {
    return Status::Corrupt("SNAPPY chunk of {} bytes has no length", input.size());
  }
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("SNAPPY", declared, input.size(), kSnappyRatioMax, size_bytes_max));
  char* to = reinterpret_cast<char*>(out.Prepare(declared));
  if (!snappy::RawUncompress(&source, to)) {
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

// Inflates a bare block into `to`; returns the bytes written, or a negative number when the block
// is malformed or longer: LZ4 does not tell which.
Result<int> InflateLz4Block(ByteView input, uint8_t* to, size_t capacity) {
  constexpr size_t kIntMax = std::numeric_limits<int>::max();
  if (input.size() > kIntMax || capacity > kIntMax) {
    return Status::Corrupt("LZ4 block of {} bytes is too large", input.size());
  }
  return LZ4_decompress_safe(reinterpret_cast<const char*>(input.data()),
                             reinterpret_cast<char*>(to), static_cast<int>(input.size()),
                             static_cast<int>(capacity));
}

// A bare block says nowhere how long it is. Up to kGuessBytesMax the limit itself is taken; beyond,
// the guess doubles until the block fits, so that memory follows the content and not a header.
Status InflateLz4(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  constexpr size_t kGuessBytesMax = size_t{16} << 20;
  const size_t most = std::min(size_bytes_max, input.size() * kLz4RatioMax + 16);
  size_t capacity = std::min(most, std::max(kGuessBytesMax, input.size() + input.size() / 4));
  while (true) {
    TRELLIS_ASSIGN_OR_RETURN(const int size,
                             InflateLz4Block(input, out.Prepare(capacity), capacity));
    if (size >= 0) {
      out.Shrink(static_cast<size_t>(size));
      return {};
    }
    if (capacity == most) {
      return Status::Corrupt(
          "LZ4 chunk of {} bytes is damaged or inflates beyond {} bytes, {} is {}", input.size(),
          most, LimitName(size_bytes_max), size_bytes_max);
    }
    capacity = std::min(most, capacity * 2);
  }
}

Status InflateLz4LengthPrefixed(ByteView input, size_t size_bytes_max, InflatedBuffer& out) {
  if (input.size() < 4)
    return Status::Corrupt("LZ4 chunk of {} bytes has no length prefix", input.size());
  const uint32_t declared = LoadLittleEndian<uint32_t>(input.data());
  const ByteView block = input.subspan(4);
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared("LZ4", declared, block.size(), kLz4RatioMax, size_bytes_max));
  TRELLIS_ASSIGN_OR_RETURN(const int size, InflateLz4Block(block, out.Prepare(declared), declared));
  if (size < 0 || static_cast<uint32_t>(size) != declared) {
    return Status::Corrupt("LZ4 chunk of {} bytes does not inflate to the {} bytes of its prefix",
                           input.size(), declared);
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

// Makes values, big-endian, of the differences behind the first value, in place. Sums wrap around.
template <class T>
void SumDeltas(uint8_t* values, uint32_t count, bool second_order) {
  T value = LoadBigEndian<T>(values), step = 0;
  for (uint32_t i = 1; i < count; ++i) {
    uint8_t* at = values + size_t{i} * sizeof(T);
    const T read = LoadBigEndian<T>(at);
    step = second_order ? static_cast<T>(step + read) : read;
    value += step;
    StoreBigEndian(value, at);
  }
}

// u8 flag (1: values of 8 bytes, else of 4), i32 BE n, the first value, then for n > 1: i32 BE size
// and an LZ4 block of n-1 differences. An INT chunk with an even number of values is stored as n/2
// values of 8 bytes; as bytes they are the same.
Status InflateDeltas(Compression compression, ByteView input, size_t size_bytes_max,
                     InflatedBuffer& out) {
  constexpr size_t kHeadSizeBytes = 5;
  const std::string_view name = CompressionName(compression);
  if (input.size() < kHeadSizeBytes || input[0] > 1) {
    return Status::Corrupt("{} chunk of {} bytes has no header (flag {})", name, input.size(),
                           input.empty() ? -1 : input[0]);
  }
  const uint64_t width = input[0] == 1 ? 8 : 4;
  const uint32_t count = LoadBigEndian<uint32_t>(input.data() + 1);
  const uint64_t declared = count * width;
  TRELLIS_RETURN_IF_ERROR(
      CheckDeclared(name, declared, input.size(), kLz4RatioMax, size_bytes_max));
  const uint64_t head = kHeadSizeBytes + (count > 0 ? width : 0) + (count > 1 ? 4 : 0);
  if (input.size() < head || (count < 2 && input.size() != head)) {
    return Status::Corrupt("{} chunk of {} bytes declares {} values", name, input.size(), count);
  }
  uint8_t* to = out.Prepare(declared);
  if (count == 0) return {};
  std::memcpy(to, input.data() + kHeadSizeBytes, width);
  if (count == 1) return {};
  const ByteView block = input.subspan(head);
  const uint32_t block_size = LoadBigEndian<uint32_t>(block.data() - 4);
  if (block_size != block.size()) {
    return Status::Corrupt("{} chunk declares a block of {} bytes, {} follow", name, block_size,
                           block.size());
  }
  TRELLIS_ASSIGN_OR_RETURN(const int size, InflateLz4Block(block, to + width, declared - width));
  if (size < 0 || static_cast<uint64_t>(size) != declared - width) {
    return Status::Corrupt("{} chunk of {} bytes does not inflate to its {} differences", name,
                           input.size(), count - 1);
  }
  const bool second_order = compression == Compression::kDeltaDelta;
  if (width == 8) {
    SumDeltas<uint64_t>(to, count, second_order);
  } else {
    SumDeltas<uint32_t>(to, count, second_order);
  }
  return {};
}

thread_local uint64_t g_decompress_calls = 0;

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
  ++g_decompress_calls;
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
      return InflateDeltas(compression, input, limit, out);
  }
  return Status::Internal("compression code {}", static_cast<int32_t>(compression));
}

uint64_t DecompressCalls() { return g_decompress_calls; }

}  // namespace trellis::codec
