#include "common/index/bloom_filter.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "common/format/murmur3.h"
#include "common/types/java_text.h"

namespace trellis::index {
namespace {

constexpr int32_t kType = 1;
constexpr int32_t kVersion = 1;
constexpr uint8_t kStrategy = 1;  // Guava's MURMUR128_MITZ_64
constexpr size_t kHeaderSizeBytes = 14;

// The text of a floating value, where every JDK writes the same: those before 19 wrote some values
// in exponent form, and some of many digits, otherwise than later ones do, and the JDK that wrote
// the filter is not known. Zeros have two texts and are equal.
std::optional<std::string> FloatingText(double value, std::string text, int64_t digits_max,
                                        double integral_below) {
  const double size = std::fabs(value);
  if (size == 0) return std::nullopt;
  if (size < integral_below && size == std::trunc(size)) return text;
  const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return c >= '0'; });
  constexpr double kPlainFrom = 1e-3, kPlainBelow = 1e7;
  if (size >= kPlainFrom && size < kPlainBelow && digits <= digits_max) return text;
  return std::nullopt;
}

// The text under which Pinot's filter holds a value: Java's toString of the stored value. It
// differs from ValueToText for BOOLEAN (0/1), TIMESTAMP (milliseconds) and UUID (hex). nullopt
// where Java's text of the stored value cannot be told from the value: equal decimals of another
// scale were hashed as other texts.
std::optional<std::string> KeyText(const Value& value) {
  switch (value.type()) {
    case DataType::kInt:
    case DataType::kBoolean:
      return std::to_string(value.int32());
    case DataType::kLong:
    case DataType::kTimestamp:
      return std::to_string(value.int64());
    case DataType::kFloat:
      return FloatingText(value.float32(), JavaFloatText(value.float32()), 6, 1 << 24);
    case DataType::kDouble:
      return FloatingText(value.float64(), JavaDoubleText(value.float64()), 15, 0x1p53);
    case DataType::kString:
    case DataType::kJson:
      return value.bytes();
    case DataType::kBytes:
    case DataType::kUuid:
      return HexText(value.bytes());
    default:
      return std::nullopt;
  }
}

}  // namespace

Result<std::unique_ptr<BloomFilter>> BloomFilter::Open(ByteView payload) {
  ByteReader reader(payload);
  TRELLIS_ASSIGN_OR_RETURN(const int32_t type, reader.ReadBigEndian<int32_t>());
  TRELLIS_ASSIGN_OR_RETURN(const int32_t version, reader.ReadBigEndian<int32_t>());
  TRELLIS_ASSIGN_OR_RETURN(const uint8_t strategy, reader.ReadBigEndian<uint8_t>());
  TRELLIS_ASSIGN_OR_RETURN(const uint8_t hashes, reader.ReadBigEndian<uint8_t>());
  TRELLIS_ASSIGN_OR_RETURN(const int32_t words, reader.ReadBigEndian<int32_t>());
  if (type != kType || version != kVersion || strategy != kStrategy) {
    return Status::Unimplemented("bloom filter of type {}, version {}, strategy {}", type, version,
                                 strategy);
  }
  if (hashes == 0 || words <= 0 ||
      static_cast<size_t>(words) * 8 != payload.size() - kHeaderSizeBytes) {
    return Status::Corrupt("bloom filter of {} bytes says {} words and {} hashes", payload.size(),
                           words, hashes);
  }
  return std::unique_ptr<BloomFilter>(new BloomFilter(payload.subspan(kHeaderSizeBytes), hashes));
}

bool BloomFilter::MayContain(const Value& value) const {
  if (value.is_null() || value.is_array()) return true;
  const std::optional<std::string> text = KeyText(value);
  if (!text.has_value()) return true;
  const format::Hash128 hash = format::Murmur3(*text);
  const uint64_t bits = uint64_t{words_.size()} * 8;
  uint64_t combined = hash.low;
  for (int i = 0; i < hashes_; ++i) {
    const uint64_t bit = (combined & INT64_MAX) % bits;
    const uint64_t word = LoadBigEndian<uint64_t>(words_.data() + bit / 64 * 8);
    if ((word >> (bit % 64) & 1) == 0) return false;
    combined += hash.high;
  }
  return true;
}

}  // namespace trellis::index
