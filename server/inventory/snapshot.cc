#include "server/inventory/snapshot.h"

namespace trellis::server {

const InventorySegment* Snapshot::Find(uint32_t ordinal) const {
  const Slot* slot = slots.Find(ordinal);
  return slot == nullptr ? nullptr : &slot->segment;
}

const Snapshot::Everything& Snapshot::everything() const {
  std::call_once(once_, [this] {
    everything_.count = alive_ordinals.cardinality();
    everything_.segments.reserve(everything_.count);
    ForEachOrdinal(alive_ordinals, [this](uint32_t ordinal) {
      uint32_t rows = 0;
      const segment::Segment* const open = slots.FindOpen(ordinal, rows);
      if (open == nullptr) return everything_.without_files.add(ordinal);
      everything_.segments.push_back(open);
      everything_.documents_total += rows;
    });
    made_.store(true, std::memory_order_release);
  });
  return everything_;
}

void Snapshot::Choose(const Roaring& ordinals, Resolution& resolution) const {
  SegmentSelection& selection = resolution.selection;
  selection.chosen.reserve(ordinals.cardinality());
  ForEachOrdinal(ordinals, [&](uint32_t ordinal) {
    uint32_t rows = 0;
    const segment::Segment* const open = slots.FindOpen(ordinal, rows);
    if (open == nullptr) return resolution.missing_ordinals.add(ordinal);
    selection.chosen.push_back(open);
    selection.documents_total += rows;
  });
}

}  // namespace trellis::server
