#include "common/encode/dictionary_builder.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "common/base/bytes.h"
#include "common/base/string_hash.h"
#include "common/encode/decimal_order.h"
#include "common/encode/sort_keys.h"
#include "common/types/value_order.h"

namespace trellis::encode {
namespace {

constexpr size_t kUuidSizeBytes = 16;
// Look-ups of bytes that are under way at a time, in tables that no longer lie in a cache.
constexpr size_t kAhead = 12;
constexpr uint32_t kInCache = 1 << 14;

Status TooMany(uint64_t values, uint64_t bytes, const DictionaryLimits& limits) {
  return Status::ResourceExhausted(
      "a dictionary of {} values and {} bytes, it may have {} and {} at most", values, bytes,
      limits.values_max, limits.size_bytes_max);
}

template <class T>
class NumberBuilder final : public DictionaryBuilder {
 public:
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

  NumberBuilder(DataType type, DictionaryLimits limits) : type_(type), limits_(limits) {}

  uint32_t size() const override { return static_cast<uint32_t>(values_.size()); }

  Status Add(const ColumnVector& values, std::vector<uint32_t>& provisional_ids) override {
    const std::vector<T>& flat = values.values<T>();
    provisional_ids.resize(flat.size());
    // Equal neighbours are common, and need no look-up.
    Bits last = 0;
    uint32_t last_id = 0;
    bool has_last = false;
    for (size_t i = 0; i < flat.size(); ++i) {
      const Bits bits = BitsOf(flat[i]);
      if (!has_last || bits != last) {
        const auto [at, added] = ids_.try_emplace(bits, size());
        if (added) {
          values_.push_back(bits);
          if (size() > limits_.values_max || values_.size() * sizeof(T) > limits_.size_bytes_max) {
            return TooMany(values_.size(), values_.size() * sizeof(T), limits_);
          }
        }
        last = bits;
        last_id = at->second;
        has_last = true;
      }
      provisional_ids[i] = last_id;
    }
    return {};
  }

  void Finish(ColumnVector& sorted, std::vector<uint32_t>& rank) override {
    ids_ = {};
    KeyedIds<Bits> entries(values_.size());
    for (uint32_t id = 0; id < size(); ++id) entries.Set(id, OrderOf(values_[id]), id);
    entries.Sort();
    rank.resize(entries.size());
    sorted.ResetForOverwrite(type_, entries.size());
    std::vector<T>& out = sorted.values<T>();
    for (uint32_t i = 0; i < entries.size(); ++i) {
      rank[entries.id(i)] = i;
      out[i] = std::bit_cast<T>(values_[entries.id(i)]);
    }
    values_ = {};
  }

 private:
  static constexpr Bits kTop = Bits{1} << (sizeof(Bits) * 8 - 1);

  static Bits BitsOf(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    }
    return std::bit_cast<Bits>(value);
  }
  // Unsigned numbers in Java's order of the values: -0.0 below 0.0, NaN above all.
  static Bits OrderOf(Bits bits) {
    if (std::is_floating_point_v<T> && (bits & kTop) != 0) return static_cast<Bits>(~bits);
    return bits ^ kTop;
  }

  DataType type_;
  DictionaryLimits limits_;
  absl::flat_hash_map<Bits, uint32_t> ids_;
  std::vector<Bits> values_;  // by provisional id
};

// The first 8 bytes behind a start that all share, as a number in the order of the values.
class PrefixOrder {
 public:
  PrefixOrder(DataType type, const std::vector<std::string_view>& values) : text_(IsText(type)) {
    if (values.empty()) return;
    const std::string_view first = values.front();
    shared_ = first.size();
    for (const std::string_view value : values) {
      const size_t most = std::min(shared_, value.size());
      shared_ = static_cast<size_t>(
          std::mismatch(first.begin(), first.begin() + static_cast<ptrdiff_t>(most), value.begin())
              .first -
          first.begin());
    }
  }

  uint64_t KeyOf(std::string_view value) const {
    uint8_t bytes[8] = {};
    const size_t size = std::min<size_t>(sizeof(bytes), value.size() - shared_);
    if (size > 0) std::memcpy(bytes, value.data() + shared_, size);
    if (text_) {
      for (uint8_t& byte : bytes) byte = InUtf16Order(byte);
    }
    return LoadBigEndian<uint64_t>(bytes);
  }

 private:
  // The first byte in which two texts differ tells their order if lead bytes of four-byte sequences
  // (surrogates in UTF-16) come before those of U+E000..U+FFFF.
  static uint8_t InUtf16Order(uint8_t byte) {
    constexpr uint8_t kFirstMoved = 0xEE, kFirstOfFour = 0xF0, kLastOfFour = 0xF4;
    if (byte < kFirstMoved || byte > kLastOfFour) return byte;
    return static_cast<uint8_t>(byte < kFirstOfFour ? byte + 5 : byte - 2);
  }

