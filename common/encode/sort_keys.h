#pragma once

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace trellis::encode {

// Ids to be sorted by a key of 4 or 8 bytes. Both are one number for the sorting library: its own
// pairs of key and value are of no use, since it fills blocks up with the greatest key and may keep
// the value of a filler for that of an entry whose key is the greatest, too.
template <class Key>
class KeyedIds;

template <>
class KeyedIds<uint32_t> {
 public:
  explicit KeyedIds(size_t size) : entries_(size) {}
  size_t size() const { return entries_.size(); }
  void Set(size_t i, uint32_t key, uint32_t id) { entries_[i] = uint64_t{key} << 32 | id; }
  uint32_t key(size_t i) const { return static_cast<uint32_t>(entries_[i] >> 32); }
  uint32_t id(size_t i) const { return static_cast<uint32_t>(entries_[i]); }
  // By key, then by id.
  void Sort() {
    if (std::is_sorted(entries_.begin(), entries_.end())) return;
    hwy::Sorter()(entries_.data(), entries_.size(), hwy::SortAscending());
  }

 private:
  std::vector<uint64_t> entries_;
};

template <>
class KeyedIds<uint64_t> {
 public:
  explicit KeyedIds(size_t size) : entries_(size) {}
  size_t size() const { return entries_.size(); }
  void Set(size_t i, uint64_t key, uint32_t id) { entries_[i] = {id, key}; }
  uint64_t key(size_t i) const { return entries_[i].hi; }
  uint32_t id(size_t i) const { return static_cast<uint32_t>(entries_[i].lo); }
  void Sort() {
    if (std::is_sorted(entries_.begin(), entries_.end())) return;
    hwy::Sorter()(entries_.data(), entries_.size(), hwy::SortAscending());
  }

 private:
  std::vector<hwy::uint128_t> entries_;
};

}  // namespace trellis::encode
