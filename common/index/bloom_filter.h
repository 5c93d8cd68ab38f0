#pragma once

#include <memory>

#include "common/base/bytes.h"
#include "common/types/value.h"

namespace trellis::index {

// Guava's bloom filter as Pinot stores it (format notes 7.4). Immutable; a view into the mapping.
class BloomFilter {
 public:
  static Result<std::unique_ptr<BloomFilter>> Open(ByteView payload);
  // False only if the value is certainly absent.
  bool MayContain(const Value& value) const;

 private:
  BloomFilter(ByteView words, int hashes) : words_(words), hashes_(hashes) {}
  ByteView words_;
  int hashes_;
};

}  // namespace trellis::index
