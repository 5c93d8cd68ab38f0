#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "common/base/bits.h"
#include "common/base/bytes.h"
#include "common/encode/index_writers.h"
#include "common/format/byte_swap.h"
#include "common/format/murmur3.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

// Format notes 7.4; read at common/index/bloom_filter.cc.

namespace trellis::encode {
namespace {

constexpr int32_t kType = 1;
constexpr int32_t kVersion = 1;
constexpr uint8_t kStrategy = 1;  // Guava's MURMUR128_MITZ_64
constexpr uint64_t kWordsMax = std::numeric_limits<int32_t>::max();
constexpr int kHashesMax = 255;
constexpr double kLogTwo = 0.6931471805599453;

// Java's BigDecimal.toString: plain unless the scale is negative or there are more than five zeros
// behind the point.
std::string JavaText(const BigDecimal& decimal) {
  constexpr int kPlainExponentMin = -6;
  const std::string digits =
      BigDecimal::Integer(boost::multiprecision::abs(decimal.unscaled())).str();
  const int64_t exponent = static_cast<int64_t>(digits.size()) - 1 - decimal.scale();
  if (decimal.scale() >= 0 && exponent >= kPlainExponentMin) return decimal.ToPlainText();
  std::string text = decimal.unscaled() < 0 ? "-" : "";
  text += digits[0];
  if (digits.size() > 1) text += "." + digits.substr(1);
  if (exponent != 0) text += (exponent > 0 ? "E+" : "E") + std::to_string(exponent);
  return text;
}

// Java's text of stored values; may be a view into `value` or into `scratch`.
std::string_view KeyText(int32_t value, DataType, std::string& scratch) {
  return scratch = std::to_string(value);
}
std::string_view KeyText(int64_t value, DataType, std::string& scratch) {
  return scratch = std::to_string(value);
}
std::string_view KeyText(float value, DataType, std::string& scratch) {
  return scratch = JavaFloatText(value);
}
std::string_view KeyText(double value, DataType, std::string& scratch) {
  return scratch = JavaDoubleText(value);
}
std::string_view KeyText(std::string_view value, DataType type, std::string& scratch) {
  if (IsText(type)) return value;
  if (type != DataType::kBigDecimal) return scratch = HexText(value);
  const auto decimal = BigDecimal::FromBytes(value);
  return decimal.ok() ? scratch = JavaText(*decimal) : value;
}

class Filter {
 public:
  Filter(size_t words, int hashes) : words_(words), hashes_(hashes) {}
  void Add(std::string_view text) {
    const format::Hash128 hash = format::Murmur3(text);
    const uint64_t bits = uint64_t{words_.size()} * 64;
    uint64_t combined = hash.low;
    for (int i = 0; i < hashes_; ++i) {
      const uint64_t bit = (combined & INT64_MAX) % bits;
      words_[bit / 64] |= uint64_t{1} << (bit % 64);
      combined += hash.high;
    }
  }
  std::vector<uint64_t>& words() { return words_; }

 private:
  std::vector<uint64_t> words_;
  int hashes_;
};

}  // namespace

double BloomRateOfSize(uint32_t size_bytes_max, uint32_t distinct_values) {
  const double bits_of_a_value = size_bytes_max * 8.0 / distinct_values;
  return std::pow(2.0, -bits_of_a_value * kLogTwo);
}

Status WriteBloomFilter(const ColumnVector& distinct, double false_positive_rate,
                        output::OutputFile& file) {
  if (!(false_positive_rate > 0 && false_positive_rate < 1))
    return Status::InvalidArgument("a bloom filter of rate {}", false_positive_rate);
  const double log_rate = std::log(false_positive_rate);
  const auto values = static_cast<double>(std::max<size_t>(distinct.flat_size(), 1));
  const double bits = std::trunc(-values * log_rate / (kLogTwo * kLogTwo));
  const uint64_t words = CeilDivide(static_cast<uint64_t>(bits), 64);
  if (words > kWordsMax || words == 0) {
    return Status::ResourceExhausted("a bloom filter of {} words, it may have 1 to {}", words,
                                     kWordsMax);
  }
  const int hashes = std::max(1, static_cast<int>(std::floor(-log_rate / kLogTwo + 0.5)));
  if (hashes > kHashesMax) {
    return Status::InvalidArgument("a bloom filter of rate {} needs {} hashes, it may have {}",
                                   false_positive_rate, hashes, kHashesMax);
  }
  Filter filter(words, hashes);
  WithPhysical(distinct.physical(), [&](auto tag) {
    std::string scratch;
    for (const auto value : distinct.values<decltype(tag)>())
      filter.Add(KeyText(value, distinct.type(), scratch));
  });
  uint8_t header[14];
  StoreBigEndian<int32_t>(kType, header);
  StoreBigEndian<int32_t>(kVersion, header + 4);
  header[8] = kStrategy;
  header[9] = static_cast<uint8_t>(hashes);
  StoreBigEndian<uint32_t>(static_cast<uint32_t>(words), header + 10);
  TRELLIS_RETURN_IF_ERROR(file.Append(header));
  for (uint64_t& word : filter.words()) word = __builtin_bswap64(word);
  return file.Append(
      {reinterpret_cast<const uint8_t*>(filter.words().data()), filter.words().size() * 8});
}

}  // namespace trellis::encode