  bool text_;
  size_t shared_ = 0;
};

std::vector<uint32_t> OrderOfBytes(DataType type, const std::vector<std::string_view>& values) {
  const PrefixOrder prefixes(type, values);
  KeyedIds<uint64_t> entries(values.size());
  for (uint32_t id = 0; id < values.size(); ++id) entries.Set(id, prefixes.KeyOf(values[id]), id);
  entries.Sort();
  std::vector<uint32_t> order(values.size());
  for (size_t i = 0; i < entries.size(); ++i) order[i] = entries.id(i);
  for (size_t i = 0; i < entries.size();) {
    size_t end = i + 1;
    while (end < entries.size() && entries.key(end) == entries.key(i)) ++end;
    if (end - i > 1) {
      std::sort(order.begin() + static_cast<ptrdiff_t>(i),
                order.begin() + static_cast<ptrdiff_t>(end), [&](uint32_t a, uint32_t b) {
                  return CompareStoredBytes(type, values[a], values[b]) < 0;
                });
    }
    i = end;
  }
  return order;
}

// STRING, JSON, BYTES, UUID; and BIG_DECIMAL, whose keys are not its bytes.
class BytesBuilder final : public DictionaryBuilder {
 public:
  BytesBuilder(DataType type, DictionaryLimits limits)
      : type_(type), limits_(limits), bytes_(std::make_shared<Arena>()) {}

  uint32_t size() const override { return static_cast<uint32_t>(values_.size()); }

  Status Add(const ColumnVector& values, std::vector<uint32_t>& provisional_ids) override {
    const auto& flat = values.values<std::string_view>();
    provisional_ids.resize(flat.size());
    for (size_t i = 0; i < flat.size(); ++i) {
      if (i + kAhead < flat.size() && size() > kInCache) ids_.prefetch(flat[i + kAhead]);
      if (i > 0 && flat[i] == flat[i - 1]) {
        provisional_ids[i] = provisional_ids[i - 1];
        continue;
      }
      TRELLIS_RETURN_IF_ERROR(AddOne(flat[i], provisional_ids[i]));
    }
    return {};
  }

  void Finish(ColumnVector& sorted, std::vector<uint32_t>& rank) override {
    ids_ = {};
    const std::vector<uint32_t> order =
        type_ == DataType::kBigDecimal ? OrderOfDecimals(values_) : OrderOfBytes(type_, values_);
    rank.resize(order.size());
    sorted.ResetForOverwrite(type_, order.size());
    auto& out = sorted.values<std::string_view>();
    for (uint32_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
      out[i] = values_[order[i]];
    }
    sorted.Keep(bytes_);
    values_ = {};
  }

 private:
  Status AddOne(std::string_view value, uint32_t& id) {
    std::string_view key = value;
    if (type_ == DataType::kBigDecimal) {
      TRELLIS_RETURN_IF_ERROR(DecimalKey(value, decimal_key_));
      key = decimal_key_;
    } else if (type_ == DataType::kUuid && value.size() != kUuidSizeBytes) {
      return Status::InvalidArgument("{} bytes are no UUID", value.size());
    }
    const auto at = ids_.find(key);
    if (at != ids_.end()) {
      id = at->second;
      return {};
    }
    total_bytes_ += value.size();
    if (values_.size() >= limits_.values_max || total_bytes_ > limits_.size_bytes_max) {
      return TooMany(values_.size() + 1, total_bytes_, limits_);
    }
    id = size();
    values_.push_back(bytes_->Copy(value));
    ids_.emplace(type_ == DataType::kBigDecimal ? keys_.Copy(key) : values_.back(), id);
    return {};
  }

  DataType type_;
  DictionaryLimits limits_;
  uint64_t total_bytes_ = 0;
  std::shared_ptr<Arena> bytes_;
  Arena keys_;  // of decimals
  std::string decimal_key_;
  std::vector<std::string_view> values_;  // by provisional id
  absl::flat_hash_map<std::string_view, uint32_t, StringHash, StringEqual> ids_;
};

}  // namespace

std::unique_ptr<DictionaryBuilder> DictionaryBuilder::Create(DataType type,
                                                             DictionaryLimits limits) {
  TRELLIS_CHECK(type != DataType::kUnknown && !IsMapLike(type));
  switch (PhysicalOf(type)) {
    case Physical::kInt32:
      return std::make_unique<NumberBuilder<int32_t>>(type, limits);
    case Physical::kInt64:
      return std::make_unique<NumberBuilder<int64_t>>(type, limits);
    case Physical::kFloat:
      return std::make_unique<NumberBuilder<float>>(type, limits);
    case Physical::kDouble:
      return std::make_unique<NumberBuilder<double>>(type, limits);
    case Physical::kBytes:
      break;
  }
  return std::make_unique<BytesBuilder>(type, limits);
}

}  // namespace trellis::encode
