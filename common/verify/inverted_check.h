#pragma once

#include "common/verify/bitmap_walk.h"
#include "common/verify/rows.h"

namespace trellis::verify {

// The inverted index of a column with a dictionary (format notes 7.2): each bitmap by itself, and,
// when `rows` are given, that it holds exactly the documents that have its value.
void CheckInverted(ByteView bytes, uint32_t cardinality, uint32_t document_count,
                   const IdRows* rows, FaultLog& log);

// The same for a sorted column, whose rows are a range a value: needs no rows in memory.
void CheckSortedInverted(ByteView bytes, const column::ForwardIndexReader& forward,
                         uint32_t cardinality, uint32_t document_count, FaultLog& log);

// What releases 1.5.0 and 1.5.1 wrote for a raw column: a header of 44 bytes, a dictionary and
// bitmaps.
struct LegacyInverted {
  uint32_t cardinality = 0;
  uint64_t bitmaps_start = 0;
  std::unique_ptr<column::Dictionary> dictionary;
};
// nullopt after a fault.
std::optional<LegacyInverted> OpenLegacyInverted(ByteView bytes, DataType type, FaultLog& log);
// Gathers the rows' ids in its dictionary; a value that is not there is a fault. Borrows both.
class LegacyRows final : public RowConsumer {
 public:
  LegacyRows(const LegacyInverted& index, FaultLog& log) : index_(index), log_(log) {}
  void Take(const RowBatch& batch) override;
  const IdRows& rows() const { return rows_; }
  bool whole() const { return whole_; }

 private:
  const LegacyInverted& index_;
  FaultLog& log_;
  IdRows rows_;
  bool whole_ = true;
};
void CheckLegacyBitmaps(ByteView bytes, const LegacyInverted& index, uint32_t document_count,
                        const IdRows& rows, FaultLog& log);

}  // namespace trellis::verify
