#include <limits>
#include <optional>

#include "common/eval/cast.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"

namespace trellis::eval {
namespace {

constexpr uint16_t kNoBranch = std::numeric_limits<uint16_t>::max();

// Copies for every row the value of the branch chosen for it; no branch leaves a placeholder and a
// null. The branches have the type of `out`.
void Pick(std::span<const ColumnVector* const> branches, const std::vector<uint16_t>& choice,
          ColumnVector& out) {
  WithPhysical(out.physical(), [&](auto tag) {
    using T = decltype(tag);
    std::vector<T>& to = out.values<T>();
    for (size_t b = 0; b < branches.size(); ++b) {
      const RowReader<T> from(*branches[b]);
      const bool nulls = branches[b]->has_nulls();
      for (size_t row = 0; row < choice.size(); ++row) {
        if (choice[row] != b) continue;
        to[row] = from[row];
        if (nulls && branches[b]->is_null(row)) out.SetNull(row);
      }
      out.KeepAllOf(*branches[b]);
    }
  });
  for (size_t row = 0; row < choice.size(); ++row) {
    if (choice[row] == kNoBranch) out.SetNull(row);
  }
  if (out.type() == DataType::kBigDecimal && out.has_nulls()) {
    for (std::string_view& value : out.values<std::string_view>()) {
      if (value.empty()) value = out.arena().Copy(BigDecimal().ToBytes());
    }
  }
}

// The branches of one batch, converted to one type. Owns the conversions.
class ConvertedBranches {
 public:
  ConvertedBranches(size_t count, DataType type) : scratch_(count), type_(type) {
    branches_.reserve(count);
  }
  void Add(const ColumnVector& branch) {
    ColumnVector& scratch = scratch_[branches_.size()];
    branches_.push_back(&ConvertTo(branch, type_, scratch));
  }
  void AddOwned(ColumnVector branch) {
    ColumnVector& scratch = scratch_[branches_.size()];
    scratch = std::move(branch);
    branches_.push_back(&scratch);
  }
  std::span<const ColumnVector* const> span() const { return branches_; }

 private:
  std::vector<ColumnVector> scratch_;
  DataType type_;
  std::vector<const ColumnVector*> branches_;
};

// The positions of CASE's branches among its arguments: when, then, when, then, ..., else.
std::vector<size_t> BranchPositions(size_t arguments) {
  std::vector<size_t> positions;
  for (size_t i = 1; i < arguments; i += 2) positions.push_back(i);
  if (arguments % 2 == 1) positions.push_back(arguments - 1);
  return positions;
}

// Numbers widen; text literals are untyped and follow the others; NULL has no say.
Result<DataType> CaseType(const Call& call, const std::vector<size_t>& positions) {
  DataType common = DataType::kUnknown;
  bool any_text_literal = false;
  for (const size_t i : positions) {
    const DataType type = call.type(i);
    if (type == DataType::kUnknown) continue;
    if (call.literal(i) != nullptr && type == DataType::kString) {
      any_text_literal = true;
    } else if (common == DataType::kUnknown || common == type) {
      common = type;
    } else if (IsNumeric(common) && IsNumeric(type)) {
      common = WiderNumeric(common, type);
    } else {
      return Status::Query(PinotCode::kQueryValidation,
                           "Cannot unify the types of CASE branches: {} and {}",
                           DataTypeName(common), DataTypeName(type));
    }
  }
  if (common == DataType::kUnknown || (any_text_literal && common == DataType::kString))
    return DataType::kString;
  return common;
}

// Text literals parsed as the result type, by branch; nullopt where the branch is used as it is.
Result<std::vector<std::optional<Value>>> ParseTextLiterals(const Call& call,
                                                            const std::vector<size_t>& positions,
                                                            DataType type) {
  std::vector<std::optional<Value>> parsed(positions.size());
  for (size_t b = 0; b < positions.size(); ++b) {
    const Value* literal = call.literal(positions[b]);
    if (literal == nullptr || literal->type() != DataType::kString || type == DataType::kString)
      continue;
    TRELLIS_ASSIGN_OR_RETURN(parsed[b], ParseValue(literal->bytes(), type));
  }
  return parsed;
}

Result<FunctionPtr> ResolveCase(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2000));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  const std::vector<size_t> positions = BranchPositions(call.size());
  for (size_t i = 0; i + 1 < call.size(); i += 2) {
    if (!ConvertsToNumber(call.type(i))) return call.Unsuitable();
  }
  TRELLIS_ASSIGN_OR_RETURN(const DataType type, CaseType(call, positions));
  TRELLIS_ASSIGN_OR_RETURN(auto parsed, ParseTextLiterals(call, positions, type));
  return MakeNullHandlingFunction(type, [positions, parsed = std::move(parsed), type](
                                            Vectors arguments, size_t rows,
                                            const EvaluationContext& context, ColumnVector& out) {
    const size_t whens = arguments.size() / 2;
    const bool has_else = arguments.size() % 2 == 1;
    std::vector<uint16_t> choice(rows, has_else ? static_cast<uint16_t>(whens) : kNoBranch);
    for (size_t w = whens;
         w-- > 0;) {  // backwards, so that the first true condition is the last to write
      ColumnVector scratch;
      const ColumnVector& truth = ConvertTo(*arguments[2 * w], DataType::kBoolean, scratch);
      const RowReader<int32_t> is_true(truth);
      const bool nulls = context.null_handling && truth.has_nulls();
      for (size_t row = 0; row < rows; ++row) {
        if (is_true[row] != 0 && !(nulls && truth.is_null(row)))
          choice[row] = static_cast<uint16_t>(w);
      }
    }
    ConvertedBranches branches(positions.size(), type);
    for (size_t b = 0; b < positions.size(); ++b) {
      if (parsed[b]) {
        branches.AddOwned(ColumnVector::Constant(*parsed[b], rows));
      } else {
        branches.Add(*arguments[positions[b]]);
      }
    }
    Pick(branches.span(), choice, out);
    return Status::Ok();
  });
}

DataType CoalesceType(const Call& call) {
  DataType common = DataType::kUnknown;
  for (size_t i = 0; i < call.size(); ++i) {
    const DataType type = call.type(i);
    if (type == DataType::kUnknown || type == common) continue;
    if (common == DataType::kUnknown) {
      common = type;
    } else {
      common =
          IsNumeric(common) && IsNumeric(type) ? WiderNumeric(common, type) : DataType::kString;
    }
  }
  return common == DataType::kUnknown ? DataType::kString : common;
}

// Uses the null vector even without null handling (pinot-functions.md 2.2).
Result<FunctionPtr> ResolveCoalesce(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1000));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  const DataType type = CoalesceType(call);
  for (size_t i = 0; i < call.size(); ++i) {
    if (!IsCastable(call.type(i), type)) return call.Unsuitable();
  }
  return MakeNullHandlingFunction(
      type, [type](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
        std::vector<uint16_t> choice(rows, kNoBranch);
        ConvertedBranches branches(arguments.size(), type);
        for (size_t i = 0; i < arguments.size(); ++i) {
          for (size_t row = 0; row < rows; ++row) {
            if (choice[row] == kNoBranch && !arguments[i]->is_null(row))
              choice[row] = static_cast<uint16_t>(i);
          }
          branches.Add(*arguments[i]);
        }
        Pick(branches.span(), choice, out);
        return Status::Ok();
      });
}

}  // namespace

void RegisterConditional(Registry& registry) {
  registry.Add({"case"}, Folding::kNever, ResolveCase);
  registry.Add({"coalesce"}, Folding::kAllowed, ResolveCoalesce);
}

}  // namespace trellis::eval
