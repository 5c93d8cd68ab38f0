#pragma once

#include <memory>

#include "common/bitmap/roaring_bitmap.h"

namespace trellis::index {

// dictId -> documents (format notes 7.2, both offset conventions). Immutable, safe for many
// threads; a view into the segment's mapping.
class InvertedIndex {
 public:
  static Result<std::unique_ptr<InvertedIndex>> Open(ByteView payload, uint32_t cardinality,
                                                     uint32_t document_count);
  // Errors: Corrupt. REQUIRES: dict_id < cardinality.
  Result<Roaring> Documents(uint32_t dict_id) const;

 private:
  InvertedIndex(ByteView payload, uint32_t cardinality, uint32_t document_count, uint64_t base)
      : payload_(payload),
        cardinality_(cardinality),
        document_count_(document_count),
        base_(base) {}
  ByteView payload_;
  uint32_t cardinality_;
  uint32_t document_count_;
  uint64_t base_;  // added to an offset gives a position in payload_ (modulo 2^64 where offsets are
                   // absolute)
};

}  // namespace trellis::index
