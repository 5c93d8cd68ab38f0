// HISTOGRAM over equal bins (lo, hi, count) or an array of edges. Travels as the bins' counts, f64
// each.
#include <algorithm>
#include <cmath>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/parameter.h"

namespace trellis::aggregate {
namespace {

constexpr int64_t kBinCountMax = 10'000;

struct Bins {
  size_t heap_bytes = 0;
  size_t count = 0;
  double low = 0;
  double high = 0;
  std::vector<double> edges;  // count + 1 of them, empty for equal bins

  // The bin of `value`, or -1. NaN is in none.
  int64_t Find(double value) const {
    if (!(value >= low && value <= high)) return -1;
    if (value == high) return static_cast<int64_t>(count) - 1;
    if (edges.empty()) {
      const double width = (high - low) / static_cast<double>(count);
      return std::min(static_cast<int64_t>((value - low) / width), static_cast<int64_t>(count) - 1);
    }
    return std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1;
  }
};

struct HistogramCell {
  std::vector<double> counts;  // empty until a value is seen

  bool empty() const { return counts.empty(); }
  void Open(Bins& bins) {
    if (!counts.empty()) return;
    counts.resize(bins.count);
    bins.heap_bytes += bins.count * sizeof(double);
  }
  void Encode(std::string& out) const {
    out.append(reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(double));
  }
  Status MergeEncoded(ByteView bytes, Bins& bins) {
    if (bytes.size() != bins.count * sizeof(double)) {
      return Status::Corrupt("histogram state of {} bytes for {} bins", bytes.size(), bins.count);
    }
    Open(bins);
    for (size_t i = 0; i < bins.count; ++i) {
      counts[i] += LoadLittleEndian<double>(bytes.data() + i * sizeof(double));
    }
    return {};
  }
};

class HistogramStates final : public CellStates<HistogramCell, Bins> {
 public:
  using CellStates::CellStates;

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, AsNumbers(*arguments[0], scratch));
    WithNumeric(column->physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(*column, rows, null_handling_, [&](size_t group, T value) {
        cells_[group].Open(options_);
        const int64_t bin = options_.Find(ToDouble(value));
        if (bin >= 0) ++cells_[group].counts[static_cast<size_t>(bin)];
      });
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({DataType::kDouble, true});
    auto& flat = out.values<double>();
    for (size_t group = 0; group < cells_.size(); ++group) {
      const std::vector<double>& counts = cells_[group].counts;
      const bool null = counts.empty() && null_handling_;
      if (!null && counts.empty()) flat.resize(flat.size() + options_.count);
      flat.insert(flat.end(), counts.begin(), counts.end());
      out.offsets().push_back(static_cast<uint32_t>(flat.size()));
    }
    out.SetSize(cells_.size());
    for (size_t group = 0; null_handling_ && group < cells_.size(); ++group) {
      if (cells_[group].empty()) out.SetNull(group);
    }
    return {};
  }
};

Status Unsuitable(std::string_view why) {
  return Status::Query(PinotCode::kQueryValidation, "histogram: {}", why);
}

Result<Bins> BinsOfEdges(const Value& array) {
  Bins bins;
  for (const Value& element : array.elements()) {
    if (element.is_null() || element.is_array() || !IsNumeric(element.type())) {
      return Unsuitable("edges must be numbers");
    }
    bins.edges.push_back(element.AsDouble());
  }
  if (bins.edges.size() < 2 || bins.edges.size() > static_cast<size_t>(kBinCountMax)) {
    return Unsuitable(
        fmt::format("{} edges, from 2 to {} are needed", bins.edges.size(), kBinCountMax));
  }
  for (size_t i = 1; i < bins.edges.size(); ++i) {
    if (!(bins.edges[i - 1] < bins.edges[i]))
      return Unsuitable("edges must be strictly increasing");
  }
  bins.count = bins.edges.size() - 1;
  bins.low = bins.edges.front();
  bins.high = bins.edges.back();
  return bins;
}

Result<Bins> BinsOf(const AggregateSpec& spec) {
  if (spec.parameters.size() == 1 && spec.parameters[0].is_array())
    return BinsOfEdges(spec.parameters[0]);
  if (spec.parameters.size() != 3) {
    return Unsuitable(
        "takes a column and an array of edges, or a column, lower, upper and a number of bins");
  }
  Bins bins;
  TRELLIS_ASSIGN_OR_RETURN(bins.low, NumberParameter(spec, 0));
  TRELLIS_ASSIGN_OR_RETURN(bins.high, NumberParameter(spec, 1));
  TRELLIS_ASSIGN_OR_RETURN(const int64_t count, IntegerParameter(spec, 2));
  if (!std::isfinite(bins.low) || !std::isfinite(bins.high) || !(bins.low < bins.high)) {
    return Unsuitable("the upper bound must be above the lower one");
  }
  if (count < 1 || count > kBinCountMax) {
    return Unsuitable(fmt::format("{} bins, from 1 to {} are allowed", count, kBinCountMax));
  }
  bins.count = static_cast<size_t>(count);
  return bins;
}

}  // namespace

Resolved ResolveHistogram(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireNumber(spec));
  TRELLIS_ASSIGN_OR_RETURN(const Bins bins, BinsOf(spec));
  return MakeFunction<HistogramStates>({DataType::kDouble, true}, DataType::kBytes,
                                       spec.argument_types, spec.null_handling, bins);
}

}  // namespace trellis::aggregate
