// Functions that keep one value of the column: MINSTRING, MAXSTRING, ANYVALUE, FIRSTWITHTIME,
// LASTWITHTIME. A value travels as its raw little-endian bytes, or a string's bytes; the WITHTIME
// ones have the i64 time in front of it.
#include <limits>
#include <type_traits>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/parameter.h"
#include "common/types/text_order.h"

namespace trellis::aggregate {
namespace {

// One owned value of physical type T.
template <class T>
struct Kept {
  static constexpr bool kIsBytes = std::is_same_v<T, std::string_view>;
  std::conditional_t<kIsBytes, std::string, T> value{};

  void Set(T from, HeapOnly& heap) {
    if constexpr (kIsBytes) {
      if (from.size() > value.capacity()) heap.heap_bytes += from.size();
    }
    value = from;
  }
  void Encode(std::string& out) const {
    if constexpr (kIsBytes)
      out += value;
    else
      AppendLittleEndian(value, out);
  }
  static Result<T> Decode(ByteView bytes) {
    if constexpr (kIsBytes) {
      return AsText(bytes);
    } else {
      if (bytes.size() != sizeof(T)) {
        return Status::Corrupt("value of {} bytes in an aggregation state, not {}", bytes.size(),
                               sizeof(T));
      }
      return LoadLittleEndian<T>(bytes.data());
    }
  }
  void AppendTo(ColumnVector& out) const {
    if constexpr (kIsBytes)
      AppendBytesRow(value, out);
    else
      AppendRow(value, out);
  }
};

enum class Keep { kMin, kMax, kFirst };

template <class T, Keep keep>
struct ValueCell {
  Kept<T> kept;
  bool any = false;

  bool empty() const { return !any; }
  void Encode(std::string& out) const { kept.Encode(out); }
  Status MergeEncoded(ByteView bytes, HeapOnly& heap) {
    TRELLIS_ASSIGN_OR_RETURN(const T value, Kept<T>::Decode(bytes));
    Add(value, heap);
    return {};
  }
  void Add(T value, HeapOnly& heap) {
    if (any) {
      if constexpr (keep == Keep::kFirst) return;
      if constexpr (keep == Keep::kMin) {
        if (CompareUtf16(value, kept.value) >= 0) return;
      }
      if constexpr (keep == Keep::kMax) {
        if (CompareUtf16(value, kept.value) <= 0) return;
      }
    }
    kept.Set(value, heap);
    any = true;
  }
};

// NULL without a value, whatever the null handling.
template <class T, Keep keep>
class ValueStates final : public CellStates<ValueCell<T, keep>, HeapOnly> {
 public:
  ValueStates(std::vector<ValueType> arguments, bool null_handling)
      : CellStates<ValueCell<T, keep>, HeapOnly>(std::move(arguments), null_handling, HeapOnly{}) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, this->arguments_));
    ForEachValue<T>(
        *arguments[0], rows, this->null_handling_,
        [this](size_t group, const T& value) { this->cells_[group].Add(value, this->options_); });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({this->arguments_[0].type, false});
    for (const auto& cell : this->cells_) {
      cell.kept.AppendTo(out);
      if (cell.empty()) out.SetNull(out.size() - 1);
    }
    return {};
  }
};

// What FIRSTWITHTIME and LASTWITHTIME answer without a row.
template <class T>
T NoRowValue(DataType type) {
  if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::quiet_NaN();
  else if constexpr (std::is_integral_v<T>)
    return type == DataType::kBoolean ? 0 : std::numeric_limits<T>::min();
  else
    return {};
}

template <class T, bool kLast>
struct TimedCell {
  Kept<T> kept;
  int64_t time = 0;
  bool any = false;

  bool empty() const { return !any; }
  void Encode(std::string& out) const {
    AppendLittleEndian(time, out);
    kept.Encode(out);
  }
  // Between states the one that was there first wins ties.
  Status MergeEncoded(ByteView bytes, HeapOnly& heap) {
    ByteReader reader(bytes);
    TRELLIS_ASSIGN_OR_RETURN(const int64_t at, reader.ReadLittleEndian<int64_t>());
    TRELLIS_ASSIGN_OR_RETURN(const ByteView rest, reader.ReadBytes(reader.remaining()));
    TRELLIS_ASSIGN_OR_RETURN(const T value, Kept<T>::Decode(rest));
    if (!any || (kLast ? at > time : at < time)) Set(value, at, heap);
    return {};
  }
  // Among rows the later one does, in both functions.
  void Add(T value, int64_t at, HeapOnly& heap) {
    if (!any || (kLast ? at >= time : at <= time)) Set(value, at, heap);
  }
  void Set(T value, int64_t at, HeapOnly& heap) {
    kept.Set(value, heap);
    time = at;
    any = true;
  }
};

