#include "server/inventory/table_inventory.h"

#include <algorithm>
#include <random>

#include "common/segment_names/name_store.h"
#include "common/wire/message_limits.h"
#include "server/inventory/table_inventory_state.h"

namespace trellis::server {
namespace {

// What malloc adds to a block and rounds it up to.
size_t HeapBytes(size_t size) { return size == 0 ? 0 : (size + 8 + 15) / 16 * 16; }

size_t MemoryOf(const Slot& slot) {
  const SegmentFacts& facts = slot.segment.facts;
  constexpr size_t kControlBlock = 16;
  constexpr size_t kInlineName = 15;
  return HeapBytes(sizeof(Slot) + kControlBlock) +
         (facts.name.capacity() > kInlineName ? HeapBytes(facts.name.capacity() + 1) : 0) +
         HeapBytes(facts.zones.capacity() * sizeof(SegmentFacts::Zone)) +
         HeapBytes(facts.partitions.capacity() * sizeof(SegmentFacts::Partition));
}

void SortNaturally(std::vector<InventorySegment>& segments) {
  segment_names::NameStore names;
  std::vector<uint32_t> order;
  order.reserve(segments.size());
  for (const InventorySegment& segment : segments)
    order.push_back(names.Append(segment.facts.name));
  segment_names::SortNaturally(names.View(), order);
  std::vector<InventorySegment> sorted;
  sorted.reserve(segments.size());
  for (const uint32_t index : order) sorted.push_back(std::move(segments[index]));
  segments = std::move(sorted);
}

// Of several segments of one name the last one counts.
void DropEarlierNamesakes(std::vector<InventorySegment>& segments) {
  absl::flat_hash_set<std::string_view, StringHash, StringEqual> seen;
  seen.reserve(segments.size());
  std::vector<bool> superseded(segments.size());
  bool any = false;
  for (size_t i = segments.size(); i-- > 0;) {
    superseded[i] = !seen.insert(segments[i].facts.name).second;
    any |= superseded[i];
  }
  if (!any) return;
  size_t kept = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (superseded[i]) continue;
    if (kept != i) segments[kept] = std::move(segments[i]);
    ++kept;
  }
  segments.resize(kept);
}

}  // namespace

uint64_t RandomIncarnation() {
  std::random_device random;
  const uint64_t number = (uint64_t{random()} << 32) | random();
  return number == 0 ? 1 : number;
}

struct TableInventory::State::Change {
  std::shared_ptr<Snapshot> snapshot = std::make_shared<Snapshot>();
  std::vector<std::shared_ptr<const Slot>> departed;
  std::vector<const Slot*> arrived;
  Delta delta;
  bool renumbered = false;  // `arrived` are all the slots there are
};

std::shared_ptr<const Snapshot> TableInventory::State::KeptAt(uint64_t epoch) const {
  if (epoch == current->table_epoch) return current;
  if (kept.empty() || epoch < kept.front().snapshot->table_epoch || epoch > current->table_epoch)
    return nullptr;
  return kept[epoch - kept.front().snapshot->table_epoch].snapshot;
}

std::vector<TableInventory::State::Superseded> TableInventory::State::TakeExpired(
    Clock::time_point now) {
  std::vector<Superseded> expired;
  while (!kept.empty() && (kept.size() >= std::max<size_t>(options.snapshots_kept_max, 1) ||
                           kept.front().at + options.snapshots_kept_ms < now)) {
    for (const auto& slot : kept.front().departed) {
      const auto found = departed.find(std::string_view(slot->segment.facts.name));
      if (found != departed.end() && found->second == slot) departed.erase(found);
    }
    expired.push_back(std::move(kept.front()));
    kept.pop_front();
  }
  return expired;
}

void TableInventory::State::Publish(Change change) {
  // A big inventory's names are hashed before anyone waits for them.
  SlotsByName renamed;
  if (change.renumbered) renamed.insert(change.arrived.begin(), change.arrived.end());
  size_t arrived_bytes = 0;
  for (const Slot* slot : change.arrived) arrived_bytes += MemoryOf(*slot);
  // What queries of "everything" have needed they will need again: not at their expense.
  if (current->everything_made()) change.snapshot->everything();

  const Clock::time_point now = Clock::now();
  std::vector<Superseded> expired;
  {
    const std::lock_guard in_turn(gate);
    const std::lock_guard lock(mutex);
    for (const auto& slot : change.departed) {
      by_name.erase(slot.get());
      departed.erase(std::string_view(slot->segment.facts.name));  // its key goes with its slot
      departed.emplace(slot->segment.facts.name, slot);
      slot_bytes -= MemoryOf(*slot);
    }
    if (change.renumbered) {
      by_name.swap(renamed);
      slot_bytes = arrived_bytes;
    } else {
      by_name.insert(change.arrived.begin(), change.arrived.end());
      slot_bytes += arrived_bytes;
    }
    if (change.snapshot->table_incarnation != current->table_incarnation) {
      journal.clear();
    } else {
      journal.push_back(std::move(change.delta));
      while (journal.size() > options.deltas_kept_max) journal.pop_front();
    }
    kept.push_back({std::move(current), now, std::move(change.departed)});
    current = std::move(change.snapshot);
    expired = TakeExpired(now);
  }
}

