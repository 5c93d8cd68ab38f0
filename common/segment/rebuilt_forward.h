#pragma once

#include "common/column/held_ids.h"
#include "common/index/inverted_index.h"

namespace trellis::segment {

// The most dictIds that a rebuilt forward index holds: 1 GiB.
inline constexpr uint64_t kRebuiltIdsMax = uint64_t{1} << 28;

// The dictIds that an inverted index gives each document: what a column whose forward index is
// disabled (format notes 4.6) still tells. Single-value: every document is in exactly one bitmap,
// else Corrupt. Multi-value: the ids of a document ascend and each is there once, whatever order
// and repetition the rows had; documents without a value are possible. Reads every bitmap (twice
// for multi-value). Errors: Corrupt; ResourceExhausted past `ids_max`.
Result<column::HeldIds> RebuildForward(const index::InvertedIndex& inverted,
                                       uint32_t document_count, bool multi_value,
                                       uint64_t ids_max = kRebuiltIdsMax);

}  // namespace trellis::segment
