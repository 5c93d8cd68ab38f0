#pragma once

#include <span>
#include <vector>

#include "common/column/dictionary.h"
#include "common/column/forward_index.h"
#include "common/verify/column_view.h"

namespace trellis::verify {

// Rows [first_doc, first_doc + rows) of a column as its reader gives them. Row r has the flat
// values [begin(r), begin(r + 1)): ids of the dictionary where the column has one, and the values
// where it is raw.
struct RowBatch {
  uint32_t first_doc = 0;
  uint32_t rows = 0;
  std::span<const uint32_t> offsets;     // rows + 1 of multi-value columns, else empty
  std::span<const uint32_t> ids;         // empty without a dictionary
  const ColumnVector* values = nullptr;  // null for dictionary-encoded columns
  size_t begin(uint32_t row) const { return offsets.empty() ? row : offsets[row]; }
};

// Takes all rows of a column in order.
class RowConsumer {
 public:
  virtual ~RowConsumer() = default;
  virtual void Take(const RowBatch& batch) = 0;
};

// Reads every row of the column once and hands it to each consumer. A row that cannot be read is a
// fault of the forward index, a raw value that is not in the column's dictionary one of the
// dictionary; both end the reading. `largest_chunk_bytes` and the bytes of the rows before bound
// how many are held at a time. A row that alone passes a limit of the reader's is a note and ends
// it, too. Returns whether all rows were read.
bool ReadRows(const ColumnView& view, const column::ForwardIndexReader& forward,
              const column::Dictionary* dictionary, uint64_t largest_chunk_bytes,
              std::span<RowConsumer* const> consumers);

// The distinct dictIds of every row, ascending. 4 bytes a value, and 4 a row of multi-value
// columns.
class IdRows final : public RowConsumer {
 public:
  void Take(const RowBatch& batch) override;
  uint32_t size() const { return rows_; }
  std::span<const uint32_t> Of(uint32_t doc) const {
    if (ends_.empty()) return std::span(ids_).subspan(doc, 1);
    const uint32_t begin = doc == 0 ? 0 : ends_[doc - 1];
    return std::span(ids_).subspan(begin, ends_[doc] - begin);
  }

 private:
  uint32_t rows_ = 0;
  std::vector<uint32_t> ids_;
  std::vector<uint32_t> ends_;  // of multi-value columns: one a row, in ids_
};

// One flat value of a batch's values.
Value FlatValue(const ColumnVector& values, size_t position);

}  // namespace trellis::verify
