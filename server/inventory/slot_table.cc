#include "server/inventory/slot_table.h"

namespace trellis::server {

const Slot* SlotTable::Append(InventorySegment segment) {
  const uint32_t at = ordinals_end_ % kPageSlots;
  if (at == 0) pages_.push_back(std::make_shared<Page>());
  Page& page = *pages_.back();
  page.open[at] = segment.segment.get();
  page.rows[at] = segment.segment ? segment.segment->document_count() : 0;
  page.slots[at] = std::make_shared<const Slot>(Slot{std::move(segment), ordinals_end_});
  ++ordinals_end_;
  return page.slots[at].get();
}

void SlotTable::Drop(const Roaring& ordinals) {
  uint32_t copied = UINT32_MAX;  // the page that is ours alone already
  ForEachOrdinal(ordinals, [&](uint32_t ordinal) {
    const uint32_t index = ordinal / kPageSlots;
    if (index != copied) {
      pages_[index] = std::make_shared<Page>(*pages_[index]);
      copied = index;
    }
    Page& page = *pages_[index];
    page.slots[ordinal % kPageSlots].reset();
    page.open[ordinal % kPageSlots] = nullptr;
    page.rows[ordinal % kPageSlots] = 0;
  });
}

}  // namespace trellis::server
