#pragma once

#include <functional>
#include <vector>

#include "common/base/bytes.h"
#include "common/column/forward_index.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// What a walk over a forward index of dictIds has seen. Memory: a bit a dictId.
struct IdFacts {
  std::vector<bool> used;    // dictIds of some row
  uint64_t value_count = 0;  // over all rows
  uint64_t longest_row = 0;  // values
};

// A dictionary-encoded forward index (format notes section 4), by its own bytes: exact sizes, zero
// bits at the end of bit streams, every dictId below the cardinality, ranges of sorted columns that
// tile the documents, starts of multi-value rows, the parts of an entry dictionary. Returns what it
// saw, nullopt after a fault. `shape.cardinality` must be that of a dictionary that was checked.
std::optional<IdFacts> CheckIdForward(ByteView bytes, const column::ForwardIndexShape& shape,
                                      FaultLog& log);

// A multi-value fixed-bit index (4.4) as part of another: `total` values of `bits`.
std::optional<IdFacts> CheckMultiValueBits(ByteView bytes, uint32_t document_count, uint64_t total,
                                           int bits, uint32_t cardinality, FaultLog& log);

// Walks a bit stream that must fill `bytes` exactly: `each(position, value)`. Values not below
// `limit` are faults and are not handed on. Returns whether there was no fault.
bool WalkBits(ByteView bytes, uint64_t count, int width, uint64_t limit, std::string_view what,
              FaultLog& log, const std::function<void(uint64_t, uint32_t)>& each);

// Bits of a stream of values up to `largest` (format notes, conventions): at least 1.
int BitsFor(uint64_t largest);

}  // namespace trellis::verify
