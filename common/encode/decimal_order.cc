#include "common/encode/decimal_order.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "common/base/bytes.h"

namespace trellis::encode {
namespace {

using Integer = BigDecimal::Integer;

constexpr size_t kScaleSizeBytes = 2;

// Most decimals fit 8 bytes and need no big numbers.
bool ReadShort(std::string_view stored, int64_t& unscaled) {
  const size_t size = stored.size() - kScaleSizeBytes;
  if (size > sizeof(int64_t)) return false;
  uint64_t bits = 0;
  for (const char c : stored.substr(kScaleSizeBytes)) bits = bits << 8 | static_cast<uint8_t>(c);
  const auto unused = static_cast<int>(64 - 8 * size);
  unscaled = static_cast<int64_t>(bits << unused) >> unused;
  return true;
}

void WriteKey(int64_t scale, std::string_view digits, std::string& key) {
  key.assign(reinterpret_cast<const char*>(&scale), sizeof(scale));
  key.append(digits);
}

// Sorts without bringing numbers of far-apart scales to one: `magnitude` is the power of ten of the
// first digit.
struct Decimal {
  BigDecimal value;
  int sign;
  int64_t magnitude;
};

Decimal Parse(std::string_view stored) {
  Decimal decimal{BigDecimal::FromBytes(stored).value(), 0, 0};
  const Integer& unscaled = decimal.value.unscaled();
  decimal.sign = unscaled.sign();
  const Integer positive = boost::multiprecision::abs(unscaled);
  decimal.magnitude = static_cast<int64_t>(positive.str().size()) - decimal.value.scale();
  return decimal;
}

bool IsLess(const Decimal& a, const Decimal& b) {
  if (a.sign != b.sign) return a.sign < b.sign;
  if (a.sign != 0 && a.magnitude != b.magnitude) return (a.magnitude < b.magnitude) == (a.sign > 0);
  return a.sign != 0 && a.value.Compare(b.value) < 0;
}

}  // namespace

Status DecimalKey(std::string_view stored, std::string& key) {
  if (stored.size() <= kScaleSizeBytes)
    return Status::InvalidArgument("{} bytes are no BIG_DECIMAL", stored.size());
  int64_t scale = LoadBigEndian<int16_t>(AsBytes(stored).data());
  int64_t unscaled = 0;
  if (!ReadShort(stored, unscaled)) {
    const auto decimal = BigDecimal::FromBytes(stored);
    if (!decimal.ok()) return Status::InvalidArgument("{}", decimal.status().message());
    std::string digits = decimal->unscaled().str();
    const size_t end = std::min(digits.find_last_not_of('0') + 1, digits.size());
    scale -= static_cast<int64_t>(digits.size() - end);
    digits.resize(end);
    // Without its zeros a number may fit 8 bytes after all.
    if (std::from_chars(digits.data(), digits.data() + end, unscaled).ec != std::errc() &&
        end > 0) {
      WriteKey(scale, digits, key);
      return {};
    }
  }
  for (; unscaled != 0 && unscaled % 10 == 0; unscaled /= 10) --scale;
  if (unscaled == 0) scale = 0;
  WriteKey(scale, {reinterpret_cast<const char*>(&unscaled), sizeof(unscaled)}, key);
  return {};
}

std::vector<uint32_t> OrderOfDecimals(const std::vector<std::string_view>& stored) {
  std::vector<Decimal> decimals;
  decimals.reserve(stored.size());
  for (const std::string_view bytes : stored) decimals.push_back(Parse(bytes));
  std::vector<uint32_t> order(stored.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return IsLess(decimals[a], decimals[b]); });
  return order;
}

}  // namespace trellis::encode
