#include "broker/dispatch/list_encoder.h"

#include <algorithm>

#include "common/segment_names/packed_names.h"

namespace trellis::broker {
namespace {

using wire::SegmentListEncoding;

constexpr uint64_t kCheapNames = 2'000;
constexpr uint64_t kCheapOrdinals = 16'000;
// Fewer ids than one in this many of the server's are looked up, more are found by walking.
constexpr size_t kLookUpShare = 16;

std::vector<uint32_t> ToVector(const Roaring& ids) {
  std::vector<uint32_t> list(ids.cardinality());
  ids.toUint32Array(list.data());
  return list;
}

void LookUp(const ServerPart& part, std::vector<uint32_t>& ids) {
  auto from = part.ids.begin();
  for (uint32_t& id : ids) {
    from = std::lower_bound(from, part.ids.end(), id);
    if (from == part.ids.end()) return;
    id = part.ordinals[static_cast<size_t>(from - part.ids.begin())];
  }
}

// Walks all of the server's ids without a branch that depends on them: half of them at random would
// be guessed wrong half of the time.
std::vector<uint32_t> Walk(const ServerPart& part, const std::vector<uint32_t>& ids) {
  const uint32_t base = part.ids.front();
  TRELLIS_CHECK(ids.front() >= base && ids.back() <= part.ids.back());
  std::vector<uint64_t> chosen((part.ids.back() - base) / 64 + 1);
  for (const uint32_t id : ids) chosen[(id - base) / 64] |= uint64_t{1} << ((id - base) % 64);
  std::vector<uint32_t> ordinals(ids.size() + 1);
  size_t count = 0;
  for (size_t i = 0; i < part.ids.size(); ++i) {
    const uint32_t at = part.ids[i] - base;
    ordinals[count] = part.ordinals[i];
    count += (chosen[at / 64] >> (at % 64)) & 1;
  }
  ordinals.resize(count);
  return ordinals;
}

Roaring ToOrdinals(const ServerPart& part, const Roaring& ids) {
  std::vector<uint32_t> list = ToVector(ids);
  if (list.empty()) return {};
  const size_t held = part.ids.size();
  if (part.ids.back() - part.ids.front() == held - 1) {  // no gaps: an id says where it is
    for (uint32_t& id : list) id = part.ordinals[id - part.ids.front()];
  } else if (list.size() * kLookUpShare < held) {
    LookUp(part, list);
  } else {
    list = Walk(part, list);
  }
  return Roaring(list.size(), list.data());
}

// Writing hundreds of megabytes only to find that they are too many takes a second.
Status CheckNames(const Table& table, const RoutedShare& share, size_t bytes_max) {
  if (share.count <= bytes_max / wire::kMessageLimits.segment_name_bytes_max) return Status::Ok();
  size_t names_bytes = 0;
  for (const uint32_t id : *share.ids) names_bytes += table.segments->name(id).size();
  if (names_bytes <= bytes_max) return Status::Ok();
  return Status::ResourceExhausted(
      "the names of {} segments of table {} are {} bytes, at most {} can be sent", share.count,
      table.name, names_bytes, bytes_max);
}

Status Encode(const Table& table, const RoutedShare& share, SegmentListEncoding encoding,
              std::string& out) {
  if (encoding == SegmentListEncoding::kKnown)
    return wire::EncodeKnownSegments(ToKnown(table, *share.part, *share.ids), out);
  const std::vector<uint32_t> ids = ToVector(*share.ids);
  if (encoding == SegmentListEncoding::kPacked) {
    std::vector<uint32_t> indexes(ids.size());
    const std::vector<uint32_t>& index_of = table.segments->name_indexes();
    std::transform(ids.begin(), ids.end(), indexes.begin(),
                   [&](uint32_t id) { return index_of[id]; });
    std::string packed;
    segment_names::Pack(table.segments->names(), indexes, packed);
    return wire::EncodePackedSegments(table.name, packed, out);
  }
  wire::SegmentListGroup group{table.type, {}};
  group.names.reserve(ids.size());
  for (const uint32_t id : ids) group.names.push_back(table.segments->name(id));
  return wire::SegmentListCodecOf(encoding).Encode({&group, 1}, out);
}

}  // namespace

wire::KnownSegments ToKnown(const Table& table, const ServerPart& part, const Roaring& ids) {
  wire::KnownSegments known;
  known.table = table.name;
  known.incarnation = part.incarnation;
  known.epoch = part.epoch;
  known.count = ids.cardinality();
  known.all_but = known.count * 2 > part.ids.size() || known.count == part.ids.size();
  if (known.count == part.ids.size()) return known;
  known.ordinals = known.all_but ? ToOrdinals(part, part.held - ids) : ToOrdinals(part, ids);
  known.ordinals.runOptimize();
  return known;
}

SegmentListEncoding ChooseEncoding(const ServerEntry& server, const ServerPart& part,
                                   std::optional<SegmentListEncoding> forced, bool by_names) {
  const bool known_works = part.numbered && !by_names;
  if (forced && !by_names)
    return *forced == SegmentListEncoding::kKnown && !known_works ? SegmentListEncoding::kPacked
                                                                  : *forced;
  if (forced && *forced != SegmentListEncoding::kKnown) return *forced;
  for (const std::string& name : server.segment_list_encodings) {
    const auto encoding = wire::ParseSegmentListEncoding(name);
    if (encoding && (*encoding != SegmentListEncoding::kKnown || known_works)) return *encoding;
  }
  return by_names ? SegmentListEncoding::kNames : SegmentListEncoding::kLegacyJson;
}

Result<EncodedList> EncodeList(const Table& table, const RoutedShare& share,
                               SegmentListEncoding encoding, size_t list_bytes_max) {
  EncodedList list;
  if (encoding != SegmentListEncoding::kKnown) list.names = static_cast<int64_t>(share.count);
  const auto slot = static_cast<size_t>(encoding);
  std::unique_lock<std::mutex> lock;
  if (share.lists) {
    lock = std::unique_lock(share.lists->mutex);
    if (const auto& cached = share.lists->bytes[slot]) {
      list.bytes = {AsBytes(*cached), cached};
      list.cache_hit = true;
      return list;
    }
  }
  if (encoding == SegmentListEncoding::kNames || encoding == SegmentListEncoding::kLegacyJson)
    TRELLIS_RETURN_IF_ERROR(CheckNames(table, share, list_bytes_max));
  auto bytes = std::make_shared<std::string>();
  TRELLIS_RETURN_IF_ERROR(Encode(table, share, encoding, *bytes));
  list.bytes = {AsBytes(*bytes), bytes};
  if (share.lists) share.lists->bytes[slot] = std::move(bytes);
  return list;
}

bool IsCheapToEncode(const RoutedShare& share, SegmentListEncoding encoding) {
  if (encoding == SegmentListEncoding::kKnown) {
    const uint64_t held = share.part->ids.size();
    if (std::min(share.count, held - std::min(held, share.count)) <= kCheapOrdinals) return true;
  } else if (share.count <= kCheapNames) {
    return true;
  }
  if (!share.lists) return false;
  const std::unique_lock lock(share.lists->mutex, std::try_to_lock);
  return lock.owns_lock() && share.lists->bytes[static_cast<size_t>(encoding)] != nullptr;
}

}  // namespace trellis::broker
