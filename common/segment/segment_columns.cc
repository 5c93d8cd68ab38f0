#include "common/segment/segment_columns.h"

#include <list>

#include "common/memory/mapping_bound.h"

namespace trellis::segment {
struct ColumnSlot {
  std::mutex mutex;
  ColumnPointer column;  // guarded by mutex, as what follows; null: not open
  Status error;          // of an opening that need not be tried again
  // On the shelf; both are guarded by the shelf's lock too.
  bool shelved = false;
  std::list<ColumnSlot*>::iterator place;
};

namespace {

// A directory as one column sees it: holds the mappings of the buffers it was asked for.
class HoldingDirectory final : public SegmentDirectory {
 public:
  explicit HoldingDirectory(const SegmentDirectory& all) : all_(all) {}
  bool is_v3() const override { return all_.is_v3(); }
  std::vector<Entry> entries() const override { return all_.entries(); }
  bool empty() const override { return all_.empty(); }
  bool Has(std::string_view column, std::string_view index) const override {
    return all_.Has(column, index);
  }
  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override {
    TRELLIS_ASSIGN_OR_RETURN(const HeldBuffer held, Hold(column, index));
    if (held.mapping) {
      const std::lock_guard lock(mutex_);
      mappings_.push_back(held.mapping);
    }
    return held.bytes;
  }
  Result<HeldBuffer> Hold(std::string_view column, std::string_view index) const override {
    return all_.Hold(column, index);
  }
  Result<std::string> ReadMetadata() const override { return all_.ReadMetadata(); }
  Result<std::string> ReadCreationMeta() const override { return all_.ReadCreationMeta(); }
  Status CheckIntact() const override { return all_.CheckIntact(); }
  bool torn() const override { return all_.torn(); }
  std::string FileOf(std::string_view column, std::string_view index) const override {
    return all_.FileOf(column, index);
  }
  bool holds_any() const {
    const std::lock_guard lock(mutex_);
    return !mappings_.empty();
  }

 private:
  const SegmentDirectory& all_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const void>> mappings_;  // guarded by mutex_
};

// A column and what must outlive it.
struct HeldColumn {
  explicit HeldColumn(const SegmentDirectory& all) : directory(all) {}
  HoldingDirectory directory;
  ColumnPointer column;
};

// Columns that can be let go, the one asked for longest ago first. A slot's lock is taken before
// the shelf's; who has the shelf's only tries a slot's.
class Shelf {
 public:
  static Shelf& Only() {
    static Shelf* const shelf = [] {
      memory::SetReclaimer([] { return Only().DropOne(); });
      return new Shelf();  // outlives the segments of static objects
    }();
    return *shelf;
  }

  void Put(ColumnSlot& slot) {
    const std::lock_guard lock(mutex_);
    slot.place = slots_.insert(slots_.end(), &slot);
    slot.shelved = true;
  }
  void Touch(ColumnSlot& slot) {
    const std::lock_guard lock(mutex_);
    if (slot.shelved) slots_.splice(slots_.end(), slots_, slot.place);
  }
  void Remove(ColumnSlot& slot) {
    const std::lock_guard lock(mutex_);
    if (slot.shelved) slots_.erase(slot.place);
    slot.shelved = false;
  }
  bool DropOne() {
    ColumnPointer dropped;  // let go after the lock is
    const std::lock_guard lock(mutex_);
    for (auto at = slots_.begin(); at != slots_.end(); ++at) {
      ColumnSlot& slot = **at;
      const std::unique_lock mine(slot.mutex, std::try_to_lock);
      // Only who has the slot's lock can take a reference beside the last one.
      if (!mine.owns_lock() || slot.column.use_count() != 1) continue;
      dropped = std::move(slot.column);
      slot.shelved = false;
      slots_.erase(at);
      return true;
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::list<ColumnSlot*> slots_;
};

bool MayPass(const Status& status) {
  return status.code() == StatusCode::kResourceExhausted ||
         status.code() == StatusCode::kUnavailable ||
         status.code() == StatusCode::kPermissionDenied;
}

}  // namespace

SegmentColumns::SegmentColumns() = default;

SegmentColumns::~SegmentColumns() {
  for (const auto& slot : slots_) {
    if (slot && slot->shelved) Shelf::Only().Remove(*slot);
  }
}

ColumnSlot& SegmentColumns::SlotAt(size_t index, size_t count) {
  const std::lock_guard lock(mutex_);
  if (slots_.empty()) slots_.resize(count);
  if (!slots_[index]) slots_[index] = std::make_unique<ColumnSlot>();
  return *slots_[index];
}

Result<ColumnPointer> SegmentColumns::Get(const SegmentMetadata& segment,
                                          const ColumnMetadata& column,
                                          const SegmentDirectory& directory,
                                          const OpenOptions& options) {
  ColumnSlot& slot =
      SlotAt(static_cast<size_t>(&column - segment.columns.data()), segment.columns.size());
  const std::lock_guard lock(slot.mutex);
  if (!slot.error.ok()) return slot.error;
  if (slot.column) {
    if (slot.shelved) Shelf::Only().Touch(slot);
    return slot.column;
  }
  Shelf::Only();  // there before anything has to give way
  auto held = std::make_shared<HeldColumn>(directory);
  auto opened = OpenColumnOf(segment, column, held->directory, options);
  if (!opened.ok()) {
    const Status status = opened.status().WithContext(
        fmt::format("segment '{}', column '{}'", segment.name, column.field.name));
    if (!MayPass(status)) slot.error = status;
    return status;
  }
  held->column = std::move(opened).value();
  const bool gives_way = held->directory.holds_any();
  const segment::Column* const plain = held->column.get();
  slot.column = ColumnPointer(std::move(held), plain);
  if (gives_way) Shelf::Only().Put(slot);
  return slot.column;
}

}  // namespace trellis::segment
