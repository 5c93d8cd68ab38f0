#include "broker/catalog/segment_slots.h"

#include <algorithm>

#include "common/base/check.h"

namespace trellis::broker {
namespace {

// How many slots of one name are looked at for the data that a server tells of.
constexpr int kTwinsSoughtMax = 4;

}  // namespace

SegmentSlots::SegmentSlots() : names_(store_.View()), newest_(0, NameHash{this}, NameEqual{this}) {}

uint32_t SegmentSlots::Append(std::string_view name) {
  const uint32_t slot = store_.Append(name);
  TRELLIS_CHECK(slot == holders_.size());
  holders_.push_back(0);
  flags_.push_back(0);
  return slot;
}

uint32_t SegmentSlots::Newest(std::string_view name) const {
  const auto found = newest_.find(name);
  return found == newest_.end() ? kNone : *found;
}

uint32_t SegmentSlots::Older(uint32_t slot) const {
  if ((flags_[slot] & kTwin) == 0) return kNone;
  const auto older = older_.find(slot);
  return older == older_.end() ? kNone : older->second;
}

bool SegmentSlots::Readable(std::string_view name) const {
  for (uint32_t slot = Newest(name); slot != kNone; slot = Older(slot)) {
    if (alive(slot)) return true;
  }
  return false;
}

uint32_t SegmentSlots::FindCovering(const SegmentFacts::BoundBatch& batch, size_t row) const {
  uint32_t slot = Newest(batch.batch->names[row]);
  for (int sought = 0; slot != kNone && sought < kTwinsSoughtMax; ++sought) {
    if (facts_.Covers(slot, batch, row)) return slot;
    slot = Older(slot);
  }
  return kNone;
}

void SegmentSlots::MakeNewest(uint32_t slot) {
  const auto before = newest_.find(slot);
  if (before != newest_.end()) {
    older_.emplace(slot, *before);
    flags_[slot] |= kTwin;
    flags_[*before] |= kTwin;
    newest_.erase(before);
  }
  newest_.insert(slot);
}

std::vector<uint32_t> SegmentSlots::Take(const wire::SegmentBatch& batch) {
  const SegmentFacts::BoundBatch bound = facts_.Bind(batch);
  absl::flat_hash_map<std::string_view, uint32_t, StringHash, StringEqual> appended;
  std::vector<uint32_t> slots(batch.names.size());
  for (size_t row = 0; row < slots.size(); ++row) {
    const auto same = appended.find(batch.names[row]);
    slots[row] = same != appended.end() ? same->second : FindCovering(bound, row);
    if (slots[row] != kNone) continue;
    slots[row] = Append(batch.names[row]);
    facts_.Set(slots[row], bound, row);
    appended.emplace(batch.names[row], slots[row]);
  }
  if (appended.empty()) return slots;
  names_ = store_.View();
  for (const auto& [name, slot] : appended) MakeNewest(slot);
  return slots;
}

void SegmentSlots::Hold(uint32_t slot) {
  if (holders_[slot]++ != 0) return;
  ++alive_count_;
  if ((flags_[slot] & kOrdered) == 0) woken_.push_back(slot);
}

void SegmentSlots::Release(uint32_t slot) {
  if (--holders_[slot] == 0) --alive_count_;
}

bool SegmentSlots::RefreshOrder() {
  std::vector<uint32_t> fresh;
  for (const uint32_t slot : woken_) {
    if (!alive(slot) || (flags_[slot] & kOrdered) != 0) continue;
    flags_[slot] |= kOrdered;
    fresh.push_back(slot);
  }
  woken_ = {};
  if (order_.size() + fresh.size() == alive_count_ && fresh.empty()) return false;
  std::erase_if(order_, [&](uint32_t slot) {
    if (alive(slot)) return false;
    flags_[slot] &= static_cast<uint8_t>(~kOrdered);
    return true;
  });
  segment_names::SortNaturally(names_, fresh);
  if (order_.empty()) {
    order_ = std::move(fresh);
    return true;
  }
  std::vector<uint32_t> merged;
  merged.reserve(order_.size() + fresh.size());
  auto from = order_.begin();
  for (const uint32_t slot : fresh) {
    const auto to = std::upper_bound(
        from, order_.end(), slot, [&](uint32_t a, uint32_t b) { return names_.Compare(a, b) < 0; });
    merged.insert(merged.end(), from, to);
    merged.push_back(slot);
    from = to;
  }
  merged.insert(merged.end(), from, order_.end());
  order_ = std::move(merged);
  return true;
}

SegmentSlots::Numbering SegmentSlots::Number() const {
  Numbering numbering;
  numbering.slots.reserve(order_.size());
  numbering.id_of_slot.assign(size(), kNone);
  for (const uint32_t slot : order_) {
    std::vector<uint32_t>& slots = numbering.slots;
    const bool twins = !slots.empty() && (flags_[slot] & flags_[slots.back()] & kTwin) != 0 &&
                       names_.name(slot) == names_.name(slots.back());
    if (!twins) {
      slots.push_back(slot);
    } else {
      if (!facts_.SameData(slot, slots.back())) {
        numbering.disputed.add(static_cast<uint32_t>(slots.size() - 1));
        numbering.disputed_slots[0] = slots.back();
        numbering.disputed_slots[1] = slot;
      }
      slots.back() = std::max(slots.back(), slot);
    }
    numbering.id_of_slot[slot] = static_cast<uint32_t>(slots.size() - 1);
  }
  return numbering;
}

std::unique_ptr<SegmentSlots> SegmentSlots::Compact(std::vector<uint32_t>& new_slot) const {
  auto compact = std::make_unique<SegmentSlots>();
  new_slot.assign(size(), kNone);
  for (const uint32_t slot : order_) {
    const uint32_t to = compact->Append(names_.name(slot));
    compact->facts_.CopyFrom(facts_, slot, to);
    compact->holders_[to] = holders_[slot];
    compact->flags_[to] = kOrdered;
    compact->order_.push_back(to);
    new_slot[slot] = to;
  }
  compact->alive_count_ = alive_count_;
  compact->names_ = compact->store_.View();
  compact->newest_.reserve(compact->size());
  // Twins in the order of their age, so that the newest is the one that is found.
  std::vector<uint32_t> twins;
  for (const uint32_t slot : order_) {
    if ((flags_[slot] & kTwin) != 0)
      twins.push_back(slot);
    else
      compact->newest_.insert(new_slot[slot]);
  }
  std::sort(twins.begin(), twins.end());
  for (const uint32_t slot : twins) compact->MakeNewest(new_slot[slot]);
  return compact;
}

size_t SegmentSlots::memory_bytes() const {
  return names_.memory_bytes() + facts_.memory_bytes() + holders_.capacity() * sizeof(uint16_t) +
         flags_.capacity() + newest_.capacity() * (sizeof(uint32_t) + 1) +
         order_.capacity() * sizeof(uint32_t) + woken_.capacity() * sizeof(uint32_t);
}

}  // namespace trellis::broker
