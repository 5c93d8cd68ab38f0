#pragma once

#include <absl/container/flat_hash_map.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "common/base/string_hash.h"
#include "server/inventory/slot_table.h"

namespace trellis::server {

// A TableInfo with its broken segments by name. Immutable.
struct Description {
  explicit Description(TableInfo table_info) : info(std::move(table_info)) {
    for (const BrokenSegment& segment : info.broken) broken.emplace(segment.name, &segment);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  TableInfo info;
  absl::flat_hash_map<std::string_view, const BrokenSegment*, StringHash, StringEqual> broken;
};

// What TableInventory hands out. Filled in before it is shared, immutable afterwards.
class Snapshot final : public InventorySnapshot {
 public:
  std::shared_ptr<const Description> description;
  uint64_t table_incarnation = 0;
  uint64_t table_epoch = 0;
  SlotTable slots;
  Roaring alive_ordinals;
  int64_t rows_total = 0;

  const TableInfo& info() const override { return description->info; }
  uint64_t incarnation() const override { return table_incarnation; }
  uint64_t epoch() const override { return table_epoch; }
  size_t size() const override { return alive_ordinals.cardinality(); }
  const Roaring& alive() const override { return alive_ordinals; }
  int64_t documents_total() const override { return rows_total; }
  const InventorySegment* Find(uint32_t ordinal) const override;
  std::span<const segment::Segment* const> segments() const override {
    return everything().segments;
  }

  // What a list of all segments resolves to.
  struct Everything {
    std::vector<const segment::Segment*>
        segments;  // in ordinal order; those without files left out
    Roaring without_files;
    int64_t documents_total = 0;
    uint64_t count = 0;  // alive, with files or without
  };
  const Everything& everything() const;
  bool everything_made() const { return made_.load(std::memory_order_acquire); }

  // Adds the segments of `ordinals` to `resolution.selection.chosen`; those not alive, or without
  // files, to its missing ordinals. REQUIRES: all of them were given out at this epoch.
  void Choose(const Roaring& ordinals, Resolution& resolution) const;

 private:
  mutable std::once_flag once_;
  mutable std::atomic<bool> made_{false};
  mutable Everything everything_;
};

}  // namespace trellis::server
