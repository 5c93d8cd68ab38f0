// PERCENTILE: exact, without interpolation. Travels as the values themselves, f64 each.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/parameter.h"
#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

struct ValuesCell {
  std::vector<double> values;

  bool empty() const { return values.empty(); }
  void Encode(std::string& out) const {
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  }
  Status MergeEncoded(ByteView bytes, HeapOnly& heap) {
    if (bytes.size() % sizeof(double) != 0) {
      return Status::Corrupt("percentile state of {} bytes is no row of doubles", bytes.size());
    }
    if (bytes.empty()) return {};
    const size_t before = values.size();
    values.resize(before + bytes.size() / sizeof(double));
    std::memcpy(values.data() + before, bytes.data(), bytes.size());
    heap.heap_bytes += bytes.size();
    return {};
  }
};

// Java's sort order of doubles: NaN last, -0.0 before 0.0.
bool Below(double a, double b) {
  if (a < b) return true;
  if (a > b) return false;
  if (a == b) return a == 0 && std::signbit(a) && !std::signbit(b);
  return a == a && b != b;
}

double PercentileOf(const ValuesCell& cell, double percentile) {
  if (cell.empty()) return -std::numeric_limits<double>::infinity();
  std::vector<double> values = cell.values;
  size_t at = values.size() - 1;
  if (percentile != 100) {
    at = std::min(at, static_cast<size_t>(static_cast<double>(values.size()) * percentile / 100));
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end(),
                   Below);
  return values[at];
}

class PercentileStates final : public CellStates<ValuesCell, HeapOnly> {
 public:
  PercentileStates(std::vector<ValueType> arguments, bool null_handling, double percentile)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), percentile_(percentile) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, AsNumbers(*arguments[0], scratch));
    size_t added = 0;
    WithNumeric(column->physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(*column, rows, null_handling_, [&](size_t group, T value) {
        cells_[group].values.push_back(ToDouble(value));
        ++added;
      });
    });
    options_.heap_bytes += added * sizeof(double);
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    return FinishEach<double>(DataType::kDouble, out, [this](const ValuesCell& cell) {
      return PercentileOf(cell, percentile_);
    });
  }

 private:
  double percentile_;
};

}  // namespace

Resolved ResolvePercentile(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 1, 1));
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  TRELLIS_ASSIGN_OR_RETURN(const double percentile, NumberParameter(spec, 0));
  if (!(percentile >= 0 && percentile <= 100)) {
    return Status::Query(PinotCode::kQueryValidation,
                         "Invalid percentile: {}, it must be from 0 to 100",
                         JavaDoubleText(percentile));
  }
  return MakeFunction<PercentileStates>({DataType::kDouble, false}, DataType::kBytes,
                                        spec.argument_types, spec.null_handling, percentile);
}

}  // namespace trellis::aggregate
