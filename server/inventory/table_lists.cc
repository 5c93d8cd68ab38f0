// What segment lists resolve to.
#include <absl/container/flat_hash_set.h>

#include <utility>

#include "server/inventory/table_inventory_state.h"

namespace trellis::server {
namespace {

// The snapshot that a selection of `snapshot` pins, with slots that are not in it any more.
std::shared_ptr<const InventorySnapshot> PinOf(std::shared_ptr<const Snapshot> snapshot,
                                               std::vector<std::shared_ptr<const Slot>> departed) {
  if (departed.empty()) return snapshot;
  using Pinned =
      std::pair<std::shared_ptr<const Snapshot>, std::vector<std::shared_ptr<const Slot>>>;
  const InventorySnapshot* const seen = snapshot.get();
  auto all = std::make_shared<const Pinned>(std::move(snapshot), std::move(departed));
  return {std::move(all), seen};
}

Resolution Stale() {
  Resolution resolution;
  resolution.stale = true;
  return resolution;
}

bool AllGivenOut(const Roaring& ordinals, const Snapshot& snapshot) {
  return ordinals.isEmpty() || ordinals.maximum() < snapshot.slots.ordinals_end();
}

Resolution ResolveAllBut(const wire::KnownSegments& list, std::shared_ptr<const Snapshot> kept) {
  Resolution resolution;
  SegmentSelection& selection = resolution.selection;
  if (list.ordinals.isEmpty()) {
    const Snapshot::Everything& everything = kept->everything();
    if (list.count != everything.count) return Stale();
    selection.view = everything.segments;
    selection.documents_total = everything.documents_total;
    if (!everything.without_files.isEmpty()) resolution.missing_ordinals = everything.without_files;
  } else {
    const Roaring meant = kept->alive_ordinals - list.ordinals;
    if (list.count != meant.cardinality()) return Stale();
    kept->Choose(meant, resolution);
    selection.view = selection.chosen;
  }
  selection.pin = std::move(kept);
  return resolution;
}

// The segments that a list of names has named so far: a bit an ordinal, or, where the list is short
// beside the inventory, a set.
class NamedOnce {
 public:
  NamedOnce(size_t names, uint32_t ordinals_end)
      : bits_(names >= ordinals_end / kOrdinalsPerName ? ordinals_end : 0) {}

  // False when it was added before.
  bool Add(uint32_t ordinal) {
    if (bits_.empty()) return few_.insert(ordinal).second;
    const bool first = !bits_[ordinal];
    bits_[ordinal] = true;
    return first;
  }
  // A name that no segment of the current inventory has.
  bool Add(std::string_view name) { return others_.insert(name).second; }

 private:
  static constexpr uint32_t kOrdinalsPerName = 256;
  std::vector<bool> bits_;
  absl::flat_hash_set<uint32_t> few_;
  absl::flat_hash_set<std::string_view, StringHash, StringEqual> others_;
};

}  // namespace

Resolution TableInventory::ResolveKnown(const wire::KnownSegments& list) const {
  std::shared_ptr<const Snapshot> kept;
  std::shared_ptr<const Snapshot> current;
  {
    const auto lock = state_->ReadLock();
    current = state_->current;
    if (list.incarnation != current->table_incarnation || list.epoch > current->table_epoch)
      return Stale();
    kept = state_->KeptAt(list.epoch);
  }
  const Snapshot& numbered = kept ? *kept : *current;
  if (kept && kept->table_incarnation != list.incarnation) return Stale();
  if (!AllGivenOut(list.ordinals, numbered)) return Stale();
  if (list.all_but) return kept ? ResolveAllBut(list, std::move(kept)) : Stale();

  if (list.count != list.ordinals.cardinality()) return Stale();
  Resolution resolution;
  if (list.ordinals.isSubset(numbered.alive_ordinals)) {
    numbered.Choose(list.ordinals, resolution);
  } else {
    numbered.Choose(list.ordinals & numbered.alive_ordinals, resolution);
    resolution.missing_ordinals |= list.ordinals - numbered.alive_ordinals;
  }
  resolution.selection.view = resolution.selection.chosen;
  resolution.selection.pin = kept ? std::move(kept) : std::move(current);
  return resolution;
}

Result<Resolution> TableInventory::ResolveNames(std::span<const std::string_view> names) const {
  Resolution resolution;
  SegmentSelection& selection = resolution.selection;
  selection.chosen.reserve(names.size());
  std::vector<std::shared_ptr<const Slot>> departed;
  const auto lock = state_->ReadLock();
  NamedOnce named(names.size(), state_->current->slots.ordinals_end());
  for (const std::string_view name : names) {
    const Slot* slot = nullptr;
    const auto found = state_->by_name.find(name);
    const bool there = found != state_->by_name.end();
    if (!(there ? named.Add((*found)->ordinal) : named.Add(name)))
      return Status::InvalidArgument("the segment list names '{}' twice", name);
    if (there) {
      slot = *found;
    } else if (const auto left = state_->departed.find(name); left != state_->departed.end()) {
      slot = left->second.get();
      if (slot->segment.segment) departed.push_back(left->second);
    } else {
      const auto& broken = state_->current->description->broken;
      if (const auto known = broken.find(name); known != broken.end()) {
        resolution.broken.push_back(*known->second);
        continue;
      }
    }
    if (slot == nullptr || slot->segment.segment == nullptr) {
      resolution.missing.emplace_back(name);
      continue;
    }
    selection.chosen.push_back(slot->segment.segment.get());
    selection.documents_total += slot->segment.segment->document_count();
  }
  selection.view = selection.chosen;
  selection.pin = PinOf(state_->current, std::move(departed));
  return resolution;
}

}  // namespace trellis::server
