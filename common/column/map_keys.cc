#include "common/column/map_keys.h"

#include <absl/hash/hash.h>
#include <hwy/base.h>

#include <algorithm>
#include <cstring>

#include "common/base/bytes.h"
#include "common/base/check.h"
#include "common/column/map_walk.h"

namespace trellis::column {
namespace {

uint64_t LoadWord(const char* p) {
  return LoadLittleEndian<uint64_t>(reinterpret_cast<const uint8_t*>(p));
}
uint32_t LoadLength(const char* p) {
  return LoadBigEndian<uint32_t>(reinterpret_cast<const uint8_t*>(p));
}

// The bytes of a little-endian word that the last `size` bytes before its end fill.
constexpr std::array<uint64_t, 9> kTailMasks = [] {
  std::array<uint64_t, 9> masks = {};
  for (int size = 1; size <= 8; ++size) masks[static_cast<size_t>(size)] = ~0ULL << (64 - 8 * size);
  return masks;
}();

// How many frames are walked in turns. A step waits for two loads of the step before it; fewer
// lanes leave the core idle, more outgrow its registers and the first-level cache.
constexpr size_t kLanes = 8;

// A frame that is being walked.
struct Lane {
  const char* at = nullptr;   // the next entry
  const char* end = nullptr;  // of the frame
  uint32_t left = 0;          // entries from `at` on
  size_t row = 0;
  ptrdiff_t ahead = 0;  // from here to about the same place of a frame that comes later
  uint64_t wanted = 0;  // keys not found yet, a bit each
};

enum class Step : uint8_t { kMore, kDone, kDamaged };

template <class Keys>
class Walk {
 public:
  Walk(const Keys& keys, std::span<const std::string_view> frames, const uint8_t* nulls,
       std::string_view* values)
      : keys_(keys), frames_(frames), nulls_(nulls), values_(values) {}

  // False when a row is damaged: which one is first, only walking row by row tells.
  bool InTurns() {
    Lane lanes[kLanes];
    size_t live = 0;
    for (; live < kLanes; ++live) {
      if (!Take(lanes[live])) break;
    }
    // With all lanes live the compiler knows their number, which makes a step cheaper.
    while (live == kLanes) {
      HWY_UNROLL(8)
      for (size_t i = 0; i < kLanes; ++i) {
        const Step step = Advance(lanes[i]);
        if (__builtin_expect(step == Step::kMore, 1)) continue;
        if (step == Step::kDamaged) return false;
        if (Take(lanes[i])) continue;
        lanes[i].left = 0;
        --live;
      }
    }
    for (Lane& lane : lanes) {
      while (lane.left > 0) {
        const Step step = Advance(lane);
        if (step == Step::kDamaged) return false;
        if (step == Step::kDone) lane.left = 0;
      }
    }
    return !damaged_;
  }

  // The same row by row. Errors: Corrupt for the first damaged row.
  Status RowByRow(size_t& failed_row) {
    Lane lane;
    next_ = 0;
    damaged_ = false;
    while (Take(lane)) {
      Step step = Step::kMore;
      while (step == Step::kMore) step = Advance(lane);
      if (step == Step::kDamaged) {
        failed_row = lane.row;
        const std::string_view frame = frames_[lane.row];
        return DamagedFrame(frame, static_cast<size_t>(lane.at - frame.data()));
      }
    }
    if (!damaged_) return {};
    failed_row = next_ - 1;
    return DamagedFrame(frames_[failed_row], 0);
  }

 private:
  // Starts with the next row that has entries; false when there is none, or it is damaged.
  bool Take(Lane& lane) {
    for (; next_ < frames_.size() && !damaged_; ++next_) {
      if (nulls_ && nulls_[next_]) continue;
      const std::string_view frame = frames_[next_];
      if (frame.size() < sizeof(uint32_t)) {
        damaged_ = true;
        continue;
      }
      const uint32_t count = LoadLength(frame.data());
      damaged_ = count > INT32_MAX;
      if (count == 0 || damaged_) continue;
      lane.at = frame.data() + sizeof(uint32_t);
      lane.end = frame.data() + frame.size();
      lane.left = count;
      lane.row = next_;
      lane.wanted = keys_.all();
      lane.ahead = 0;
      if (next_ + kLanes < frames_.size()) {
        lane.ahead = reinterpret_cast<intptr_t>(frames_[next_ + kLanes].data()) -
                     reinterpret_cast<intptr_t>(frame.data());
      }
      if (next_ + 3 * kLanes < frames_.size()) {
        __builtin_prefetch(frames_[next_ + 3 * kLanes].data());
      }
      ++next_;
      return true;
    }
    return false;
  }

