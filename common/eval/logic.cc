#include "common/eval/cast.h"
#include "common/eval/comparison.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"

namespace trellis::eval {
namespace {

Status CheckTruths(const Call& call, size_t least, size_t most) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(least, most));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  for (size_t i = 0; i < call.size(); ++i) {
    if (!ConvertsToNumber(call.type(i)) && !call.literal(i)) return call.Unsuitable();
  }
  return Status::Ok();
}

// Truth of every row: non-zero numbers are true. Literal text reads as a BOOLEAN.
const ColumnVector& TruthOf(const ColumnVector& vector, ColumnVector& scratch) {
  return ConvertTo(vector, DataType::kBoolean, scratch);
}

// `decisive` is the operand that settles the answer whatever the others are: false for AND, true
// for OR.
Resolver Connective(bool decisive) {
  return [decisive](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(CheckTruths(call, 2, 1000));
    return MakeNullHandlingFunction(
        DataType::kBoolean, [decisive](Vectors arguments, size_t rows,
                                       const EvaluationContext& context, ColumnVector& out) {
          std::vector<int32_t>& to = out.values<int32_t>();
          to.assign(rows, !decisive);
          std::vector<uint8_t> unknown;
          for (const ColumnVector* argument : arguments) {
            ColumnVector scratch;
            const ColumnVector& truth = TruthOf(*argument, scratch);
            const RowReader<int32_t> reader(truth);
            if (!context.null_handling || !truth.has_nulls()) {
              for (size_t row = 0; row < rows; ++row) {
                to[row] = (reader[row] != 0) == decisive ? decisive : to[row];
              }
              continue;
            }
            unknown.resize(rows);
            for (size_t row = 0; row < rows; ++row) {
              if (truth.is_null(row)) {
                unknown[row] = 1;
              } else if ((reader[row] != 0) == decisive) {
                to[row] = decisive;
              }
            }
          }
          for (size_t row = 0; row < unknown.size(); ++row) {
            if (unknown[row] && to[row] != static_cast<int32_t>(decisive)) out.SetNull(row);
          }
          return Status::Ok();
        });
  };
}

Result<FunctionPtr> ResolveNot(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(CheckTruths(call, 1, 1));
  return MakeFunction(DataType::kBoolean, [](Vectors arguments, size_t rows,
                                             const EvaluationContext&, ColumnVector& out) {
    ColumnVector scratch;
    const RowReader<int32_t> truth(TruthOf(*arguments[0], scratch));
    for (size_t row = 0; row < rows; ++row) out.values<int32_t>()[row] = truth[row] == 0;
    return Status::Ok();
  });
}

// is_true and its kin: never null; a null counts as neither true nor false.
Resolver TruthTest(bool wanted, bool negated) {
  return [wanted, negated](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(CheckTruths(call, 1, 1));
    return MakeNullHandlingFunction(
        DataType::kBoolean, [wanted, negated](Vectors arguments, size_t rows,
                                              const EvaluationContext& context, ColumnVector& out) {
          ColumnVector scratch;
          const ColumnVector& truth = TruthOf(*arguments[0], scratch);
          const RowReader<int32_t> reader(truth);
          const bool nulls = context.null_handling && truth.has_nulls();
          for (size_t row = 0; row < rows; ++row) {
            const bool is = !(nulls && truth.is_null(row)) && (reader[row] != 0) == wanted;
            out.values<int32_t>()[row] = is != negated;
          }
          return Status::Ok();
        });
  };
}

// Reads the null vector even without null handling (pinot-functions.md 2.2).
Resolver NullTest(bool wanted) {
  return [wanted](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(1, 1));
    return MakeNullHandlingFunction(
        DataType::kBoolean,
        [wanted](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
          for (size_t row = 0; row < rows; ++row)
            out.values<int32_t>()[row] = arguments[0]->is_null(row) == wanted;
          return Status::Ok();
        });
  };
}

Resolver DistinctTest(bool wanted) {
  return [wanted](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_ASSIGN_OR_RETURN(FunctionPtr not_equal, ResolveComparison(Comparison::kNotEqual, call));
    return MakeNullHandlingFunction(
        DataType::kBoolean,
        [wanted, not_equal](Vectors arguments, size_t rows, const EvaluationContext& context,
                            ColumnVector& out) -> Status {
          TRELLIS_RETURN_IF_ERROR(not_equal->Evaluate(arguments, rows, context, out));
          const bool nulls = arguments[0]->has_nulls() || arguments[1]->has_nulls();
          for (size_t row = 0; row < rows; ++row) {
            int32_t& distinct = out.values<int32_t>()[row];
            if (nulls && (arguments[0]->is_null(row) || arguments[1]->is_null(row))) {
              distinct = arguments[0]->is_null(row) != arguments[1]->is_null(row);
            }
            distinct = (distinct != 0) == wanted;
          }
          return Status::Ok();
        });
  };
}

}  // namespace

void RegisterLogic(Registry& registry) {
  registry.Add({"and"}, Folding::kAllowed, Connective(false));
  registry.Add({"or"}, Folding::kAllowed, Connective(true));
  registry.Add({"not"}, Folding::kAllowed, ResolveNot);
  registry.Add({"is_true"}, Folding::kNever, TruthTest(true, false));
  registry.Add({"is_not_true"}, Folding::kNever, TruthTest(true, true));
  registry.Add({"is_false"}, Folding::kNever, TruthTest(false, false));
  registry.Add({"is_not_false"}, Folding::kNever, TruthTest(false, true));
  registry.Add({"is_null"}, Folding::kAllowed, NullTest(true));
  registry.Add({"is_not_null"}, Folding::kAllowed, NullTest(false));
  registry.Add({"is_distinct_from"}, Folding::kAllowed, DistinctTest(true));
  registry.Add({"is_not_distinct_from"}, Folding::kAllowed, DistinctTest(false));
}

}  // namespace trellis::eval
