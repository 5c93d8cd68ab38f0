#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <span>
#include <vector>

#include "server/inventory/table_inventory.h"

namespace trellis::server {

// A segment with its ordinal. Immutable.
struct Slot {
  InventorySegment segment;
  uint32_t ordinal = 0;
};

// Slots by ordinal, in pages that copies of a table share: a copy costs a pointer a page, a drop
// copies the pages it touches. Appending fills the last page in place, beyond what older copies
// look at, so only the newest copy may be appended to; the others may be read meanwhile.
class SlotTable {
 public:
  static constexpr uint32_t kPageSlots = 256;

  uint32_t ordinals_end() const { return ordinals_end_; }  // ordinals given out
  // Null where the ordinal was dropped or never given out.
  const Slot* Find(uint32_t ordinal) const {
    return ordinal < ordinals_end_ ? PageOf(ordinal).slots[ordinal % kPageSlots].get() : nullptr;
  }
  std::shared_ptr<const Slot> Share(uint32_t ordinal) const {
    return ordinal < ordinals_end_ ? PageOf(ordinal).slots[ordinal % kPageSlots] : nullptr;
  }
  // The open segment and its row count, beside each other for lists of many. REQUIRES: ordinal <
  // ordinals_end(). Null where there is no segment or no file.
  const segment::Segment* FindOpen(uint32_t ordinal, uint32_t& rows) const {
    const Page& page = PageOf(ordinal);
    rows = page.rows[ordinal % kPageSlots];
    return page.open[ordinal % kPageSlots];
  }

  // Gives out the next ordinal. REQUIRES: this is the newest copy.
  const Slot* Append(InventorySegment segment);
  // `ordinals` are ascending and alive.
  void Drop(const Roaring& ordinals);
  size_t memory_bytes() const { return pages_.size() * (sizeof(Page) + sizeof(pages_[0])); }

 private:
  struct Page {
    std::array<std::shared_ptr<const Slot>, kPageSlots> slots;
    std::array<const segment::Segment*, kPageSlots> open{};
    std::array<uint32_t, kPageSlots> rows{};
  };
  const Page& PageOf(uint32_t ordinal) const { return *pages_[ordinal / kPageSlots]; }

  std::vector<std::shared_ptr<Page>> pages_;
  uint32_t ordinals_end_ = 0;
};

// Calls `visit(ordinal)` for each, ascending.
template <class F>
void ForEachOrdinal(const Roaring& ordinals, F&& visit) {
  constexpr uint32_t kAtATime = 512;
  std::array<uint32_t, kAtATime> some;
  roaring_uint32_iterator_t at;
  roaring_init_iterator(&ordinals.roaring, &at);
  while (const uint32_t count = roaring_read_uint32_iterator(&at, some.data(), kAtATime))
    for (uint32_t i = 0; i < count; ++i) visit(some[i]);
}

}  // namespace trellis::server
