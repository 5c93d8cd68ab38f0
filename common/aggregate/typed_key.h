#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>

#include "common/aggregate/state_codec.h"
#include "common/base/string_hash.h"
#include "common/vector/arena.h"

namespace trellis::aggregate {

// How values of a column's physical type T are told apart in sets and maps, as Java's boxed types
// are: floating values by their bits with one NaN, so that 0.0 and -0.0 differ; bytes by content,
// copied.
template <class T>
struct KeyOf {
  using Key = T;
  static Key From(T value) { return value; }
  static T Value(Key key) { return key; }
};
template <>
struct KeyOf<float> {
  using Key = uint32_t;
  static Key From(float value) {
    return std::bit_cast<Key>(std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value);
  }
  static float Value(Key key) { return std::bit_cast<float>(key); }
};
template <>
struct KeyOf<double> {
  using Key = uint64_t;
  static Key From(double value) {
    return std::bit_cast<Key>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
  }
  static double Value(Key key) { return std::bit_cast<double>(key); }
};

template <class Key>
using KeyHash = std::conditional_t<std::is_same_v<Key, std::string_view>, StringHash,
                                   typename absl::flat_hash_set<Key>::hasher>;
template <class Key>
using KeySet = absl::flat_hash_set<Key, KeyHash<Key>, std::equal_to<Key>>;
template <class Key, class Mapped>
using KeyMap = absl::flat_hash_map<Key, Mapped, KeyHash<Key>, std::equal_to<Key>>;

// What the cells of one states object share: the bytes of their strings, and the count of heap
// bytes.
struct SharedHeap {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  size_t heap_bytes = 0;

  // Returns `value` in memory that lives as long as the arena, counting it.
  std::string_view Keep(std::string_view value) {
    heap_bytes += value.size();
    return arena->Copy(value);
  }
};

// Adds to a set; copies a string only when it is new.
template <class Key>
void InsertKey(Key key, KeySet<Key>& set, SharedHeap& heap) {
  if constexpr (std::is_same_v<Key, std::string_view>) {
    auto slot = set.lazy_emplace(key, [&](const auto& make) {
      make(heap.Keep(key));
      heap.heap_bytes += 24;
    });
    (void)slot;
  } else if (set.insert(key).second) {
    heap.heap_bytes += 2 * sizeof(Key);
  }
}

// A key on the wire: its raw little-endian bytes, or a u32 length and the bytes of a string.
template <class Key>
void AppendKey(const Key& key, std::string& out) {
  if constexpr (std::is_same_v<Key, std::string_view>)
    AppendSized(key, out);
  else
    AppendLittleEndian(key, out);
}
template <class Key>
Result<Key> ReadKey(ByteReader& reader) {
  if constexpr (std::is_same_v<Key, std::string_view>)
    return ReadSized(reader);
  else
    return reader.ReadLittleEndian<Key>();
}

}  // namespace trellis::aggregate
