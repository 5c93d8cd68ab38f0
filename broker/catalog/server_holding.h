#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <roaring/roaring.hh>
#include <vector>

#include "broker/catalog/segment_slots.h"
#include "broker/catalog/table.h"
#include "common/base/status.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

// An update of which more is to come.
struct PendingUpdate {
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  uint64_t base_epoch = 0;
  std::optional<wire::TableDescription> description;
  Roaring dropped;  // ordinals
  Roaring dropped_slots;
  std::vector<uint32_t> ordinals;
  std::vector<uint32_t> slots;
  Roaring added_slots;
};

// What one server holds of one table, as its updates have told so far. One thread at a time.
class ServerHolding {
 public:
  // Takes one message of an update; what it tells counts when the update is whole. Errors: as
  // CatalogState::Apply; what was held before is then held still, and the update is forgotten.
  Status Apply(const wire::TableUpdate& update, SegmentSlots& slots);
  // A whole inventory without ordinals. `batch` has none; of equal names one counts.
  void Replace(const wire::SegmentBatch& batch, wire::TableDescription description,
               SegmentSlots& slots);
  // Holds nothing any more.
  void Clear(SegmentSlots& slots);
  // Forgets an update of which more was to come.
  void DropPending() { pending_.reset(); }
  bool pending() const { return pending_.has_value(); }

  // True once an update was whole.
  bool told() const { return told_; }
  const wire::TableDescription& description() const { return description_; }
  // Rises with each change of what is held.
  uint64_t version() const { return version_; }
  bool numbered() const { return numbered_; }
  size_t size() const { return held_.cardinality(); }

  // The part of a snapshot, by the ids of slots.
  std::shared_ptr<const ServerPart> Build(uint32_t server, size_t ids,
                                          const std::vector<uint32_t>& id_of_slot) const;
  // Gives slots other numbers.
  void Renumber(const std::vector<uint32_t>& new_slot);
  size_t memory_bytes() const;

 private:
  Status Begin(const wire::TableUpdate& update);
  Status Stage(const wire::TableUpdate& update, SegmentSlots& slots);
  Status StageDropped(const Roaring& dropped);
  Status CheckPending() const;
  void Commit(SegmentSlots& slots);
  void Merge(PendingUpdate& pending);
  size_t Position(uint32_t ordinal) const;  // in ordinals_; its size if it is not alive

  bool told_ = false;
  bool numbered_ = false;
  uint64_t incarnation_ = 0;
  uint64_t epoch_ = 0;
  uint64_t version_ = 0;
  wire::TableDescription description_;
  std::vector<uint32_t> ordinals_;  // ascending
  std::vector<uint32_t> slots_;     // beside ordinals_; SegmentSlots::kNone where dropped
  Roaring held_;                    // slots
  std::optional<PendingUpdate> pending_;
};

}  // namespace trellis::broker