  // Walks one entry. A negative length is past every end, because lengths are unsigned here.
  Step Advance(Lane& lane) {
    const char* at = lane.at;
    auto room = static_cast<size_t>(lane.end - at);
    if (room < 2 * sizeof(uint32_t)) return Step::kDamaged;
    room -= 2 * sizeof(uint32_t);
    const uint32_t key_size = LoadLength(at);
    if (key_size > room) return Step::kDamaged;
    room -= key_size;
    const char* key = at + sizeof(uint32_t);
    const uint32_t value_size = LoadLength(key + key_size);
    if (value_size > room) return Step::kDamaged;
    const char* value = key + key_size + sizeof(uint32_t);
    __builtin_prefetch(reinterpret_cast<const char*>(reinterpret_cast<intptr_t>(at) + lane.ahead));
    lane.at = value + value_size;
    if (keys_.Match(key, key_size, {value, value_size}, lane.wanted,
                    values_ + lane.row * keys_.size())) {
      return Step::kDone;
    }
    return --lane.left == 0 ? Step::kDone : Step::kMore;
  }

  const Keys& keys_;
  std::span<const std::string_view> frames_;
  const uint8_t* nulls_;
  std::string_view* values_;
  size_t next_ = 0;       // the row that is taken next
  bool damaged_ = false;  // the row before `next_` has no count
};

template <class Keys>
Status FindIn(const Keys& keys, std::span<const std::string_view> frames, const uint8_t* nulls,
              std::string_view* values, size_t& failed_row) {
  Walk<Keys> walk(keys, frames, nulls, values);
  if (walk.InTurns()) return {};
  return walk.RowByRow(failed_row);
}

}  // namespace

EncodedKey::EncodedKey(std::string_view key) : key_(key) {
  char last[8] = {};
  const size_t size = std::min<size_t>(key.size(), 8);
  key.copy(last + 8 - size, size, key.size() - size);
  tail_ = LoadWord(last);
  if (key.size() > 8) head_ = LoadWord(key.data());
}

uint64_t EncodedKey::TailOf(const char* end, uint32_t size) {
  return LoadWord(end - 8) & kTailMasks[std::min<uint32_t>(size, 8)];
}

bool EncodedKey::HeadEquals(const char* key) const {
  if (key_.size() <= 8) return true;
  if (LoadWord(key) != head_) return false;
  return key_.size() <= 16 || std::memcmp(key + 8, key_.data() + 8, key_.size() - 16) == 0;
}

struct MapKeySet::OneKey {
  EncodedKey key;
  size_t size() const { return 1; }
  uint64_t all() const { return 1; }
  // Takes the value where the key is wanted; true when nothing is wanted any more.
  bool Match(const char* at, uint32_t size, std::string_view value, uint64_t&,
             std::string_view* values) const {
    if (!key.Equals(at, size)) return false;
    *values = value;
    return true;
  }
};

struct MapKeySet::ManyKeys {
  const MapKeySet& set;
  size_t size() const { return set.count_; }
  uint64_t all() const { return ~0ULL >> (kKeysMax - set.count_); }
  bool Match(const char* at, uint32_t size, std::string_view value, uint64_t& wanted,
             std::string_view* values) const {
    const uint64_t tail = EncodedKey::TailOf(at + size, size);
    for (uint8_t k = set.slots_[SlotOf(tail, size)]; k != kNone; k = set.next_[k]) {
      const EncodedKey& key = set.keys_[k];
      if (key.tail() != tail || key.text().size() != size || !key.HeadEquals(at)) continue;
      if ((wanted >> k & 1) == 0) return false;  // of equal keys the first counts
      values[k] = value;
      wanted &= ~(1ULL << k);
      return wanted == 0;
    }
    return false;
  }
};

MapKeySet::MapKeySet(std::span<const std::string_view> keys) : count_(keys.size()) {
  TRELLIS_CHECK(!keys.empty() && keys.size() <= kKeysMax);
  slots_.fill(kNone);
  for (size_t k = 0; k < keys.size(); ++k) {
    keys_[k] = EncodedKey(keys[k]);
    uint8_t& slot = slots_[SlotOf(keys_[k].tail(), static_cast<uint32_t>(keys[k].size()))];
    next_[k] = slot;
    slot = static_cast<uint8_t>(k);
  }
}

size_t MapKeySet::SlotOf(uint64_t tail, uint32_t size) { return absl::HashOf(tail, size) % kSlots; }

Status MapKeySet::Find(std::span<const std::string_view> frames, const uint8_t* nulls,
                       std::string_view* values, size_t& failed_row) const {
  std::fill_n(values, frames.size() * count_, std::string_view());
  if (count_ == 1) return FindIn(OneKey{keys_[0]}, frames, nulls, values, failed_row);
  return FindIn(ManyKeys{*this}, frames, nulls, values, failed_row);
}

}  // namespace trellis::column
