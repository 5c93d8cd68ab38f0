#pragma once

#include "common/block/block.h"
#include "common/eval/evaluator.h"
#include "common/plan/filter.h"

namespace trellis::broker {

// Gives reduce expressions the columns "#0", "#1", ... of a block. Borrows the block.
class LeafColumns : public eval::ColumnSource {
 public:
  explicit LeafColumns(const Block& block) : block_(block) {}
  size_t rows() const override { return block_.rows; }
  Result<const ColumnVector*> Column(std::string_view name) override;
  Result<const ColumnVector*> MapKey(std::string_view column, std::string_view key,
                                     DataType type) override;

 private:
  const Block& block_;
};

// Evaluates an expression in the scalar layer over the block; the result has a value a row.
Result<ColumnVector> EvaluateOver(const plan::Expression& expression, const Block& block,
                                  bool null_handling);

// The rows for which `having` is TRUE, two-valued: a predicate on NULL is FALSE, and its NOT is
// TRUE.
Result<std::vector<uint32_t>> RowsHaving(const plan::Filter& having, const Block& block,
                                         bool null_handling);

}  // namespace trellis::broker
