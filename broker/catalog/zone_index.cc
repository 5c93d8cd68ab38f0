#include "broker/catalog/zone_index.h"

#include <algorithm>

#include "common/base/bits.h"

namespace trellis::broker {
namespace {

// More bitmaps make a look-up touch fewer ids and cost memory: about n/8 bytes each at worst.
constexpr size_t kPrefixesMax = 64;
constexpr size_t kIdsAPrefixMin = 1'024;

}  // namespace

PrefixIndex::PrefixIndex(std::vector<Entry>& entries) {
  // Many segments share a bound, such as a day: merging is the faster sort for such keys.
  const auto before = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  if (!std::is_sorted(entries.begin(), entries.end(), before))
    std::stable_sort(entries.begin(), entries.end(), before);
  ids_.reserve(entries.size());
  for (const Entry& entry : entries) ids_.push_back(entry.id);
  const size_t prefixes =
      std::clamp<size_t>(CeilDivide(ids_.size(), kIdsAPrefixMin), 1, kPrefixesMax);
  step_ = std::max<size_t>(1, CeilDivide(ids_.size(), prefixes));
  Roaring prefix;
  prefixes_.push_back(prefix);
  for (size_t begin = 0; begin < ids_.size(); begin += step_) {
    prefix.addMany(std::min(step_, ids_.size() - begin), ids_.data() + begin);
    Roaring stored = prefix;
    stored.runOptimize();
    stored.shrinkToFit();
    prefixes_.push_back(std::move(stored));
  }
}

Roaring PrefixIndex::First(size_t count) const {
  const size_t nearest = count == ids_.size() ? prefixes_.size() - 1 : (count + step_ / 2) / step_;
  const size_t there = std::min(nearest * step_, ids_.size());
  Roaring first = prefixes_[nearest];
  if (there < count) {
    first.addMany(count - there, ids_.data() + there);
  } else if (there > count) {
    Roaring beyond;
    beyond.addMany(there - count, ids_.data() + count);
    first -= beyond;
  }
  return first;
}

size_t PrefixIndex::memory_bytes() const {
  size_t bytes = ids_.capacity() * sizeof(uint32_t);
  for (const Roaring& prefix : prefixes_) bytes += sizeof(prefix) + prefix.getSizeInBytes();
  return bytes;
}

PrefixIndex ZoneIndex::ByMin(const Roaring& disputed) const {
  std::vector<PrefixIndex::Entry> entries;
  entries.reserve(slots_.size());
  for (uint32_t id = 0; id < slots_.size(); ++id) {
    const Bounds bounds = Of(id);
    if (bounds.known() && !disputed.contains(id)) entries.push_back({bounds.min, id});
  }
  return PrefixIndex(entries);
}

PrefixIndex ZoneIndex::ByMax() const {
  std::vector<PrefixIndex::Entry> entries;
  entries.reserve(by_min_.size());
  for (const uint32_t id : by_min_.all()) entries.push_back({~Of(id).max, id});
  return PrefixIndex(entries);
}

ZoneIndex::ZoneIndex(PagedColumn<Bounds> bounds, const std::vector<uint32_t>& slots,
                     const Roaring& disputed)
    : bounds_(std::move(bounds)), slots_(slots), by_min_(ByMin(disputed)), by_max_(ByMax()) {
  unknown_.addRange(0, slots_.size());
  unknown_ -= by_min_.all();
  unknown_.runOptimize();
}

Roaring ZoneIndex::InRange(int64_t low, int64_t high) const {
  Roaring found = by_min_.UpTo(high, [this](uint32_t id) { return Of(id).min; });
  found &= by_max_.UpTo(~low, [this](uint32_t id) { return ~Of(id).max; });
  found |= unknown_;
  return found;
}

size_t ZoneIndex::memory_bytes() const {
  return by_min_.memory_bytes() + by_max_.memory_bytes() + unknown_.getSizeInBytes();
}

}  // namespace trellis::broker
