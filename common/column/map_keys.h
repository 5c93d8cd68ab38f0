#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/status.h"

namespace trellis::column {

// A key made ready for comparison with the keys of MAP frames: by length, then by its last eight
// bytes as one word, then by the rest. A view: the key must outlive it.
class EncodedKey {
 public:
  EncodedKey() = default;
  explicit EncodedKey(std::string_view key);

  std::string_view text() const { return key_; }
  uint64_t tail() const { return tail_; }
  // The last eight bytes of a key that ends at `end`, zeros for those that shorter keys lack.
  // REQUIRES: eight readable bytes before `end`, which a frame has before the end of every key.
  static uint64_t TailOf(const char* end, uint32_t size);
  // Whether the key of `size` bytes at `key` is this one. REQUIRES: as TailOf.
  bool Equals(const char* key, uint32_t size) const {
    return size == key_.size() && TailOf(key + size, size) == tail_ && HeadEquals(key);
  }
  // The part of Equals that is left when length and tail are equal.
  bool HeadEquals(const char* key) const;

 private:
  std::string_view key_;
  uint64_t tail_ = 0;
  uint64_t head_ = 0;  // the first eight bytes where there are more than eight
};

// Up to 64 different keys that are looked for in one walk of each frame. Immutable after
// construction, safe for many threads. The keys must outlive it.
class MapKeySet {
 public:
  static constexpr size_t kKeysMax = 64;
  // REQUIRES: 1 to kKeysMax keys, no two equal.
  explicit MapKeySet(std::span<const std::string_view> keys);

  size_t size() const { return count_; }
  // Writes the JSON text of key k's value in frames[row] to values[row * size() + k]: a view into
  // the frame, with a null data() where the row lacks the key. The first of equal keys in a frame
  // counts, and a frame is walked until the last of the keys is found. Rows that `nulls` (a byte a
  // row, or null) marks are not looked at. Several frames are walked in turns, because each walk is
  // one chain of dependent loads. Allocates nothing. Errors: Corrupt, for the first row that is
  // damaged as far as it is walked; `failed_row` receives it.
  Status Find(std::span<const std::string_view> frames, const uint8_t* nulls,
              std::string_view* values, size_t& failed_row) const;

 private:
  static constexpr size_t kSlots = 1024;
  static constexpr uint8_t kNone = 0xff;
  static size_t SlotOf(uint64_t tail, uint32_t size);
  struct OneKey;
  struct ManyKeys;

  size_t count_ = 0;
  std::array<EncodedKey, kKeysMax> keys_;
  std::array<uint8_t, kKeysMax> next_;  // the next key of the same slot
  std::array<uint8_t, kSlots> slots_;   // by length and tail: the first key there
};

}  // namespace trellis::column
