#include "common/vector/column_vector.h"

#include "common/types/value_payload.h"

namespace trellis {
namespace {

// Makes an owned copy of what a view points at; other values are themselves.
template <class T>
T Own(T value, ColumnVector& vector) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return vector.arena().Copy(value);
  } else {
    return value;
  }
}

template <class T>
Value MakeValue(DataType type, T flat) {
  if constexpr (std::is_same_v<T, int32_t>)
    return type == DataType::kBoolean ? Value::Boolean(flat != 0) : Value::Int(flat);
  if constexpr (std::is_same_v<T, int64_t>)
    return type == DataType::kTimestamp ? Value::Timestamp(flat) : Value::Long(flat);
  if constexpr (std::is_same_v<T, float>) return Value::Float(flat);
  if constexpr (std::is_same_v<T, double>) return Value::Double(flat);
  if constexpr (std::is_same_v<T, std::string_view>) return Value::Bytes(type, std::string(flat));
}

}  // namespace

void ColumnVector::Reset(ValueType type) {
  if (PhysicalOf(type.type) != static_cast<Physical>(values_.index())) {
    WithPhysical(PhysicalOf(type.type),
                 [&](auto tag) { values_.emplace<std::vector<decltype(tag)>>(); });
  } else {
    std::visit([](auto& v) { v.clear(); }, values_);
  }
  ResetAllButValues(type);
}

void ColumnVector::ResetForOverwrite(DataType type, size_t rows) {
  if (PhysicalOf(type) != static_cast<Physical>(values_.index())) Reset({type, false});
  ResetAllButValues({type, false});
  Resize(rows);
}

void ColumnVector::ResetAllButValues(ValueType type) {
  type_ = type;
  constant_ = false;
  rows_ = 0;
  offsets_.clear();
  if (type.multi_value) offsets_.push_back(0);
  nulls_.clear();
  arena_.reset();
  owners_.clear();
}

ColumnVector ColumnVector::Constant(const Value& value, size_t rows) {
  ColumnVector vector(value.value_type());
  vector.Append(value);
  if (value.is_array()) {
    // Arrays have no constant form: repeat the offsets' row.
    const uint32_t n = vector.offsets_[1];
    for (size_t row = 1; row < rows; ++row) {
      std::visit(
          [&](auto& v) {
            for (uint32_t i = 0; i < n; ++i) v.push_back(v[i]);
          },
          vector.values_);
      vector.offsets_.push_back(static_cast<uint32_t>(n * (row + 1)));
    }
    vector.rows_ = rows;
    if (rows == 0) vector.Reset(value.value_type());
    return vector;
  }
  vector.constant_ = true;
  vector.rows_ = rows;
  return vector;
}

void ColumnVector::Relabel(DataType type) {
  TRELLIS_CHECK(PhysicalOf(type) == physical());
  type_.type = type;
}

size_t ColumnVector::flat_size() const {
  return std::visit([](const auto& v) { return v.size(); }, values_);
}

void ColumnVector::Resize(size_t rows) {
  rows_ = rows;
  if (!type_.multi_value && !constant_) std::visit([&](auto& v) { v.resize(rows); }, values_);
  if (!nulls_.empty()) nulls_.resize(rows);
}

std::vector<uint8_t>& ColumnVector::mutable_nulls() {
  if (nulls_.empty()) nulls_.resize(constant_ ? 1 : rows_);
  return nulls_;
}

Arena& ColumnVector::arena() {
  if (!arena_) {
    arena_ = std::make_shared<Arena>();
    owners_.push_back(arena_);
  }
  return *arena_;
}

void ColumnVector::KeepAllOf(const ColumnVector& other) {
  owners_.insert(owners_.end(), other.owners_.begin(), other.owners_.end());
}

void ColumnVector::Append(const Value& value) {
  TRELLIS_CHECK(!constant_);
  const bool null = value.is_null();
  WithPhysical(physical(), [&](auto tag) {
    using T = decltype(tag);
    auto& flat = values<T>();
    if (type_.multi_value) {
      if (!null) {
        for (const Value& element : value.elements())
          flat.push_back(Own(PayloadAs<T>(element), *this));
      }
      offsets_.push_back(static_cast<uint32_t>(flat.size()));
    } else {
      flat.push_back(null ? T{} : Own(PayloadAs<T>(value), *this));
    }
  });
  ++rows_;
  if (!nulls_.empty())
    nulls_.push_back(null);
  else if (null)
    mutable_nulls().back() = 1;
}

Value ColumnVector::Get(size_t row) const {
  if (is_null(row)) return Value::Null(type_.type);
  return WithPhysical(physical(), [&](auto tag) -> Value {
    using T = decltype(tag);
    const auto& flat = values<T>();
    if (!type_.multi_value) return MakeValue(type_.type, flat[constant_ ? 0 : row]);
    std::vector<Value> elements;
    for (uint32_t i = offsets_[row]; i < offsets_[row + 1]; ++i)
      elements.push_back(MakeValue(type_.type, flat[i]));
    return Value::Array(type_.type, std::move(elements));
  });
}

void ColumnVector::AppendRows(const ColumnVector& source, std::span<const uint32_t> rows) {
  TRELLIS_CHECK(!constant_ && source.physical() == physical() &&
                source.is_multi_value() == is_multi_value());
  const size_t before = rows_;
  WithPhysical(physical(), [&](auto tag) {
    using T = decltype(tag);
    auto& flat = values<T>();
    const auto& from = source.values<T>();
    for (const uint32_t row : rows) {
      if (!type_.multi_value) {
        flat.push_back(Own(from[source.constant_ ? 0 : row], *this));
        continue;
      }
      for (uint32_t i = source.offsets_[row]; i < source.offsets_[row + 1]; ++i)
        flat.push_back(Own(from[i], *this));
      offsets_.push_back(static_cast<uint32_t>(flat.size()));
    }
  });
  rows_ += rows.size();
  if (nulls_.empty() && !source.has_nulls()) return;
  nulls_.resize(before);
  for (const uint32_t row : rows) nulls_.push_back(source.is_null(row));
}

void ColumnVector::AppendAll(const ColumnVector& source) {
  std::vector<uint32_t> rows(source.size());
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<uint32_t>(i);
  AppendRows(source, rows);
}

}  // namespace trellis
