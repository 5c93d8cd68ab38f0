// VAR_*, STDDEV_*, SKEWNESS, KURTOSIS, COVAR_*: in Pinot's order of operations, so that figures are
// equal to the last bit. Travel as the cells' fields: {i64 n, f64 sum, f64 m2}, {i64 n, f64
// m1..m4}, {f64 x, f64 y, f64 xy, i64 n}. This file must be compiled without contraction to FMA.
//
// Updates by Chan, Golub and LeVeque ("Updating Formulae and a Pairwise Algorithm for Computing
// Sample Variances") and Pébay's extension to higher moments.
#include <cmath>
#include <limits>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"

namespace trellis::aggregate {
namespace {

constexpr double kNoAnswer = -std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// Java's long arithmetic: wraps.
int64_t Multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t Plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// A cell that is its own wire form. Derived is trivially copyable and has `int64_t n`.
template <class Derived>
struct PlainCell {
  bool empty() const { return self().n == 0; }
  void Encode(std::string& out) const { AppendLittleEndian(self(), out); }
  Status MergeEncoded(ByteView bytes, HeapOnly&) {
    if (bytes.size() != sizeof(Derived)) {
      return Status::Corrupt("moments of {} bytes, not {}", bytes.size(), sizeof(Derived));
    }
    Derived other;
    std::memcpy(&other, bytes.data(), sizeof(Derived));
    if (other.n < 0) return Status::Corrupt("moments of {} values", other.n);
    static_cast<Derived*>(this)->Combine(other);
    return {};
  }
  const Derived& self() const { return *static_cast<const Derived*>(this); }
};

struct VarianceCell : PlainCell<VarianceCell> {
  int64_t n = 0;
  double sum = 0;
  double m2 = 0;

  void Add(double value) {
    ++n;
    sum += value;
    if (n <= 1) return;
    const double t = static_cast<double>(n) * value - sum;
    m2 += t * t / static_cast<double>(Multiply(n, n - 1));
  }
  void Combine(const VarianceCell& other) {
    if (other.n == 0) return;
    const double own = static_cast<double>(n);
    const double theirs = static_cast<double>(other.n);
    const double delta = other.sum / theirs - (n == 0 ? 0 : sum / own);
    m2 += other.m2 + delta * delta * theirs * own / static_cast<double>(Plus(n, other.n));
    sum += other.sum;
    n = Plus(n, other.n);
  }
};

struct MomentsCell : PlainCell<MomentsCell> {
  int64_t n = 0;
  double m1 = 0;
  double m2 = 0;
  double m3 = 0;
  double m4 = 0;

  void Add(double value) {
    const double old_m2 = m2;
    const double old_m3 = m3;
    ++n;
    const double count = static_cast<double>(n);
    const double deviation = value - m1;
    const double step = deviation / count;
    const double step2 = step * step;
    m1 += step;
    m2 += (count - 1) * deviation * step;
    m3 = m3 - 3.0 * step * old_m2 + (count - 1) * (count - 2) * step2 * deviation;
    m4 = m4 - 4.0 * step * old_m3 + 6.0 * step2 * old_m2 +
         (count * count - 3 * (count - 1)) * (step2 * step2 * (count - 1) * count);
  }
  void Combine(const MomentsCell& other) {
    if (other.n == 0) return;
    if (n == 0) {
      *this = other;
      return;
    }
    const double a = static_cast<double>(n);
    const double b = static_cast<double>(other.n);
    const int64_t sum = Plus(n, other.n);
    const double all = static_cast<double>(sum);
    const double all2 = static_cast<double>(Multiply(sum, sum));
    const double delta = other.m1 - m1;
    const double delta2 = delta * delta;
    const double delta3 = delta2 * delta;
    const double delta4 = delta3 * delta;
    const double aa = static_cast<double>(Multiply(n, n));
    const double bb = static_cast<double>(Multiply(other.n, other.n));
    const double mixed = static_cast<double>(
        Plus(Plus(Multiply(n, n), Multiply(-1, Multiply(n, other.n))), Multiply(other.n, other.n)));
    const double mean = (a * m1 + b * other.m1) / all;
    const double second = m2 + other.m2 + delta2 * a * b / all;
    const double third = m3 + other.m3 + delta3 * a * b * static_cast<double>(n - other.n) / all2 +
                         3.0 * delta * (a * other.m2 - b * m2) / all;
    const double fourth = m4 + other.m4 + delta4 * a * b * mixed / (all * all * all) +
                          6.0 * delta2 * (aa * other.m2 + bb * m2) / all2 +
                          4.0 * delta * (a * other.m3 - b * m3) / all;
    n = sum;
    m1 = mean;
    m2 = second;
    m3 = third;
    m4 = fourth;
  }
  double Skewness() const {
    if (n < 3) return kNotANumber;
    const double count = static_cast<double>(n);
    const double variance = m2 / (count - 1);
    if (variance < 1e-19) return 0;
    return count * m3 / ((count - 1) * (count - 2) * std::sqrt(variance) * variance);
  }
  double Kurtosis() const {
    if (n <= 3) return kNotANumber;
    const double count = static_cast<double>(n);
    const double variance = m2 / (count - 1);
    if (variance < 1e-19) return 0;
    return (count * (count + 1) * m4 - 3 * m2 * m2 * (count - 1)) /
           ((count - 1) * (count - 2) * (count - 3) * variance * variance);
  }
};

struct CovarianceCell : PlainCell<CovarianceCell> {
  double x = 0;
  double y = 0;
  double xy = 0;
  int64_t n = 0;

