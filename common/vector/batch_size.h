#pragma once

#include <algorithm>
#include <cstdint>

#include "common/vector/column_vector.h"

namespace trellis {

// Bytes that the values of a vector take, those they are views of included: a few bytes of a
// mapped file or a compressed chunk may stand for many.
uint64_t ValueBytes(const ColumnVector& vector);

// How many rows a reader takes at a time, so that a batch of large rows does not take all memory:
// few at first, then as many as the bytes a row of the last batch had allow. Not thread-safe.
class BatchSize {
 public:
  static constexpr uint32_t kFirstRows = 64;
  static constexpr uint64_t kTargetBytes = uint64_t{32} << 20;

  // REQUIRES: rows_max > 0.
  explicit BatchSize(uint32_t rows_max)
      : rows_max_(rows_max), rows_(std::min(kFirstRows, rows_max)) {}

  // Of the next batch: 1 to rows_max.
  uint32_t rows() const { return rows_; }
  // A batch of `rows` > 0 rows took so many bytes. The next one may have at most 8 times as many
  // rows: those to come may be larger.
  void Took(uint32_t rows, uint64_t bytes);
  // A batch of so many rows was too large for some limit: the next one has half of them. False if
  // it had one row.
  bool Halve(uint32_t rows);

 private:
  uint32_t rows_max_;
  uint32_t rows_;
};

}  // namespace trellis
