#include "common/types/order_key.h"

#include <bit>
#include <cmath>
#include <limits>

namespace trellis {
namespace {

std::optional<int64_t> KeyOfNumber(double value) {
  if (std::isnan(value)) return std::nullopt;
  const auto bits = std::bit_cast<int64_t>(value);
  // Larger magnitudes of negative values have larger bits: all but the sign are turned round.
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

// Byte order to UTF-16 order: surrogate pairs (leads F0..F4) come before U+E000..U+FFFF (leads EE,
// EF). See CompareUtf16.
uint8_t Utf16Rank(uint8_t byte) {
  if (byte >= 0xF0 && byte <= 0xF4) return byte - 2;
  if (byte == 0xEE || byte == 0xEF) return byte + 5;
  return byte;
}

int64_t KeyOfText(std::string_view text) {
  uint64_t key = 0;
  for (size_t i = 0; i < sizeof(key); ++i)
    key = key << 8 | (i < text.size() ? Utf16Rank(static_cast<uint8_t>(text[i])) : 0);
  return static_cast<int64_t>(key ^ uint64_t{1} << 63);
}

}  // namespace

std::optional<int64_t> OrderKey(const Value& value) {
  if (value.is_null() || value.is_array()) return std::nullopt;
  switch (value.type()) {
    case DataType::kInt:
    case DataType::kBoolean:
      return value.int32();
    case DataType::kLong:
    case DataType::kTimestamp:
      return value.int64();
    case DataType::kFloat:
      return KeyOfNumber(value.float32());
    case DataType::kDouble:
      return KeyOfNumber(value.float64());
    case DataType::kString:
      return KeyOfText(value.bytes());
    default:
      return std::nullopt;
  }
}

}  // namespace trellis
