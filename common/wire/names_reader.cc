// Reads
//
//   SegmentsMap  = { 1: entry }*          one entry a table type
//   entry        = { 1: key, 2: list }
//   SegmentList  = { 1: name }*           0a <length> <bytes>, tens of thousands of them
//
// with views into the message. Only the last line is hot: names shorter than 128 bytes, which all
// are, take two compares each before their view is stored.
#include "common/wire/names_reader.h"

#include <algorithm>

#include "common/wire/message_limits.h"
#include "common/wire/utf8.h"
#include "common/wire/wire_format.h"

namespace trellis::wire {
namespace {

constexpr uint8_t kNameTag = 0x0a;
constexpr std::string_view kMessageName = "the segment list";

Status TooManyNames() {
  return Status::ResourceExhausted("{} has more than {} names", kMessageName,
                                   kMessageLimits.segment_names_max);
}

// Appends the names of a plain run and steps `list` over it. One pass: counting first would walk
// the same chain of lengths twice. Room is guessed from the first name, never more than the list's
// own bytes.
Status TakePlainNames(ByteView& list, size_t& names_left, std::vector<std::string_view>& names) {
  const uint8_t* at = list.data();
  const uint8_t* const end = at + list.size();
  if (list.size() >= 2) {
    const size_t guess =
        std::min(list.size() / (2 + at[1]), list.size() / sizeof(std::string_view));
    names.reserve(names.size() + std::min(guess + guess / 8 + 1, names_left));
  }
  while (end - at >= 2 && at[0] == kNameTag && at[1] < 0x80 && end - at - 2 >= at[1]) {
    if (names_left-- == 0) return TooManyNames();
    const size_t size_bytes = at[1];
    names.emplace_back(reinterpret_cast<const char*>(at + 2), size_bytes);
    at += 2 + size_bytes;
  }
  list = list.subspan(static_cast<size_t>(at - list.data()));
  return Status::Ok();
}

Status ReadList(ByteView list, const uint8_t* base, int depth_left, size_t& names_left,
                std::vector<std::string_view>& names) {
  TRELLIS_RETURN_IF_ERROR(TakePlainNames(list, names_left, names));
  FieldReader reader(list, base, depth_left);
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (!reader.Is(1, WireType::kBytes)) {
      if (!reader.Skip()) return reader.error(kMessageName);
      continue;
    }
    ByteView name;
    if (!reader.ReadBytes(name)) return reader.error(kMessageName);
    if (names_left-- == 0) return TooManyNames();
    names.push_back(AsText(name));
  }
  return Status::Ok();
}

Status ReadEntry(ByteView entry, const uint8_t* base, int depth_left, size_t& names_left,
                 SegmentListGroup& group) {
  FieldReader reader(entry, base, depth_left);
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (!reader.Is(1, WireType::kBytes) && !reader.Is(2, WireType::kBytes)) {
      if (!reader.Skip()) return reader.error(kMessageName);
      continue;
    }
    const bool is_key = reader.number() == 1;
    ByteView bytes;
    if (!reader.ReadBytes(bytes)) return reader.error(kMessageName);
    if (is_key) {
      if (!IsUtf8(AsText(bytes))) {
        return Status::InvalidArgument("{} is malformed: a table key is not UTF-8 before offset {}",
                                       kMessageName, reader.offset());
      }
      group.key = AsText(bytes);
      continue;
    }
    FieldReader nested({});
    if (!reader.Descend(bytes, nested)) return reader.error(kMessageName);
    TRELLIS_RETURN_IF_ERROR(ReadList(bytes, base, depth_left - 1, names_left, group.names));
  }
  return Status::Ok();
}

}  // namespace

Status ReadSegmentsMap(ByteView map, const uint8_t* base, int depth_left, ListBudget& budget,
                       std::vector<SegmentListGroup>& groups) {
  FieldReader reader(map, base, depth_left);
  while (!reader.at_end()) {
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (!reader.Is(1, WireType::kBytes)) {
      if (!reader.Skip()) return reader.error(kMessageName);
      continue;
    }
    ByteView entry;
    FieldReader nested({});
    if (!reader.ReadBytes(entry) || !reader.Descend(entry, nested))
      return reader.error(kMessageName);
    if (budget.tables_left-- == 0) {
      return Status::ResourceExhausted("{} has more than {} tables", kMessageName,
                                       kMessageLimits.segment_groups_max);
    }
    SegmentListGroup group;
    TRELLIS_RETURN_IF_ERROR(ReadEntry(entry, base, depth_left - 1, budget.names_left, group));
    // One or two in practice; the limit bounds the search.
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const auto& g) { return g.key == group.key; });
    if (same == groups.end()) {
      groups.push_back(std::move(group));
    } else {
      *same = std::move(group);
    }
  }
  return Status::Ok();
}

}  // namespace trellis::wire