  void Add(double first, double second) {
    x += first;
    y += second;
    xy += first * second;
    ++n;
  }
  void Combine(const CovarianceCell& other) {
    x += other.x;
    y += other.y;
    xy += other.xy;
    n = Plus(n, other.n);
  }
};

enum class Spread { kVariancePop, kVarianceSample, kDeviationPop, kDeviationSample };

double SpreadOf(const VarianceCell& cell, Spread spread) {
  const bool sample = spread == Spread::kVarianceSample || spread == Spread::kDeviationSample;
  const int64_t divisor = sample ? cell.n - 1 : cell.n;
  if (divisor <= 0) return kNoAnswer;
  const double variance = cell.m2 / static_cast<double>(divisor);
  return spread == Spread::kDeviationPop || spread == Spread::kDeviationSample ? std::sqrt(variance)
                                                                               : variance;
}

class VarianceStates final : public CellStates<VarianceCell, HeapOnly> {
 public:
  VarianceStates(std::vector<ValueType> arguments, bool null_handling, Spread spread)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), spread_(spread) {}

  // Without groups a batch has a cell of its own that is then combined; with groups each value has.
  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, AsNumbers(*arguments[0], scratch));
    VarianceCell batch;
    WithNumeric(column->physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(*column, rows, null_handling_, [&](size_t group, T value) {
        if (rows.groups == nullptr) return batch.Add(ToDouble(value));
        VarianceCell one;
        one.Add(ToDouble(value));
        cells_[group].Combine(one);
      });
    });
    if (batch.n > 0) cells_[0].Combine(batch);
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    return FinishEach<double>(DataType::kDouble, out,
                              [this](const VarianceCell& cell) { return SpreadOf(cell, spread_); });
  }

 private:
  Spread spread_;
};

class FourthMomentStates final : public CellStates<MomentsCell, HeapOnly> {
 public:
  FourthMomentStates(std::vector<ValueType> arguments, bool null_handling, bool kurtosis)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), kurtosis_(kurtosis) {}

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    ColumnVector scratch;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* column, AsNumbers(*arguments[0], scratch));
    WithNumeric(column->physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(*column, rows, null_handling_,
                      [&](size_t group, T value) { cells_[group].Add(ToDouble(value)); });
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    return FinishEach<double>(DataType::kDouble, out, [this](const MomentsCell& cell) {
      return kurtosis_ ? cell.Kurtosis() : cell.Skewness();
    });
  }

 private:
  bool kurtosis_;
};

class CovarianceStates final : public CellStates<CovarianceCell, HeapOnly> {
 public:
  CovarianceStates(std::vector<ValueType> arguments, bool null_handling, bool sample)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), sample_(sample) {}

  // Without groups a batch's sums are added up first, as Pinot does.
  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    ColumnVector scratch_x;
    ColumnVector scratch_y;
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* x, AsNumbers(*arguments[0], scratch_x));
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* y, AsNumbers(*arguments[1], scratch_y));
    CovarianceCell batch;
    WithNumeric(x->physical(), [&](auto x_tag) {
      WithNumeric(y->physical(), [&](auto y_tag) {
        const RowReader<decltype(x_tag)> xs(*x);
        const RowReader<decltype(y_tag)> ys(*y);
        for (size_t i = 0; i < rows.count; ++i) {
          const size_t row = rows.row(i);
          if (null_handling_ && (x->is_null(row) || y->is_null(row))) continue;
          CovarianceCell& cell = rows.groups == nullptr ? batch : cells_[rows.groups[i]];
          cell.Add(ToDouble(xs[row]), ToDouble(ys[row]));
        }
      });
    });
    if (batch.n > 0) cells_[0].Combine(batch);
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    TRELLIS_RETURN_IF_ERROR(
        FinishEach<double>(DataType::kDouble, out, [this](const CovarianceCell& cell) {
          const int64_t divisor = sample_ ? cell.n - 1 : cell.n;
          if (divisor <= 0) return kNoAnswer;
          return cell.xy / static_cast<double>(divisor) -
                 cell.x * cell.y / static_cast<double>(Multiply(cell.n, divisor));
        }));
    // A sample of one is NULL under null handling, unlike VAR_SAMP's.
    for (size_t group = 0; null_handling_ && sample_ && group < cells_.size(); ++group) {
      if (cells_[group].n == 1) out.SetNull(group);
    }
    return {};
  }

 private:
  bool sample_;
};

Status RequirePlainNumbers(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 0));
  for (size_t i = 0; i < spec.argument_types.size(); ++i) {
    TRELLIS_RETURN_IF_ERROR(RequireNumber(spec, i));
    TRELLIS_RETURN_IF_ERROR(RequireSingleValue(spec, i));
  }
  return {};
}

}  // namespace

Resolved ResolveVariance(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequirePlainNumbers(spec));
  Spread spread = Spread::kVariancePop;
  if (spec.function == "varsamp") spread = Spread::kVarianceSample;
  if (spec.function == "stddevpop") spread = Spread::kDeviationPop;
  if (spec.function == "stddevsamp") spread = Spread::kDeviationSample;
  return MakeFunction<VarianceStates>({DataType::kDouble, false}, DataType::kBytes,
                                      spec.argument_types, spec.null_handling, spread);
}

Resolved ResolveFourthMoment(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequirePlainNumbers(spec));
  return MakeFunction<FourthMomentStates>({DataType::kDouble, false}, DataType::kBytes,
                                          spec.argument_types, spec.null_handling,
                                          spec.function == "kurtosis");
}

Resolved ResolveCovariance(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequirePlainNumbers(spec));
  return MakeFunction<CovarianceStates>({DataType::kDouble, false}, DataType::kBytes,
                                        spec.argument_types, spec.null_handling,
                                        spec.function == "covarsamp");
}

}  // namespace trellis::aggregate