TableInventory::TableInventory(TableInfo info, const Options& options)
    : state_(std::make_unique<State>(options)) {
  auto empty = std::make_shared<Snapshot>();
  empty->description = std::make_shared<const Description>(std::move(info));
  empty->table_incarnation = RandomIncarnation();
  empty->table_epoch = 1;
  state_->current = std::move(empty);
}

TableInventory::~TableInventory() = default;

std::shared_ptr<const InventorySnapshot> TableInventory::Apply(std::vector<InventorySegment> add,
                                                               std::span<const std::string> drop,
                                                               std::optional<TableInfo> info) {
  const std::lock_guard applying(state_->apply_mutex);
  // Only Apply writes, so what it reads needs no further lock.
  const std::shared_ptr<const Snapshot> before = state_->current;
  State::Change change;
  Roaring dropped;
  const auto leave = [&](std::string_view name) {
    const auto found = state_->by_name.find(name);
    if (found == state_->by_name.end() || !dropped.addChecked((*found)->ordinal)) return;
    change.departed.push_back(before->slots.Share((*found)->ordinal));
  };
  DropEarlierNamesakes(add);
  for (const std::string& name : drop) leave(name);
  for (const InventorySegment& segment : add) leave(segment.facts.name);
  if (add.empty() && change.departed.empty() && !info) return before;

  Snapshot& next = *change.snapshot;
  next.description =
      info ? std::make_shared<const Description>(std::move(*info)) : before->description;
  next.table_incarnation = before->table_incarnation;
  next.table_epoch = before->table_epoch + 1;
  next.rows_total = before->rows_total;
  for (const auto& slot : change.departed) next.rows_total -= slot->segment.facts.rows;
  for (const InventorySegment& segment : add) next.rows_total += segment.facts.rows;

  const uint32_t given_out = before->slots.ordinals_end();
  const size_t given_out_next = given_out + add.size();
  const size_t alive_next = before->size() - change.departed.size() + add.size();
  const bool rebase =
      given_out > 0 &&
      ((given_out_next >= state_->options.rebase_ordinals_min && alive_next * 2 < given_out_next) ||
       given_out_next > wire::kMessageLimits.ordinals_max);
  change.renumbered = rebase || given_out == 0;
  change.delta = {next.table_epoch, given_out, dropped, info.has_value()};
  if (rebase) {
    next.table_incarnation = RandomIncarnation();
    ForEachOrdinal(before->alive_ordinals - dropped,
                   [&](uint32_t ordinal) { add.push_back(before->slots.Find(ordinal)->segment); });
  } else {
    next.slots = before->slots;
    next.slots.Drop(dropped);
    next.alive_ordinals = before->alive_ordinals - dropped;
  }
  SortNaturally(add);
  const uint32_t first = next.slots.ordinals_end();
  change.arrived.reserve(add.size());
  for (InventorySegment& segment : add)
    change.arrived.push_back(next.slots.Append(std::move(segment)));
  next.alive_ordinals.addRange(first, next.slots.ordinals_end());
  next.alive_ordinals.runOptimize();
  const std::shared_ptr<const Snapshot> after = change.snapshot;
  state_->Publish(std::move(change));
  return after;
}

std::shared_ptr<const InventorySnapshot> TableInventory::current() const {
  const auto lock = state_->ReadLock();
  return state_->current;
}

void TableInventory::ForgetOld() {
  const std::lock_guard applying(state_->apply_mutex);
  std::vector<State::Superseded> expired;
  const std::lock_guard in_turn(state_->gate);
  const std::lock_guard lock(state_->mutex);
  expired = state_->TakeExpired(State::Clock::now());
}

size_t TableInventory::memory_bytes() const {
  const auto lock = state_->ReadLock();
  const Snapshot& now = *state_->current;
  constexpr size_t kNameEntry = sizeof(const Slot*) + 1;
  return state_->slot_bytes + now.slots.memory_bytes() + state_->by_name.capacity() * kNameEntry +
         now.alive_ordinals.getSizeInBytes() +
         (now.everything_made() ? now.everything().segments.capacity() * sizeof(void*) : 0);
}

}  // namespace trellis::server
