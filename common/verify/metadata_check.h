#pragma once

#include "common/verify/column_view.h"
#include "common/verify/id_forward_check.h"
#include "common/verify/row_payload_check.h"

namespace trellis::verify {

// Which buffers a column must and may have by its metadata; a name in layout V1 that goes with
// another encoding. Returns whether its indexes can be looked at.
bool CheckPresence(const ColumnView& view);

// Counts of the metadata against what the forward index holds: bitsPerElement of encoded columns,
// totalNumberOfEntries and maxNumberOfMultiValues of multi-value columns.
void CheckCounts(const ColumnView& view, uint64_t value_count, uint64_t longest_row);

// Entries of the dictionary that no row uses: a note.
void CheckUse(const ColumnView& view, const IdFacts& facts);

}  // namespace trellis::verify
