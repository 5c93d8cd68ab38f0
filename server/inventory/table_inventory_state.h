#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "server/inventory/snapshot.h"

namespace trellis::server {

struct SlotNameHash {
  using is_transparent = void;
  size_t operator()(const Slot* slot) const { return StringHash()(slot->segment.facts.name); }
  size_t operator()(std::string_view name) const { return StringHash()(name); }
};
struct SlotNameEqual {
  using is_transparent = void;
  static std::string_view NameOf(const Slot* slot) { return slot->segment.facts.name; }
  static std::string_view NameOf(std::string_view name) { return name; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return NameOf(a) == NameOf(b);
  }
};
using SlotsByName = absl::flat_hash_set<const Slot*, SlotNameHash, SlotNameEqual>;

struct TableInventory::State {
  using Clock = std::chrono::steady_clock;

  // A snapshot that is not the newest any more.
  struct Superseded {
    std::shared_ptr<const Snapshot> snapshot;
    Clock::time_point at;
    std::vector<std::shared_ptr<const Slot>> departed;  // what the next snapshot dropped
  };
  // One epoch of the current incarnation.
  struct Delta {
    uint64_t epoch = 0;
    uint32_t ordinals_before = 0;  // given out before it; its own follow
    Roaring dropped;
    bool description_changed = false;
  };
  struct Change;  // one Apply in the making

  explicit State(const Options& o) : options(o) {}

  // Holds `mutex` shared. Through the gate, so that readers that never pause let writers in.
  std::shared_lock<std::shared_mutex> ReadLock() const {
    const std::lock_guard in_turn(gate);
    return std::shared_lock(mutex);
  }
  // The snapshot of an epoch of the current incarnation, null when it is not kept (any more).
  // REQUIRES: `mutex` held.
  std::shared_ptr<const Snapshot> KeptAt(uint64_t epoch) const;
  // Takes out what is over its time or its number; what it returns is let go of without the lock:
  // it may close many files. REQUIRES: `mutex` held alone.
  std::vector<Superseded> TakeExpired(Clock::time_point now);
  // Makes the change's snapshot the current one.
  void Publish(Change change);

  const Options options;
  std::mutex apply_mutex;  // one Apply at a time: taken before the others
  mutable std::mutex gate;
  mutable std::shared_mutex mutex;
  // Guarded by `mutex`, and written under `apply_mutex` too.
  std::shared_ptr<const Snapshot> current;
  SlotsByName by_name;          // the slots of `current`
  std::deque<Superseded> kept;  // of consecutive epochs, the last is current's less one
  std::deque<Delta> journal;    // of consecutive epochs, the last is current's
  // Of `kept`: names not there any more or replaced, the youngest of a name. Keys lie in the slots.
  absl::flat_hash_map<std::string_view, std::shared_ptr<const Slot>, StringHash, StringEqual>
      departed;
  size_t slot_bytes = 0;  // heap of current's slots
};

// A random number that is not 0.
uint64_t RandomIncarnation();

}  // namespace trellis::server
