// DISTINCTCOUNT, DISTINCTSUM, DISTINCTAVG over exact sets. A set travels as its keys one after the
// other (typed_key.h), in no particular order.
#include <algorithm>
#include <limits>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/typed_key.h"

namespace trellis::aggregate {
namespace {

enum class Answer { kCount, kSum, kAverage };

template <class T>
struct SetCell {
  using Key = typename KeyOf<T>::Key;
  KeySet<Key> set;

  bool empty() const { return set.empty(); }
  void Encode(std::string& out) const {
    for (const Key& key : set) AppendKey(key, out);
  }
  Status MergeEncoded(ByteView bytes, SharedHeap& heap) {
    ByteReader reader(bytes);
    while (!reader.at_end()) {
      TRELLIS_ASSIGN_OR_RETURN(const Key key, ReadKey<Key>(reader));
      InsertKey(key, set, heap);
    }
    return {};
  }
};

// Sums in ascending order, so that equal sets give equal sums whatever their history.
template <class T>
double SumOf(const SetCell<T>& cell) {
  std::vector<double> values;
  values.reserve(cell.set.size());
  for (const auto& key : cell.set) values.push_back(ToDouble(KeyOf<T>::Value(key)));
  std::sort(values.begin(), values.end(),
            [](double a, double b) { return a < b || (a == a && b != b); });
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

template <class T, Answer answer>
class DistinctStates final : public CellStates<SetCell<T>, SharedHeap> {
 public:
  DistinctStates(std::vector<ValueType> arguments, bool null_handling)
      : CellStates<SetCell<T>, SharedHeap>(std::move(arguments), null_handling, SharedHeap{}) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, this->arguments_));
    const ColumnVector* column = arguments[0];
    ColumnVector scratch;
    if constexpr (answer != Answer::kCount) {
      TRELLIS_ASSIGN_OR_RETURN(column, AsNumbers(*arguments[0], scratch));
    }
    ForEachValue<T>(*column, rows, this->null_handling_, [this](size_t group, const T& value) {
      InsertKey(KeyOf<T>::From(value), this->cells_[group].set, this->options_);
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    if constexpr (answer == Answer::kCount) {
      out.Reset({DataType::kInt, false});
      for (const auto& cell : this->cells_) AppendRow(static_cast<int32_t>(cell.set.size()), out);
      return {};
    } else {
      return this->template FinishEach<double>(DataType::kDouble, out, [](const SetCell<T>& cell) {
        if (answer == Answer::kSum) return SumOf(cell);
        if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
        return SumOf(cell) / static_cast<double>(cell.set.size());
      });
    }
  }
};

}  // namespace

Resolved ResolveDistinct(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  TRELLIS_RETURN_IF_ERROR(RefuseMap(spec));
  const Physical physical = PhysicalOf(spec.argument_types[0].type);
  if (spec.function == "distinctcount") {
    return WithPhysical(physical, [&](auto tag) -> Resolved {
      return MakeFunction<DistinctStates<decltype(tag), Answer::kCount>>(
          {DataType::kInt, false}, DataType::kBytes, spec.argument_types, spec.null_handling);
    });
  }
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  return WithNumeric(physical, [&](auto tag) -> Resolved {
    using T = decltype(tag);
    const ValueType as_double{DataType::kDouble, false};
    if (spec.function == "distinctsum") {
      return MakeFunction<DistinctStates<T, Answer::kSum>>(as_double, DataType::kBytes,
                                                           spec.argument_types, spec.null_handling);
    }
    return MakeFunction<DistinctStates<T, Answer::kAverage>>(
        as_double, DataType::kBytes, spec.argument_types, spec.null_handling);
  });
}

}  // namespace trellis::aggregate
