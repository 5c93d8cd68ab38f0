#include "common/aggregate/argument.h"

#include <type_traits>

#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

// Fills `out` with one value per flat value of `in`, keeping rows, offsets and nulls.
template <class To, class From, class Convert>
Status Rewrite(const ColumnVector& in, DataType type, ColumnVector& out, Convert convert) {
  out.Reset({type, in.is_multi_value()});
  auto& to = out.values<To>();
  const auto& from = in.values<From>();
  if (in.is_constant()) {
    to.reserve(in.size());
    for (size_t i = 0; i < in.size(); ++i) TRELLIS_RETURN_IF_ERROR(convert(from[0], to));
  } else {
    to.reserve(from.size());
    for (const From& value : from) TRELLIS_RETURN_IF_ERROR(convert(value, to));
  }
  out.offsets() = in.offsets();
  out.SetSize(in.size());
  if (in.has_nulls()) {
    auto& nulls = out.mutable_nulls();
    for (size_t row = 0; row < in.size(); ++row) nulls[row] = in.is_null(row);
  }
  return {};
}

template <class To, class From>
To JavaCast(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, int32_t>)
    return JavaDoubleToInt(value);
  else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, int64_t>)
    return JavaDoubleToLong(value);
  else
    return static_cast<To>(value);
}

}  // namespace

bool ReadsAsNumber(DataType type) {
  return IsNumeric(type) || type == DataType::kBoolean || type == DataType::kTimestamp;
}

Status RequireNumber(const AggregateSpec& spec, size_t at) {
  const DataType type = spec.argument_types[at].type;
  if (ReadsAsNumber(type)) return {};
  return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for non-numeric type: {}",
                       spec.function, DataTypeName(type));
}

Status RefuseMap(const AggregateSpec& spec, size_t at) {
  const DataType type = spec.argument_types[at].type;
  if (!IsMapLike(type)) return {};
  return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for type: {}", spec.function,
                       DataTypeName(type));
}

Status RequireSingleValue(const AggregateSpec& spec, size_t at) {
  if (!spec.argument_types[at].multi_value) return {};
  return Status::Query(PinotCode::kQueryValidation, "Cannot compute {} for multi-value type: {}",
                       spec.function, ValueTypeName(spec.argument_types[at]));
}

Status RequireParameters(const AggregateSpec& spec, size_t min, size_t max) {
  if (spec.parameters.size() >= min && spec.parameters.size() <= max) return {};
  return Status::Query(PinotCode::kQueryValidation, "{} takes {} to {} literal parameters, got {}",
                       spec.function, min, max, spec.parameters.size());
}

Status CheckArguments(std::span<const ColumnVector* const> arguments,
                      std::span<const ValueType> types) {
  if (arguments.size() != types.size()) {
    return Status::Internal("aggregation of {} arguments was given {}", types.size(),
                            arguments.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const ColumnVector& column = *arguments[i];
    if (column.physical() == PhysicalOf(types[i].type) &&
        column.is_multi_value() == types[i].multi_value)
      continue;
    return Status::Internal("aggregation argument {} is {}, resolved for {}", i,
                            ValueTypeName(column.value_type()), ValueTypeName(types[i]));
  }
  return {};
}

Result<const ColumnVector*> AsNumbers(const ColumnVector& column, ColumnVector& scratch) {
  if (column.type() != DataType::kBigDecimal) return &column;
  TRELLIS_RETURN_IF_ERROR((Rewrite<double, std::string_view>(
      column, DataType::kDouble, scratch,
      [](std::string_view bytes, std::vector<double>& to) -> Status {
        TRELLIS_ASSIGN_OR_RETURN(const BigDecimal value, BigDecimal::FromBytes(bytes));
        to.push_back(value.ToDouble());
        return {};
      })));
  return &scratch;
}

bool CanReadAs(DataType from, DataType to) {
  if (PhysicalOf(from) != Physical::kBytes && PhysicalOf(to) != Physical::kBytes) return true;
  if (PhysicalOf(from) == Physical::kBytes && PhysicalOf(to) == Physical::kBytes) {
    return from == to || (IsText(from) && IsText(to));
  }
  return IsText(to);
}

Result<const ColumnVector*> ReadAs(DataType type, const ColumnVector& column,
                                   ColumnVector& scratch) {
  if (!CanReadAs(column.type(), type)) {
    return Status::Query(PinotCode::kQueryValidation, "{} cannot be read as {}",
                         DataTypeName(column.type()), DataTypeName(type));
  }
  if (column.physical() == PhysicalOf(type)) return &column;
  const DataType from_type = column.type();
  TRELLIS_RETURN_IF_ERROR(WithNumeric(column.physical(), [&](auto from_tag) -> Status {
    using From = decltype(from_tag);
    if (IsText(type)) {
      return Rewrite<std::string_view, From>(
          column, type, scratch, [&](From value, std::vector<std::string_view>& to) -> Status {
            ColumnVector one(from_type);
            one.values<From>().push_back(value);
            one.SetSize(1);
            to.push_back(scratch.arena().Copy(ValueToText(one.Get(0))));
            return {};
          });
    }
    return WithNumeric(PhysicalOf(type), [&](auto to_tag) -> Status {
      using To = decltype(to_tag);
      return Rewrite<To, From>(column, type, scratch,
                               [](From value, std::vector<To>& to) -> Status {
                                 to.push_back(JavaCast<To>(value));
                                 return {};
                               });
    });
  }));
  return &scratch;
}

}  // namespace trellis::aggregate
