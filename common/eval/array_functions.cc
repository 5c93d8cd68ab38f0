#include <algorithm>
#include <limits>
#include <unordered_set>

#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/eval/scalar_function.h"
#include "common/types/text_order.h"

namespace trellis::eval {
namespace {

Status CheckArray(const Call& call, size_t position) {
  return call.multi_value(position) ? Status::Ok() : call.Unsuitable();
}

// Calls f(row, first, last) with the flat range of every row.
template <class F>
void ForEachArray(const ColumnVector& array, size_t rows, F f) {
  const std::vector<uint32_t>& offsets = array.offsets();
  for (size_t row = 0; row < rows; ++row) f(row, offsets[row], offsets[row + 1]);
}

Result<FunctionPtr> ResolveLength(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
  TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
  return MakeFunction(DataType::kInt, [](Vectors arguments, size_t rows, const EvaluationContext&,
                                         ColumnVector& out) {
    ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
      out.values<int32_t>()[row] = static_cast<int32_t>(last - first);
    });
    return Status::Ok();
  });
}

Resolver SumResolver(bool average) {
  return [average](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
    TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
    if (!IsNumeric(call.type(0)) || call.type(0) == DataType::kBigDecimal) return call.Unsuitable();
    return MakeFunction(DataType::kDouble, [average](Vectors arguments, size_t rows,
                                                     const EvaluationContext&, ColumnVector& out) {
      const Operand<double> flat(*arguments[0]);
      ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
        double sum = 0;
        for (uint32_t i = first; i < last; ++i) sum += flat[i];
        out.values<double>()[row] = average ? sum / static_cast<double>(last - first) : sum;
      });
      return Status::Ok();
    });
  };
}

template <class T>
T EmptyExtreme(bool greatest) {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) return greatest ? -Limits::infinity() : Limits::infinity();
  return greatest ? Limits::min() : Limits::max();
}

template <class T>
FunctionPtr NumberExtreme(DataType type, bool greatest) {
  return MakeFunction(type, [greatest](Vectors arguments, size_t rows, const EvaluationContext&,
                                       ColumnVector& out) {
    const std::vector<T>& flat = arguments[0]->values<T>();
    ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
      T best = EmptyExtreme<T>(greatest);
      for (uint32_t i = first; i < last; ++i)
        best = greatest ? std::max(best, flat[i]) : std::min(best, flat[i]);
      out.values<T>()[row] = best;
    });
    return Status::Ok();
  });
}

// arrayMin of text is always null in Pinot, because its starting null sorts first.
FunctionPtr TextExtreme(bool greatest) {
  return MakeFunction(DataType::kString, [greatest](Vectors arguments, size_t rows,
                                                    const EvaluationContext&, ColumnVector& out) {
    const std::vector<std::string_view>& flat = arguments[0]->values<std::string_view>();
    ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
      if (!greatest || first == last) return out.SetNull(row);
      std::string_view best = flat[first];
      for (uint32_t i = first + 1; i < last; ++i)
        best = CompareUtf16(flat[i], best) > 0 ? flat[i] : best;
      out.values<std::string_view>()[row] = out.arena().Copy(best);
    });
    return Status::Ok();
  });
}

Resolver ExtremeResolver(bool greatest) {
  return [greatest](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
    TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
    switch (call.type(0)) {
      case DataType::kInt:
        return NumberExtreme<int32_t>(DataType::kInt, greatest);
      case DataType::kLong:
        return NumberExtreme<int64_t>(DataType::kLong, greatest);
      case DataType::kFloat:
        return NumberExtreme<float>(DataType::kFloat, greatest);
      case DataType::kDouble:
        return NumberExtreme<double>(DataType::kDouble, greatest);
      case DataType::kString:
        return TextExtreme(greatest);
      default:
        return call.Unsuitable();
    }
  };
}

// Copies the elements of every row that `keep(row's own state, element)` wants.
template <class T, class NewRow>
void Filter(const ColumnVector& array, size_t rows, NewRow new_row, ColumnVector& out) {
  const std::vector<T>& flat = array.values<T>();
  std::vector<T>& to = out.values<T>();
  ForEachArray(array, rows, [&](size_t, uint32_t first, uint32_t last) {
    auto keep = new_row();
    for (uint32_t i = first; i < last; ++i) {
      if (keep(flat[i])) to.push_back(flat[i]);
    }
    out.offsets().push_back(static_cast<uint32_t>(to.size()));
  });
  out.SetSize(rows);
  out.KeepAllOf(array);
}

// Keeps the elements that are in the list, with their order and repetitions.
Result<FunctionPtr> ResolveValueIn(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 100'000));
  TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
  auto wanted = std::make_shared<ColumnVector>(call.type(0));
  for (size_t i = 1; i < call.size(); ++i) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string text, call.LiteralText(i));
    TRELLIS_ASSIGN_OR_RETURN(const Value value, ParseValue(text, call.type(0)));
    wanted->Append(value);
  }
  return WithPhysical(PhysicalOf(call.type(0)), [&](auto tag) -> FunctionPtr {
    using T = decltype(tag);
    const auto& values = wanted->values<T>();
    auto set = std::make_shared<const std::unordered_set<T>>(values.begin(), values.end());
    return MakeFunction(
        call.arguments[0].type,
        [wanted, set](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
          Filter<T>(
              *arguments[0], rows,
              [&set] { return [&set](const T& v) { return set->contains(v); }; }, out);
          return Status::Ok();
        });
  });
}

