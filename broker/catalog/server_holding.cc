#include "broker/catalog/server_holding.h"

#include <algorithm>
#include <numeric>

#include "common/wire/message_limits.h"

namespace trellis::broker {
namespace {

constexpr uint32_t kDropped = SegmentSlots::kNone;
// Where a server holds at least one in this many of a table's segments, its ids are put in order by
// going through all ids rather than by sorting.
constexpr size_t kSweepShare = 8;

template <class... A>
Status Lost(fmt::format_string<A...> f, A&&... a) {
  return {StatusCode::kFailedPrecondition, fmt::format(f, std::forward<A>(a)...)};
}

Status CheckBatch(const wire::SegmentBatch& batch) {
  const size_t size = batch.ordinals.size();
  if (batch.names.size() != size || batch.crcs.size() != size || batch.rows.size() != size) {
    return Status::InvalidArgument("{} ordinals come with {} names, {} crcs and {} row counts",
                                   size, batch.names.size(), batch.crcs.size(), batch.rows.size());
  }
  constexpr wire::MessageLimits kLimits;
  for (size_t i = 0; i < size; ++i) {
    if (batch.ordinals[i] >= kLimits.ordinals_max) {
      return Status::InvalidArgument("ordinal {} is over the limit of {}", batch.ordinals[i],
                                     kLimits.ordinals_max);
    }
    if (i > 0 && batch.ordinals[i] <= batch.ordinals[i - 1]) {
      return Status::InvalidArgument("ordinal {} comes after {}", batch.ordinals[i],
                                     batch.ordinals[i - 1]);
    }
    if (batch.names[i].size() > kLimits.segment_name_bytes_max) {
      return Status::InvalidArgument("the name of ordinal {} has {} bytes, over the limit of {}",
                                     batch.ordinals[i], batch.names[i].size(),
                                     kLimits.segment_name_bytes_max);
    }
  }
  return {};
}

}  // namespace

size_t ServerHolding::Position(uint32_t ordinal) const {
  const auto found = std::lower_bound(ordinals_.begin(), ordinals_.end(), ordinal);
  const size_t at = found - ordinals_.begin();
  if (found == ordinals_.end() || *found != ordinal || slots_[at] == kDropped)
    return ordinals_.size();
  return at;
}

Status ServerHolding::Begin(const wire::TableUpdate& update) {
  const bool continues = pending_ && pending_->incarnation == update.incarnation &&
                         pending_->epoch == update.epoch &&
                         pending_->base_epoch == update.base_epoch;
  // A full update begins with a description: one that was cut short may be told anew.
  if (continues && !(update.base_epoch == 0 && update.description)) return {};
  if (pending_ && update.base_epoch != 0) {
    return Lost("epoch {} is told before epoch {} of incarnation {:x} was whole", update.epoch,
                pending_->epoch, pending_->incarnation);
  }
  if (update.base_epoch != 0 &&
      (!told_ || !numbered_ || incarnation_ != update.incarnation || epoch_ != update.base_epoch)) {
    return Lost("epoch {} builds on epoch {} of incarnation {:x}, at hand is epoch {} of {:x}",
                update.epoch, update.base_epoch, update.incarnation, epoch_, incarnation_);
  }
  pending_.emplace();
  pending_->incarnation = update.incarnation;
  pending_->epoch = update.epoch;
  pending_->base_epoch = update.base_epoch;
  return {};
}

Status ServerHolding::StageDropped(const Roaring& dropped) {
  if (dropped.isEmpty()) return {};
  if (pending_->base_epoch == 0)
    return Status::InvalidArgument("a full update drops ordinals, {} the first", dropped.minimum());
  if (ordinals_.empty() || dropped.maximum() > ordinals_.back()) {
    return Status::InvalidArgument("ordinal {} is dropped, which was never given out",
                                   dropped.maximum());
  }
  for (const uint32_t ordinal : dropped) {
    const size_t at = Position(ordinal);
    if (at == ordinals_.size()) continue;  // it has come and gone between two epochs
    pending_->dropped_slots.add(slots_[at]);
  }
  pending_->dropped |= dropped;
  return {};
}

Status ServerHolding::Stage(const wire::TableUpdate& update, SegmentSlots& slots) {
  if (const Status status = CheckBatch(update.added); !status.ok()) return status;
  if (const Status status = StageDropped(update.dropped); !status.ok()) return status;
  const size_t total = pending_->slots.size() + update.added.size() +
                       (pending_->base_epoch == 0 ? 0 : held_.cardinality());
  if (total > wire::kMessageLimits.segment_names_max) {
    return Status::ResourceExhausted("{} segments of one table are over the limit of {}", total,
                                     wire::kMessageLimits.segment_names_max);
  }
  if (update.description) pending_->description = update.description;
  const std::vector<uint32_t> taken = slots.Take(update.added);
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!pending_->added_slots.addChecked(taken[i])) {
      return Status::InvalidArgument("segment '{}' is told of twice, the second time as ordinal {}",
                                     update.added.names[i], update.added.ordinals[i]);
    }
    pending_->ordinals.push_back(update.added.ordinals[i]);
    pending_->slots.push_back(taken[i]);
  }
  return {};
}

