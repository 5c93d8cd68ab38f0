#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/aggregate/argument.h"
#include "common/aggregate/state_codec.h"

namespace trellis::aggregate {

// States of the functions that keep one object, a cell, a group, and travel as BYTES.
//
// Cell gives: bool empty() const, whether nothing was added; void Encode(std::string&) const;
// Status MergeEncoded(ByteView, const Options&), which checks every byte and adds to the heap bytes
// that `Options::heap_bytes` counts; it may leave the cell half merged when it fails. Options is
// what all cells share, with `size_t heap_bytes` in it. The derived class adds and finishes.
template <class Cell, class Options>
class CellStates : public AggregateStates {
 public:
  CellStates(std::vector<ValueType> arguments, bool null_handling, Options options)
      : arguments_(std::move(arguments)),
        null_handling_(null_handling),
        options_(std::move(options)) {}

  void Resize(size_t groups) override { cells_.resize(groups); }

  Status Merge(const ColumnVector& states, std::span<const uint32_t> groups) override {
    TRELLIS_RETURN_IF_ERROR(CheckStates(states, DataType::kBytes, groups));
    const RowReader<std::string_view> bytes(states);
    for (size_t row = 0; row < groups.size(); ++row) {
      if (states.is_null(row)) continue;
      TRELLIS_RETURN_IF_ERROR(cells_[groups[row]].MergeEncoded(AsBytes(bytes[row]), options_));
    }
    return {};
  }

  void Export(ColumnVector& out) const override {
    out.Reset({DataType::kBytes, false});
    std::string scratch;
    for (const Cell& cell : cells_) {
      scratch.clear();
      if (!cell.empty()) cell.Encode(scratch);
      AppendBytesRow(scratch, out);
      if (cell.empty()) out.SetNull(out.size() - 1);
    }
  }

  size_t memory_bytes() const override {
    return cells_.capacity() * sizeof(Cell) + options_.heap_bytes;
  }

 protected:
  // Finishes every cell with f(cell) -> T into a fixed-width column; empty cells give NULL under
  // null handling, and f of an empty cell otherwise.
  template <class T, class F>
  Status FinishEach(DataType type, ColumnVector& out, F f) const {
    out.Reset({type, false});
    out.values<T>().reserve(cells_.size());
    for (const Cell& cell : cells_) {
      const bool null = null_handling_ && cell.empty();
      AppendRow<T>(null ? T{} : f(cell), out);
      if (null) out.SetNull(out.size() - 1);
    }
    return {};
  }

  // The same for texts and bytes; f(cell) gives a std::string.
  template <class F>
  Status FinishEachBytes(DataType type, ColumnVector& out, F f) const {
    out.Reset({type, false});
    for (const Cell& cell : cells_) {
      const bool null = null_handling_ && cell.empty();
      AppendBytesRow(null ? std::string() : f(cell), out);
      if (null) out.SetNull(out.size() - 1);
    }
    return {};
  }

  std::vector<ValueType> arguments_;
  bool null_handling_;
  Options options_;
  std::vector<Cell> cells_;
};

// Options of cells that share nothing.
struct HeapOnly {
  size_t heap_bytes = 0;
};

}  // namespace trellis::aggregate
