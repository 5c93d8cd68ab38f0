#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <string_view>
#include <vector>

#include "broker/catalog/segment_facts.h"
#include "common/base/string_hash.h"
#include "common/segment_names/name_store.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

// Every segment of one table that a server has told of, each in a slot: 0, 1, 2, ... A slot's name
// and facts never change; a segment that comes back with other data gets a new slot beside its old
// one. A slot is alive while a server holds it. One thread at a time.
class SegmentSlots {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  SegmentSlots();
  SegmentSlots(const SegmentSlots&) = delete;
  SegmentSlots& operator=(const SegmentSlots&) = delete;

  // Slots of the batch's rows: known ones of the same name and data, or new ones, not alive yet.
  // REQUIRES: as many crcs and rows as names.
  std::vector<uint32_t> Take(const wire::SegmentBatch& batch);
  // True if a slot of that name is alive.
  bool Readable(std::string_view name) const;
  bool alive(uint32_t slot) const { return holders_[slot] != 0; }
  void Hold(uint32_t slot);
  void Release(uint32_t slot);

  // One object a numbering of slots: Compact's result has another.
  const std::shared_ptr<const void>& identity() const { return identity_; }
  size_t size() const { return holders_.size(); }
  size_t alive_count() const { return alive_count_; }
  const segment_names::NameView& names() const { return names_; }
  const SegmentFacts& facts() const { return facts_; }

  // Brings the natural order of slots that are alive up to date; true if it has changed.
  bool RefreshOrder();
  // Ids of names in natural order, as of the last RefreshOrder.
  struct Numbering {
    std::vector<uint32_t> slots;       // by id: the newest slot of the name
    std::vector<uint32_t> id_of_slot;  // kNone for slots that are not alive
    Roaring disputed;  // ids whose holders have different data: nothing is known of them for sure
    uint32_t disputed_slots[2] = {kNone, kNone};  // two of one name, for a log line
  };
  Numbering Number() const;

  // The slots that are alive alone, in natural order; `new_slot` is set by old slot.
  // REQUIRES: RefreshOrder() since the last change. No slot of Take is waiting to be held.
  std::unique_ptr<SegmentSlots> Compact(std::vector<uint32_t>& new_slot) const;
  size_t memory_bytes() const;

 private:
  // The hash set of slots by name has no names of its own.
  struct NameHash {
    using is_transparent = void;
    const SegmentSlots* slots;
    size_t operator()(uint32_t slot) const { return StringHash()(slots->names_.name(slot)); }
    size_t operator()(std::string_view name) const { return StringHash()(name); }
  };
  struct NameEqual {
    using is_transparent = void;
    const SegmentSlots* slots;
    std::string_view Text(uint32_t slot) const { return slots->names_.name(slot); }
    std::string_view Text(std::string_view name) const { return name; }
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return Text(a) == Text(b);
    }
  };
  enum Flag : uint8_t { kOrdered = 1, kTwin = 2 };  // in order_; other slots have its name

  uint32_t Append(std::string_view name);
  uint32_t Newest(std::string_view name) const;  // kNone if there is no slot of that name
  uint32_t Older(uint32_t slot) const;           // kNone if there is none
  uint32_t FindCovering(const SegmentFacts::BoundBatch& batch, size_t row) const;
  void MakeNewest(uint32_t slot);

  std::shared_ptr<const void> identity_ = std::make_shared<char>();
  segment_names::NameStore store_;
  segment_names::NameView names_;
  SegmentFacts facts_;
  std::vector<uint16_t> holders_;
  std::vector<uint8_t> flags_;
  absl::flat_hash_set<uint32_t, NameHash, NameEqual> newest_;  // one slot a name
  absl::flat_hash_map<uint32_t, uint32_t> older_;  // twin -> the slot that had its name before
  size_t alive_count_ = 0;
  std::vector<uint32_t> order_;
  std::vector<uint32_t> woken_;  // alive since the last RefreshOrder
};

}  // namespace trellis::broker
