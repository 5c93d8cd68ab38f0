// DISTINCTCOUNTHLL and DISTINCTCOUNTRAWHLL. Travel as the serialised HyperLogLog (hyperloglog.h).
#include <bit>
#include <cstdlib>

#include "common/aggregate/cell_states.h"
#include "common/aggregate/families.h"
#include "common/aggregate/hyperloglog.h"
#include "common/aggregate/parameter.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

constexpr int64_t kLog2mDefault = 8;
// Pinot allows 30; a group of more than 2^20 registers is refused by us.
constexpr int64_t kLog2mAllowedMax = 20;

struct HllCell {
  HyperLogLog hll{static_cast<int>(kLog2mDefault)};

  bool empty() const { return hll.empty(); }
  void Encode(std::string& out) const { hll.Serialize(out); }
  Status MergeEncoded(ByteView bytes, HeapOnly& heap) {
    TRELLIS_ASSIGN_OR_RETURN(const HyperLogLog other, HyperLogLog::Parse(bytes));
    if (hll.empty()) heap.heap_bytes += other.heap_bytes();
    return hll.Merge(other);
  }
};

// Java's BigDecimal.toString: scientific for negative scales and below 1e-6.
std::string JavaDecimalText(const BigDecimal& value) {
  std::string digits = value.unscaled().str();
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  const int exponent = static_cast<int>(digits.size()) - 1 - value.scale();
  if (value.scale() >= 0 && exponent >= -6) return value.ToPlainText();
  if (digits.size() > 1) digits.insert(1, ".");
  if (exponent == 0) return fmt::format("{}{}", negative ? "-" : "", digits);
  return fmt::format("{}{}E{}{}", negative ? "-" : "", digits, exponent < 0 ? '-' : '+',
                     std::abs(exponent));
}

// The integer that stands for a fixed-width value in the hash.
template <class T>
int64_t HashedBits(T value) {
  if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<int32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<int64_t>(value);
  else
    return value;
}

class HllStates final : public CellStates<HllCell, HeapOnly> {
 public:
  HllStates(std::vector<ValueType> arguments, bool null_handling, int log2m, bool raw)
      : CellStates(std::move(arguments), null_handling, HeapOnly{}), log2m_(log2m), raw_(raw) {}

  void Resize(size_t groups) override { cells_.resize(groups, HllCell{HyperLogLog(log2m_)}); }

  Status Add(std::span<const ColumnVector* const> arguments, const RowsToGroups& rows) override {
    TRELLIS_RETURN_IF_ERROR(CheckArguments(arguments, arguments_));
    const ColumnVector& column = *arguments[0];
    const ValueType type = arguments_[0];
    if (type.type == DataType::kBytes && !type.multi_value) return AddSerialized(column, rows);
    if (type.type == DataType::kBigDecimal) return AddDecimals(column, rows);
    WithPhysical(column.physical(), [&](auto tag) {
      using T = decltype(tag);
      ForEachValue<T>(column, rows, null_handling_, [&](size_t group, const T& value) {
        if constexpr (std::is_same_v<T, std::string_view>)
          AddHash(group, HyperLogLogHash(value));
        else
          AddHash(group, HyperLogLogHash(HashedBits(value)));
      });
    });
    return {};
  }

  Status Finish(ColumnVector& out) const override {
    out.Reset({raw_ ? DataType::kString : DataType::kLong, false});
    std::string bytes;
    for (const HllCell& cell : cells_) {
      if (!raw_) {
        AppendRow<int64_t>(cell.hll.Cardinality(), out);
        continue;
      }
      bytes.clear();
      cell.hll.Serialize(bytes);
      AppendBytesRow(HexText(bytes), out);
    }
    return {};
  }

 private:
  void AddHash(size_t group, uint32_t hash) {
    HyperLogLog& hll = cells_[group].hll;
    if (hll.empty()) options_.heap_bytes += size_t{1} << hll.log2m();
    hll.AddHash(hash);
  }

  // A single-value BYTES column holds sketches, not values.
  Status AddSerialized(const ColumnVector& column, const RowsToGroups& rows) {
    Status status;
    ForEachValue<std::string_view>(
        column, rows, null_handling_, [&](size_t group, std::string_view bytes) {
          if (status.ok()) status = cells_[group].MergeEncoded(AsBytes(bytes), options_);
        });
    return status.WithPinotCode(PinotCode::kQueryExecution);
  }

  Status AddDecimals(const ColumnVector& column, const RowsToGroups& rows) {
    Status status;
    ForEachValue<std::string_view>(
        column, rows, null_handling_, [&](size_t group, std::string_view bytes) {
          const auto value = BigDecimal::FromBytes(bytes);
          if (value.ok())
            AddHash(group, HyperLogLogHash(std::string_view(JavaDecimalText(*value))));
          else
            status = value.status();
        });
    return status;
  }

  int log2m_;
  bool raw_;
};

}  // namespace

Resolved ResolveHyperLogLog(const AggregateSpec& spec) {
  TRELLIS_RETURN_IF_ERROR(RequireParameters(spec, 0, 1));
  TRELLIS_RETURN_IF_ERROR(RefuseMap(spec));
  const DataType type = spec.argument_types[0].type;
  int64_t log2m = kLog2mDefault;
  if (!spec.parameters.empty()) {
    TRELLIS_ASSIGN_OR_RETURN(log2m, IntegerParameter(spec, 0));
  }
  if (log2m < 1 || log2m > kLog2mAllowedMax) {
    return Status::Query(PinotCode::kQueryValidation,
                         "log2m of {} must be from 1 to {} in Trellis, got {}", spec.function,
                         kLog2mAllowedMax, log2m);
  }
  const bool raw = spec.function == "distinctcountrawhll";
  return MakeFunction<HllStates>({raw ? DataType::kString : DataType::kLong, false},
                                 DataType::kBytes, spec.argument_types, spec.null_handling,
                                 static_cast<int>(log2m), raw);
}

}  // namespace trellis::aggregate
