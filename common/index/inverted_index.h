#pragma once

#include <memory>

#include "common/bitmap/roaring_bitmap.h"
#include "common/column/dictionary.h"

namespace trellis::index {

// dictId -> documents (format notes 7.2, both offset conventions). Immutable, safe for many
// threads; a view into the segment's mapping.
class InvertedIndex {
 public:
  // Reads the first offset only. Errors: Corrupt.
  static Result<std::unique_ptr<InvertedIndex>> Open(ByteView payload, uint32_t cardinality,
                                                     uint32_t document_count);
  uint32_t cardinality() const { return cardinality_; }
  // Errors: Corrupt. REQUIRES: dict_id < cardinality.
  Result<Roaring> Documents(uint32_t dict_id) const;
  // Walks all of it: the bitmaps tile the buffer and are well formed; of a single-value column,
  // each document is in exactly one. Errors: Corrupt.
  Status Check(bool single_value) const;

 private:
  friend class LegacyRawInvertedIndex;
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

// value -> documents of a RAW column, as releases 1.5.0 and 1.5.1 wrote it into the same place:
// a dictionary of its own before the bitmaps. Pinot 1.6 deletes it on load, queries here ignore it;
// it is read for `verify` and `inspect`. A buffer of this kind starts with the number 1, an
// ordinary one with 0 or a multiple of 4, so that the bytes tell; the column has no dictionary
// either.
class LegacyRawInvertedIndex {
 public:
  static bool Recognizes(ByteView payload);
  // Checks header, dictionary and the ends of the offset table. Errors: Corrupt.
  static Result<std::unique_ptr<LegacyRawInvertedIndex>> Open(ByteView payload, DataType type,
                                                              uint32_t document_count);
  const column::Dictionary& dictionary() const { return *dictionary_; }
  // Errors: Corrupt. REQUIRES: id < dictionary().size().
  Result<Roaring> Documents(uint32_t id) const { return bitmaps_->Documents(id); }
  Status Check(bool single_value) const { return bitmaps_->Check(single_value); }

 private:
  LegacyRawInvertedIndex() = default;
  std::unique_ptr<column::Dictionary> dictionary_;
  std::unique_ptr<InvertedIndex> bitmaps_;
};

}  // namespace trellis::index
