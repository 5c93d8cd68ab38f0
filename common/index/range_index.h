#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "common/bitmap/roaring_bitmap.h"
#include "common/format/ordered_bits.h"
#include "common/types/value.h"

namespace trellis::index {

// What the metadata says of the column of a range index.
struct RangeIndexShape {
  DataType type = DataType::kInt;
  bool has_dictionary = true;  // the index is over dictIds then, over values otherwise
  bool multi_value = false;
  uint32_t document_count = 0;
  uint32_t cardinality = 0;  // of the dictionary
};

// The documents a range may select: all of `certain` and some of `possible`, which share none and
// must be looked up in the forward index.
struct RangeAnswer {
  Roaring certain;
  Roaring possible;
};

// Bounds on values; absent = open.
struct ValueRange {
  std::optional<Value> lower;
  std::optional<Value> upper;
  bool lower_inclusive = true;
  bool upper_inclusive = true;
};

// Documents by range of dictId or value (format notes 7.3): version 2 stores a number a document,
// sliced by bits; version 1 a bitmap for each of some 20 ranges. Immutable, safe for many threads;
// a view into the segment's mapping. Opening reads the header only: what lies behind it is checked
// where it is used.
class RangeIndex {
 public:
  virtual ~RangeIndex() = default;
  // Errors: Corrupt; Unimplemented for a version, or a column, of which no range index is known.
  static Result<std::unique_ptr<RangeIndex>> Open(ByteView payload, const RangeIndexShape& shape);

  virtual int version() const = 0;
  const RangeIndexShape& shape() const { return shape_; }

  // Documents with a dictId in [first, last]. REQUIRES: shape().has_dictionary. Errors: Corrupt.
  virtual Result<RangeAnswer> DictIds(uint32_t first, uint32_t last) const = 0;
  // Documents with a value in the range as numbers compare: NaN lies in no range, -0.0 equals 0.0.
  // Bounds have the column's type. `possible` is empty for version 2, but for documents of a
  // FLOAT or DOUBLE whose value is -Infinity or NaN, which it does not tell apart.
  // REQUIRES: !shape().has_dictionary. Errors: Corrupt.
  virtual Result<RangeAnswer> Values(const ValueRange& range) const = 0;

  // Walks all of it: sizes, orders, cardinalities, documents past the segment's end; each document
  // in exactly one range of a version 1 index (a multi-value one: in at least one). Errors:
  // Corrupt.
  virtual Status Check() const = 0;
  // Calls `visit` for each document (ascending) and a pair [low, high] of keys (KeyOf) of which the
  // document has a value within: for version 2, low == high. For comparison with the forward index.
  // A multi-value document comes once for each range that holds it. Memory: 8 bytes for each of
  // 65,536 documents (version 2). Errors: Corrupt; those of `visit`, which end the walk.
  struct Entry {
    uint32_t document;
    uint64_t low;
    uint64_t high;  // inclusive
  };
  virtual Status Visit(const std::function<Status(const Entry&)>& visit) const = 0;
  // The key under which a document with this value (or dictId) stands; comparable among themselves.
  // REQUIRES: a value of the column's type, or an id when there is a dictionary.
  virtual uint64_t KeyOf(const Value& value) const = 0;
  virtual uint64_t KeyOf(uint32_t dict_id) const = 0;

 protected:
  explicit RangeIndex(const RangeIndexShape& shape) : shape_(shape) {}
  RangeIndexShape shape_;
};

using format::OrderedBits;

}  // namespace trellis::index
