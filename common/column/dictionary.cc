#include "common/column/dictionary.h"

#include <algorithm>
#include <cmath>

#include "common/column/list_scan.h"
#include "common/format/byte_swap.h"
#include "common/format/var_length_values.h"
#include "common/types/big_decimal.h"
#include "common/types/text_order.h"
#include "common/types/value_payload.h"

namespace trellis::column {
namespace {

Status BadId(uint32_t dict_id, size_t size) {
  return Status::Corrupt("dictId {} in a dictionary of {} values", dict_id, size);
}

Status CheckIds(std::span<const uint32_t> dict_ids, size_t size) {
  const uint32_t highest = HighestOf(dict_ids);
  if (!dict_ids.empty() && highest >= size) return BadId(highest, size);
  return {};
}

// The first position in [0, size) for which `is_below` is false.
template <class F>
uint32_t Partition(size_t size, F&& is_below) {
  size_t low = 0, high = size;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_below(static_cast<uint32_t>(middle))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<uint32_t>(low);
}

// Java's total order: -0.0 below 0.0, NaN above all.
template <class T>
bool IsLess(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

// Values of fixed width, big-endian, ascending (format notes 3.2).
template <class T>
class NumericDictionary : public Dictionary {
 public:
  NumericDictionary(ByteView payload, DataType type, uint32_t cardinality)
      : values_(payload.data()), type_(type), cardinality_(cardinality) {}

  size_t size() const override { return cardinality_; }
  DataType type() const override { return type_; }

  Status Gather(std::span<const uint32_t> dict_ids, ColumnVector& out) const override {
    TRELLIS_RETURN_IF_ERROR(CheckIds(dict_ids, cardinality_));
    out.ResetForOverwrite(type_, dict_ids.size());
    format::GatherBigEndianValues(values_, 0, dict_ids, std::span(out.values<T>()));
    return {};
  }

  Result<Value> At(uint32_t dict_id) const override {
    if (dict_id >= cardinality_) return BadId(dict_id, cardinality_);
    const T value = Load(dict_id);
    if constexpr (std::is_same_v<T, int32_t>) {
      return type_ == DataType::kBoolean ? Value::Boolean(value != 0) : Value::Int(value);
    } else if constexpr (std::is_same_v<T, int64_t>) {
      return type_ == DataType::kTimestamp ? Value::Timestamp(value) : Value::Long(value);
    } else if constexpr (std::is_same_v<T, float>) {
      return Value::Float(value);
    } else {
      return Value::Double(value);
    }
  }

  uint32_t LowerBound(const Value& value) const override {
    const T needle = PayloadAs<T>(value);
    return Partition(cardinality_, [&](uint32_t id) { return IsLess(Load(id), needle); });
  }

  std::optional<uint32_t> Find(const Value& value) const override {
    const uint32_t id = LowerBound(value);
    if (id == cardinality_ || IsLess(PayloadAs<T>(value), Load(id))) return std::nullopt;
    return id;
  }

 private:
  T Load(uint32_t id) const { return LoadBigEndian<T>(values_ + size_t{id} * sizeof(T)); }

  const uint8_t* values_;
  DataType type_;
  size_t cardinality_;
};

// Slots of one width (format notes 3.3): text ends at its first NUL, bytes fill the slot.
class PaddedSlots {
 public:
  PaddedSlots(ByteView payload, uint32_t width, bool text)
      : payload_(payload), width_(width), text_(text) {}
  std::string_view operator[](uint32_t id) const {
    const std::string_view slot = AsText(payload_.subspan(size_t{id} * width_, width_));
    if (!text_ || slot.empty()) return slot;
    const void* end = std::memchr(slot.data(), 0, slot.size());
    return end == nullptr ? slot : slot.substr(0, static_cast<const char*>(end) - slot.data());
  }
  bool Get(uint32_t id, std::string_view& value) const {
    value = (*this)[id];
    return true;
  }
  int Compare(uint32_t id, std::string_view text) const { return CompareUtf16((*this)[id], text); }

 private:
  ByteView payload_;
  size_t width_;
  bool text_;
};

// Text filled up with '%' (format notes 3.3). It was sorted after it had been filled up, so that
// "a%%%" comes after "a b%": what is looked for is compared as if it were filled up, too.
class PercentSlots {
 public:
  PercentSlots(ByteView payload, uint32_t width) : slots_(payload, width, true), width_(width) {}
  std::string_view operator[](uint32_t id) const {
    const std::string_view slot = slots_[id];
    return slot.substr(0, slot.find_last_not_of('%') + 1);
  }
  bool Get(uint32_t id, std::string_view& value) const {
    value = (*this)[id];
    return true;
  }
  int Compare(uint32_t id, std::string_view text) const {
    std::string filled(text);
    if (filled.size() < width_) filled.resize(width_, '%');
    return CompareUtf16(slots_[id], filled);
  }

 private:
  PaddedSlots slots_;
  size_t width_;
};

// `.vl;` (format notes 3.4).
class OffsetSlots {
 public:
  explicit OffsetSlots(format::VarLengthValues values) : values_(values) {}
  std::string_view operator[](uint32_t id) const { return AsText(values_[id]); }
  bool Get(uint32_t id, std::string_view& value) const {
    ByteView bytes;
    if (!values_.Get(id, bytes)) return false;
    value = AsText(bytes);
    return true;
  }
  int Compare(uint32_t id, std::string_view text) const { return CompareUtf16((*this)[id], text); }

 private:
  format::VarLengthValues values_;
};

bool HasCheckedLength(DataType type) {
  return type == DataType::kUuid || type == DataType::kBigDecimal;
}

// Refuses lengths that no value of the type has, so that readers of the values need not look again.
Status CheckLength(DataType type, size_t length) {
  if (type == DataType::kUuid && length != 16)
    return Status::Corrupt("UUID entry of {} bytes", length);
  constexpr size_t kBigDecimalSizeMax = 8192;  // what BigDecimal::FromBytes takes
  if (type == DataType::kBigDecimal && (length < 3 || length > kBigDecimalSizeMax)) {
    return Status::Corrupt("BIG_DECIMAL entry of {} bytes", length);
  }
  return {};
}

template <class Slots>
class BytesDictionary : public Dictionary {
 public:
  BytesDictionary(Slots slots, DataType type, uint32_t cardinality)
      : slots_(slots),
        type_(type),
        checked_length_(HasCheckedLength(type)),
        cardinality_(cardinality) {}

  size_t size() const override { return cardinality_; }
  DataType type() const override { return type_; }

  Status Gather(std::span<const uint32_t> dict_ids, ColumnVector& out) const override {
    out.Reset({type_, false});
    TRELLIS_RETURN_IF_ERROR(CheckIds(dict_ids, cardinality_));
    out.Resize(dict_ids.size());
    std::string_view* to = out.values<std::string_view>().data();
    bool good = true;
    for (size_t i = 0; i < dict_ids.size(); ++i) good &= slots_.Get(dict_ids[i], to[i]);
    if (!good) return Changed();
    for (size_t i = 0; checked_length_ && i < dict_ids.size(); ++i)
      TRELLIS_RETURN_IF_ERROR(CheckLength(type_, to[i].size()));
    return {};
  }

  Result<Value> At(uint32_t dict_id) const override {
    if (dict_id >= cardinality_) return BadId(dict_id, cardinality_);
    std::string_view value;
    if (!slots_.Get(dict_id, value)) return Changed();
    TRELLIS_RETURN_IF_ERROR(CheckLength(type_, value.size()));
    return Value::Bytes(type_, std::string(value));
  }

  uint32_t LowerBound(const Value& value) const override {
    const std::string_view needle = value.bytes();
    if (IsText(type_)) {
      return Partition(cardinality_, [&](uint32_t id) { return slots_.Compare(id, needle) < 0; });
    }
    if (type_ == DataType::kBigDecimal) {
      const Result<BigDecimal> decimal = BigDecimal::FromBytes(needle);
      if (!decimal.ok()) return static_cast<uint32_t>(cardinality_);
      return Partition(cardinality_, [&](uint32_t id) {
        const Result<BigDecimal> entry = BigDecimal::FromBytes(slots_[id]);
        return entry.ok() && entry->Compare(*decimal) < 0;
      });
    }
    return Partition(cardinality_, [&](uint32_t id) { return slots_[id].compare(needle) < 0; });
  }

  std::optional<uint32_t> Find(const Value& value) const override {
    const uint32_t id = LowerBound(value);
    if (id == cardinality_ || !IsEqual(slots_[id], value.bytes())) return std::nullopt;
    return id;
  }

 private:
  bool IsEqual(std::string_view entry, std::string_view value) const {
    if (type_ != DataType::kBigDecimal) return entry == value;
    const Result<BigDecimal> a = BigDecimal::FromBytes(entry);
    const Result<BigDecimal> b = BigDecimal::FromBytes(value);
    return a.ok() && b.ok() && a->Compare(*b) == 0;
  }

  // Offsets that were good when the dictionary was opened no longer are.
  static Status Changed() {
    return Status::Corrupt("dictionary entries lie outside the dictionary");
  }

  Slots slots_;
  DataType type_;
  bool checked_length_;
  size_t cardinality_;
};

Result<std::unique_ptr<Dictionary>> OpenWithOffsets(ByteView payload, DataType type,
                                                    uint32_t cardinality) {
  TRELLIS_ASSIGN_OR_RETURN(const auto values, format::VarLengthValues::Open(payload));
  if (values.size() != cardinality) {
    return Status::Corrupt("dictionary of {} values, the metadata says {}", values.size(),
                           cardinality);
  }
  for (uint32_t id = 0; HasCheckedLength(type) && id < values.size(); ++id) {
    TRELLIS_RETURN_IF_ERROR(CheckLength(type, values[id].size()));
  }
  return std::unique_ptr<Dictionary>(
      std::make_unique<BytesDictionary<OffsetSlots>>(OffsetSlots(values), type, cardinality));
}

Status CheckSize(ByteView payload, uint32_t cardinality, uint64_t width) {
  if (payload.size() == cardinality * width) return {};
  return Status::Corrupt("dictionary of {} bytes, expected {} values of {} bytes", payload.size(),
                         cardinality, width);
}

template <class T>
Result<std::unique_ptr<Dictionary>> OpenNumeric(ByteView payload, DataType type,
                                                uint32_t cardinality) {
  TRELLIS_RETURN_IF_ERROR(CheckSize(payload, cardinality, sizeof(T)));
  return std::unique_ptr<Dictionary>(
      std::make_unique<NumericDictionary<T>>(payload, type, cardinality));
}

}  // namespace

Result<std::unique_ptr<Dictionary>> OpenDictionary(ByteView payload, DataType type,
                                                   uint32_t cardinality, uint32_t width,
                                                   DictionaryPadding padding) {
  switch (type) {
    case DataType::kUnknown:
    case DataType::kMap:
    case DataType::kOpenStruct:
      return Status::Corrupt("{} columns have no dictionary", DataTypeName(type));
    default:
      break;
  }
  switch (PhysicalOf(type)) {
    case Physical::kInt32:
      return OpenNumeric<int32_t>(payload, type, cardinality);
    case Physical::kInt64:
      return OpenNumeric<int64_t>(payload, type, cardinality);
    case Physical::kFloat:
      return OpenNumeric<float>(payload, type, cardinality);
    case Physical::kDouble:
      return OpenNumeric<double>(payload, type, cardinality);
    case Physical::kBytes:
      break;
  }
  if (format::VarLengthValues::Recognizes(payload))
    return OpenWithOffsets(payload, type, cardinality);
  TRELLIS_RETURN_IF_ERROR(CheckSize(payload, cardinality, width));
  if (width == 0 && cardinality > 1) {
    return Status::Corrupt("dictionary of {} empty values", cardinality);
  }
  if (cardinality > 0) TRELLIS_RETURN_IF_ERROR(CheckLength(type, width));
  if (padding == DictionaryPadding::kPercent && IsText(type)) {
    return std::unique_ptr<Dictionary>(std::make_unique<BytesDictionary<PercentSlots>>(
        PercentSlots(payload, width), type, cardinality));
  }
  return std::unique_ptr<Dictionary>(std::make_unique<BytesDictionary<PaddedSlots>>(
      PaddedSlots(payload, width, IsText(type)), type, cardinality));
}

}  // namespace trellis::column