Status ServerHolding::CheckPending() const {
  const bool full = pending_->base_epoch == 0;
  if (!full) {
    const Roaring twice = (pending_->added_slots & held_) - pending_->dropped_slots;
    if (!twice.isEmpty()) {
      const auto& slots = pending_->slots;
      const auto at = std::find(slots.begin(), slots.end(), twice.minimum()) - slots.begin();
      return Status::InvalidArgument("ordinal {} is of a segment that has another ordinal",
                                     pending_->ordinals[at]);
    }
  }
  std::vector<uint32_t> sorted = pending_->ordinals;
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    const bool again = i > 0 && sorted[i] == sorted[i - 1];
    if (again || (!full && Position(sorted[i]) != ordinals_.size()))
      return Status::InvalidArgument("ordinal {} is alive already", sorted[i]);
  }
  return {};
}

Status ServerHolding::Apply(const wire::TableUpdate& update, SegmentSlots& slots) {
  Status status = Begin(update);
  if (status.ok()) status = Stage(update, slots);
  if (status.ok() && !update.more) {
    status = CheckPending();
    if (status.ok()) Commit(slots);
  }
  if (!status.ok() || !update.more) pending_.reset();
  return status;
}

void ServerHolding::Commit(SegmentSlots& slots) {
  PendingUpdate& pending = *pending_;
  const bool full = pending.base_epoch == 0;
  // Hold before release: what is told again stays alive.
  for (const uint32_t slot : pending.slots) slots.Hold(slot);
  if (full) {
    for (const uint32_t slot : held_) slots.Release(slot);
    ordinals_.clear();
    slots_.clear();
    held_ = Roaring();
  } else {
    for (const uint32_t slot : pending.dropped_slots) slots.Release(slot);
    held_ -= pending.dropped_slots;
    for (const uint32_t ordinal : pending.dropped) {
      const size_t at = Position(ordinal);
      if (at < slots_.size()) slots_[at] = kDropped;
    }
  }
  held_ |= pending.added_slots;
  if (full || !pending.slots.empty() || !pending.dropped_slots.isEmpty()) held_.runOptimize();
  Merge(pending);
  if (full) description_ = {};
  if (pending.description) description_ = std::move(*pending.description);
  told_ = true;
  numbered_ = true;
  incarnation_ = pending.incarnation;
  epoch_ = pending.epoch;
  ++version_;
}

void ServerHolding::Merge(PendingUpdate& pending) {
  std::vector<std::pair<uint32_t, uint32_t>> added(pending.slots.size());
  for (size_t i = 0; i < added.size(); ++i) added[i] = {pending.ordinals[i], pending.slots[i]};
  if (!std::is_sorted(added.begin(), added.end())) std::sort(added.begin(), added.end());
  if (!added.empty() && !ordinals_.empty() && added.front().first <= ordinals_.back()) {
    // Ordinals usually count up; these fill gaps.
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      if (slots_[i] != kDropped) added.emplace_back(ordinals_[i], slots_[i]);
    }
    std::sort(added.begin(), added.end());
    ordinals_.clear();
    slots_.clear();
  } else if (ordinals_.size() > 2 * (held_.cardinality() + 512)) {
    size_t kept = 0;
    for (size_t i = 0; i < ordinals_.size(); ++i) {
      if (slots_[i] == kDropped) continue;
      ordinals_[kept] = ordinals_[i];
      slots_[kept++] = slots_[i];
    }
    ordinals_.resize(kept);
    slots_.resize(kept);
  }
  // Not much more room than needed: doubling would cost a large inventory megabytes.
  const size_t needed = ordinals_.size() + added.size();
  if (needed > ordinals_.capacity()) {
    ordinals_.reserve(needed + ordinals_.size() / 8);
    slots_.reserve(needed + slots_.size() / 8);
  }
  for (const auto& [ordinal, slot] : added) {
    ordinals_.push_back(ordinal);
    slots_.push_back(slot);
  }
}

