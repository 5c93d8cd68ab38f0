#pragma once

#include <cstdint>

#include "common/base/bytes.h"

namespace trellis::format {

// The rows of raw multi-value columns (pinot-segment-format.md 5.5), big-endian in every container.

// Whether a row of fixed-width values begins with their number (V2 to V4) or its length tells it
// (V5, V6).
enum class RowCount : uint8_t { kStored, kImplied };

// Returns the values of a fixed-width multi-value row, `width` bytes each. Errors: Corrupt when the
// row's length and the number of values disagree.
Result<ByteView> FixedRowValues(ByteView row, uint32_t width, RowCount count);

// A row of variable-width values: i32 n, n lengths, the values one after the other.
class VariableRow {
 public:
  // Checks everything: the lengths add up to the row's end. Errors: Corrupt.
  static Result<VariableRow> Open(ByteView row);
  uint32_t size() const { return size_; }
  // Takes the next value, never more than the row holds. REQUIRES: called at most size() times.
  ByteView Next();

 private:
  VariableRow(ByteView row, uint32_t size) : row_(row), size_(size), at_(4 + size_t{size} * 4) {}
  ByteView row_;
  uint32_t size_;
  uint32_t next_ = 0;
  size_t at_;
};

}  // namespace trellis::format
