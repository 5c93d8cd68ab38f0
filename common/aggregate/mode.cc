// MODE over INT, LONG, FLOAT, DOUBLE. Travels as {key, i64 count} pairs, in no particular order.
#include <limits>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/typed_key.h"

namespace trellis::aggregate {
namespace {

enum class Tie { kMin, kMax, kAverage };

template <class T>
struct CountsCell {
  using Key = typename KeyOf<T>::Key;
  KeyMap<Key, int64_t> counts;

  bool empty() const { return counts.empty(); }
  void AddCount(Key key, int64_t count, HeapOnly& heap) {
    const auto [at, inserted] = counts.try_emplace(key, 0);
    at->second =
        static_cast<int64_t>(static_cast<uint64_t>(at->second) + static_cast<uint64_t>(count));
    if (inserted) heap.heap_bytes += 2 * (sizeof(Key) + sizeof(int64_t));
  }
  void Encode(std::string& out) const {
    for (const auto& [key, count] : counts) {
      AppendLittleEndian(key, out);
      AppendLittleEndian(count, out);
    }
  }
  Status MergeEncoded(ByteView bytes, HeapOnly& heap) {
    ByteReader reader(bytes);
    while (!reader.at_end()) {
      TRELLIS_ASSIGN_OR_RETURN(const Key key, reader.ReadLittleEndian<Key>());
      TRELLIS_ASSIGN_OR_RETURN(const int64_t count, reader.ReadLittleEndian<int64_t>());
      if (count <= 0) return Status::Corrupt("mode state counts a value {} times", count);
      AddCount(key, count, heap);
    }
    return {};
  }
};

// Orders as Java does: NaN above all, -0.0 below 0.0.
template <class T>
bool Below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a == a && b != b;
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

template <class T>
double ModeOf(const CountsCell<T>& cell, Tie tie) {
  if (cell.empty()) return -std::numeric_limits<double>::infinity();
  int64_t most = 0;
  for (const auto& [key, count] : cell.counts) most = std::max(most, count);
  double sum = 0;
  int64_t tied = 0;
  T best{};
  for (const auto& [key, count] : cell.counts) {
    if (count != most) continue;
    const T value = KeyOf<T>::Value(key);
    if (tied == 0 || (tie == Tie::kMax ? Below(best, value) : Below(value, best))) best = value;
    sum += ToDouble(value);
    ++tied;
  }
  return tie == Tie::kAverage ? sum / static_cast<double>(tied) : ToDouble(best);
}

template <class T>
class ModeStates final : public CellStates<CountsCell<T>, HeapOnly> {
 public:
  ModeStates(std::vector<ValueType> arguments, bool null_handling, Tie tie)
      : CellStates<CountsCell<T>, HeapOnly>(std::move(arguments), null_handling, HeapOnly{}),
        tie_(tie) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, this->arguments_));
    ForEachValue<T>(*arguments[0], rows, this->null_handling_, [this](size_t group, T value) {
      this->cells_[group].AddCount(KeyOf<T>::From(value), 1, this->options_);
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    return this->template FinishEach<double>(
        DataType::kDouble, out, [this](const CountsCell<T>& cell) { return ModeOf(cell, tie_); });
  }

 private:
  Tie tie_;
};

}  // namespace

Resolved ResolveMode(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 1));
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec));
  const DataType type = spec.argument_types[0].type;
  if (type == DataType::kBigDecimal) {
    return Status::Query(PinotCode::kQueryValidation, "Cannot compute mode for type: BIG_DECIMAL");
  }
  Tie tie = Tie::kMin;
  if (!spec.parameters.empty()) {
    const std::string reducer = ValueToText(spec.parameters[0]);
    if (reducer == "MAX") {
      tie = Tie::kMax;
    } else if (reducer == "AVG") {
      tie = Tie::kAverage;
    } else if (reducer != "MIN") {
      return Status::Query(PinotCode::kQueryValidation,
                           "mode takes 'MIN', 'MAX' or 'AVG', got '{}'", reducer);
    }
  }
  return WithNumeric(PhysicalOf(type), [&](auto tag) -> Resolved {
    return MakeFunction<ModeStates<decltype(tag)>>({DataType::kDouble, false}, DataType::kBytes,
                                                   spec.argument_types, spec.null_handling, tie);
  });
}

}  // namespace trellis::aggregate