void ServerHolding::Replace(const wire::SegmentBatch& batch, wire::TableDescription description,
                            SegmentSlots& slots) {
  pending_.emplace();
  for (const uint32_t slot : slots.Take(batch)) {
    if (!pending_->added_slots.addChecked(slot)) continue;
    pending_->ordinals.push_back(static_cast<uint32_t>(pending_->ordinals.size()));
    pending_->slots.push_back(slot);
  }
  pending_->description = std::move(description);
  Commit(slots);
  numbered_ = false;
  pending_.reset();
}

void ServerHolding::Clear(SegmentSlots& slots) {
  for (const uint32_t slot : held_) slots.Release(slot);
  *this = ServerHolding();
}

std::shared_ptr<const ServerPart> ServerHolding::Build(
    uint32_t server, size_t ids, const std::vector<uint32_t>& id_of_slot) const {
  auto part = std::make_shared<ServerPart>();
  part->server = server;
  part->numbered = numbered_;
  part->incarnation = numbered_ ? incarnation_ : 0;
  part->epoch = numbered_ ? epoch_ : 0;
  const size_t count = held_.cardinality();
  part->ids.reserve(count);
  part->ordinals.reserve(count);
  const auto put = [&](uint32_t id, uint32_t ordinal) {
    part->ids.push_back(id);
    if (numbered_) part->ordinals.push_back(ordinal);
  };
  if (count * kSweepShare > ids) {
    std::vector<uint32_t> ordinal_of_id(ids, kDropped);
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != kDropped) ordinal_of_id[id_of_slot[slots_[i]]] = ordinals_[i];
    }
    for (uint32_t id = 0; id < ids; ++id) {
      if (ordinal_of_id[id] != kDropped) put(id, ordinal_of_id[id]);
    }
  } else {
    std::vector<uint64_t> sorted;  // id above, ordinal below
    sorted.reserve(count);
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != kDropped)
        sorted.push_back(uint64_t{id_of_slot[slots_[i]]} << 32 | ordinals_[i]);
    }
    if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
    for (const uint64_t both : sorted) {
      const auto id = static_cast<uint32_t>(both >> 32);
      const auto ordinal = static_cast<uint32_t>(both);
      // Two slots of one name on one server: the younger counts.
      if (!part->ids.empty() && part->ids.back() == id) {
        if (numbered_) part->ordinals.back() = ordinal;
        continue;
      }
      put(id, ordinal);
    }
  }
  part->held.addMany(part->ids.size(), part->ids.data());
  part->held.runOptimize();
  part->held.shrinkToFit();
  return part;
}

void ServerHolding::Renumber(const std::vector<uint32_t>& new_slot) {
  std::vector<uint32_t> held;
  held.reserve(held_.cardinality());
  for (uint32_t& slot : slots_) {
    if (slot == kDropped) continue;
    slot = new_slot[slot];
    held.push_back(slot);
  }
  std::sort(held.begin(), held.end());
  held_ = Roaring(held.size(), held.data());
  held_.runOptimize();
  ++version_;
}

size_t ServerHolding::memory_bytes() const {
  size_t bytes =
      (ordinals_.capacity() + slots_.capacity()) * sizeof(uint32_t) + held_.getSizeInBytes();
  if (pending_) bytes += (pending_->ordinals.capacity() + pending_->slots.capacity()) * 4;
  return bytes;
}

}  // namespace trellis::broker