Resolver DistinctResolver(DataType element) {
  return [element](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
    TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
    if (call.type(0) != element) return call.Unsuitable();
    return WithPhysical(PhysicalOf(element), [&](auto tag) -> FunctionPtr {
      using T = decltype(tag);
      return MakeFunction(
          ValueType{element, true},
          [](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
            std::unordered_set<T> seen;
            const auto new_row = [&seen] {
              seen.clear();
              return [&seen](const T& v) { return seen.insert(v).second; };
            };
            Filter<T>(*arguments[0], rows, new_row, out);
            return Status::Ok();
          });
    });
  };
}

// The position of the wanted element in every row, -1 when absent.
template <class T>
void FindElement(Vectors arguments, size_t rows, std::vector<int32_t>& positions) {
  const std::vector<T>& flat = arguments[0]->values<T>();
  const Operand<T> wanted(*arguments[1]);
  positions.assign(rows, -1);
  ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
    const auto end = flat.begin() + last;
    const auto found = std::find(flat.begin() + first, end, wanted[row]);
    if (found != end) positions[row] = static_cast<int32_t>(found - flat.begin() - first);
  });
}

Resolver FindResolver(DataType element, bool position_wanted) {
  return [element, position_wanted](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
    TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
    const bool suitable =
        element == DataType::kInt ? ConvertsToNumber(call.type(1)) : call.type(1) < DataType::kMap;
    if (call.type(0) != element || call.multi_value(1) || !suitable) return call.Unsuitable();
    return WithPhysical(PhysicalOf(element), [&](auto tag) -> FunctionPtr {
      using T = decltype(tag);
      return MakeFunction(position_wanted ? DataType::kInt : DataType::kBoolean,
                          [position_wanted](Vectors arguments, size_t rows,
                                            const EvaluationContext&, ColumnVector& out) {
                            std::vector<int32_t>& to = out.values<int32_t>();
                            FindElement<T>(arguments, rows, to);
                            if (!position_wanted) {
                              for (int32_t& position : to) position = position >= 0;
                            }
                            return Status::Ok();
                          });
    });
  };
}

// Joins; with a third argument empty elements read as it.
Result<FunctionPtr> ResolveToString(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 3));
  TRELLIS_RETURN_IF_ERROR(CheckArray(call, 0));
  if (call.type(0) != DataType::kString) return call.Unsuitable();
  TRELLIS_ASSIGN_OR_RETURN(const std::string delimiter, call.LiteralText(1));
  std::string empty;
  if (call.size() > 2) {
    TRELLIS_ASSIGN_OR_RETURN(empty, call.LiteralText(2));
  }
  return MakeFunction(
      DataType::kString, [delimiter, empty](Vectors arguments, size_t rows,
                                            const EvaluationContext&, ColumnVector& out) {
        const std::vector<std::string_view>& flat = arguments[0]->values<std::string_view>();
        std::string text;
        ForEachArray(*arguments[0], rows, [&](size_t row, uint32_t first, uint32_t last) {
          text.clear();
          for (uint32_t i = first; i < last; ++i) {
            if (i > first) text += delimiter;
            text += flat[i].empty() ? std::string_view(empty) : flat[i];
          }
          out.values<std::string_view>()[row] = out.arena().Copy(text);
        });
        return Status::Ok();
      });
}

// ARRAY[...]: literals of one type.
Result<FunctionPtr> ResolveArrayConstructor(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 10'000));
  std::vector<Value> elements;
  for (size_t i = 0; i < call.size(); ++i) {
    const Value* literal = call.literal(i);
    if (literal == nullptr || literal->is_array() || literal->type() != call.type(0))
      return call.Unsuitable();
    elements.push_back(*literal);
  }
  const DataType type = call.type(0);
  if (type != DataType::kInt && type != DataType::kLong && !IsFloating(type) &&
      type != DataType::kString) {
    return call.Unsuitable();
  }
  return MakeFunction(ValueType{type, true},
                      [array = Value::Array(type, std::move(elements))](
                          Vectors, size_t rows, const EvaluationContext&, ColumnVector& out) {
                        for (size_t row = 0; row < rows; ++row) out.Append(array);
                        return Status::Ok();
                      });
}

}  // namespace

void RegisterArrays(Registry& registry) {
  registry.Add({"arraylength", "cardinality"}, Folding::kNever, ResolveLength);
  registry.Add({"arraysum"}, Folding::kNever, SumResolver(false));
  registry.Add({"arrayaverage"}, Folding::kNever, SumResolver(true));
  registry.Add({"arraymin"}, Folding::kNever, ExtremeResolver(false));
  registry.Add({"arraymax"}, Folding::kNever, ExtremeResolver(true));
  registry.Add({"valuein"}, Folding::kNever, ResolveValueIn);
  registry.Add({"arraydistinctint"}, Folding::kNever, DistinctResolver(DataType::kInt));
  registry.Add({"arraydistinctstring"}, Folding::kNever, DistinctResolver(DataType::kString));
  registry.Add({"arraycontainsint"}, Folding::kNever, FindResolver(DataType::kInt, false));
  registry.Add({"arraycontainsstring"}, Folding::kNever, FindResolver(DataType::kString, false));
  registry.Add({"arrayindexofint"}, Folding::kNever, FindResolver(DataType::kInt, true));
  registry.Add({"arrayindexofstring"}, Folding::kNever, FindResolver(DataType::kString, true));
  registry.Add({"arraytostring"}, Folding::kNever, ResolveToString);
  registry.Add({"arrayvalueconstructor"}, Folding::kNever, ResolveArrayConstructor);
}

}  // namespace trellis::eval