template <class T, bool kLast>
class TimedStates final : public CellStates<TimedCell<T, kLast>, HeapOnly> {
 public:
  TimedStates(std::vector<ValueType> arguments, bool null_handling, DataType type)
      : CellStates<TimedCell<T, kLast>, HeapOnly>(std::move(arguments), null_handling, HeapOnly{}),
        type_(type) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, this->arguments_));
    ColumnVector value_scratch;
    ColumnVector time_scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column,
                             ReadAs(type_, *arguments[0], value_scratch));
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* times,
                             ReadAs(DataType::kLong, *arguments[1], time_scratch));
    const RowReader<T> values(*column);
    const RowReader<int64_t> at(*times);
    for (size_t i = 0; i < rows.count; ++i) {
      const size_t row = rows.row(i);
      if (this->null_handling_ && (column->is_null(row) || times->is_null(row))) continue;
      this->cells_[rows.group(i)].Add(values[row], at[row], this->options_);
    }
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({type_, false});
    for (const auto& cell : this->cells_) {
      if (!cell.empty()) {
        cell.kept.AppendTo(out);
        continue;
      }
      Kept<T> none;
      none.value = NoRowValue<T>(type_);
      none.AppendTo(out);
    }
    return {};
  }

 private:
  DataType type_;
};

}  // namespace

Resolved ResolveExtremeString(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec));
  const DataType type = spec.argument_types[0].type;
  if (type != DataType::kString) {
    return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for type: {}",
                         spec.function, DataTypeName(type));
  }
  if (spec.function == "minstring") {
    return MakeFunction<ValueStates<std::string_view, Keep::kMin>>(
        {type, false}, DataType::kBytes, spec.argument_types, spec.null_handling);
  }
  return MakeFunction<ValueStates<std::string_view, Keep::kMax>>(
      {type, false}, DataType::kBytes, spec.argument_types, spec.null_handling);
}

Resolved ResolveAnyValue(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec));
  TRELLIS_RETURN_IF_ERROR(RefuseMap(spec));
  return WithPhysical(PhysicalOf(spec.argument_types[0].type), [&](auto tag) -> Resolved {
    return MakeFunction<ValueStates<decltype(tag), Keep::kFirst>>(
        {spec.argument_types[0].type, false}, DataType::kBytes, spec.argument_types,
        spec.null_handling);
  });
}

Resolved ResolveWithTime(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 1, 1));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec, 0));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec, 1));
  TRELLIS_ASSIGN_OR_RETURN(const DataType type, TypeParameter(spec, 0));
  const bool known = type == DataType::kBoolean || type == DataType::kInt ||
                     type == DataType::kLong || type == DataType::kFloat ||
                     type == DataType::kDouble || type == DataType::kString;
  if (!known || !CanReadAs(spec.argument_types[0].type, type)) {
    return Status::Query(PinotCode::kQueryValidation, "{} cannot read a {} column as {}",
                         spec.function, DataTypeName(spec.argument_types[0].type),
                         DataTypeName(type));
  }
  if (!CanReadAs(spec.argument_types[1].type, DataType::kLong)) {
    return Status::Query(PinotCode::kQueryValidation, "{} cannot read a {} column as a time",
                         spec.function, DataTypeName(spec.argument_types[1].type));
  }
  return WithPhysical(PhysicalOf(type), [&](auto tag) -> Resolved {
    using T = decltype(tag);
    if (spec.function == "lastwithtime") {
      return MakeFunction<TimedStates<T, true>>({type, false}, DataType::kBytes,
                                                spec.argument_types, spec.null_handling, type);
    }
    return MakeFunction<TimedStates<T, false>>({type, false}, DataType::kBytes, spec.argument_types,
                                               spec.null_handling, type);
  });
}

}  // namespace trellis::aggregate
