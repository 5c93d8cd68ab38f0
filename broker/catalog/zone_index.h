#pragma once

#include <cstdint>
#include <roaring/roaring.hh>
#include <vector>

#include "broker/catalog/segment_facts.h"

namespace trellis::broker {

// Ids by one number each, so that those up to a bound are one stored bitmap, give or take a bounded
// number of ids. Immutable.
class PrefixIndex {
 public:
  struct Entry {
    int64_t key;
    uint32_t id;
  };
  // Sorts `entries`.
  explicit PrefixIndex(std::vector<Entry>& entries);

  // Ids whose key is at most `bound`; `key_of` gives an id's key as it was when this was built.
  template <class KeyOf>
  Roaring UpTo(int64_t bound, const KeyOf& key_of) const {
    size_t low = 0;
    for (size_t high = ids_.size(); low < high;) {
      const size_t middle = low + (high - low) / 2;
      if (key_of(ids_[middle]) <= bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return First(low);
  }
  size_t size() const { return ids_.size(); }
  const Roaring& all() const { return prefixes_.back(); }
  size_t memory_bytes() const;

 private:
  Roaring First(size_t count) const;

  std::vector<uint32_t> ids_;      // by key
  size_t step_;                    // ids between two stored bitmaps
  std::vector<Roaring> prefixes_;  // of the first 0, step_, 2 * step_, ..., all ids
};

// One column's smallest and largest order keys a segment. Immutable.
class ZoneIndex {
 public:
  // Ids of `slots` but those of `disputed`. `slots` outlives this.
  ZoneIndex(PagedColumn<Bounds> bounds, const std::vector<uint32_t>& slots,
            const Roaring& disputed);

  bool empty() const { return by_min_.size() == 0; }
  // Ids whose bounds meet [low, high], and those without bounds.
  Roaring InRange(int64_t low, int64_t high) const;
  size_t memory_bytes() const;

 private:
  PrefixIndex ByMin(const Roaring& disputed) const;
  PrefixIndex ByMax() const;
  Bounds Of(uint32_t id) const { return bounds_.Get(slots_[id]); }

  PagedColumn<Bounds> bounds_;
  const std::vector<uint32_t>& slots_;
  PrefixIndex by_min_;
  PrefixIndex by_max_;  // by ~max: from the largest down
  Roaring unknown_;     // ids without bounds
};

}  // namespace trellis::broker
