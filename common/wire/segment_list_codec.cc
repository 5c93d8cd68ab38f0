#include "common/wire/segment_list_codec.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/wire/message_limits.h"
#include "common/wire/names_reader.h"
#include "common/wire/segment_list_json.h"
#include "common/wire/table_lists.h"
#include "common/wire/utf8.h"
#include "common/wire/wire_format.h"

namespace trellis::wire {
namespace {

// Field numbers of trellis.v1.SegmentLists.
constexpr uint32_t kNamesField = 1;
constexpr uint32_t kLegacyJsonField = 2;
constexpr uint32_t kTablesField = 3;
// Every other field of the names form is length-delimited 1 (keys, names, entries) or 2 (a key's
// list).
constexpr char kTag1 = 0x0a;
constexpr char kTag2 = 0x12;

using Groups = std::vector<const SegmentListGroup*>;

// The groups in byte order of their keys, the order of protobuf's deterministic serialisation.
Result<Groups> InKeyOrder(std::span<const SegmentListGroup> groups) {
  if (groups.size() > kMessageLimits.segment_groups_max) {
    return Status::ResourceExhausted("a segment list has {} tables, at most {}", groups.size(),
                                     kMessageLimits.segment_groups_max);
  }
  Groups ordered;
  ordered.reserve(groups.size());
  size_t names_total = 0;
  for (const SegmentListGroup& group : groups) {
    names_total += group.names.size();
    if (!IsUtf8(group.key))
      return Status::InvalidArgument("the table key of a segment list is not UTF-8");
    ordered.push_back(&group);
  }
  if (names_total > kMessageLimits.segment_names_max) {
    return Status::ResourceExhausted("a segment list has {} names, at most {}", names_total,
                                     kMessageLimits.segment_names_max);
  }
  std::sort(ordered.begin(), ordered.end(),
            [](const auto* a, const auto* b) { return a->key < b->key; });
  for (size_t i = 1; i < ordered.size(); ++i) {
    if (ordered[i - 1]->key != ordered[i]->key) continue;
    return Status::InvalidArgument("table key '{}' occurs twice in a segment list",
                                   ordered[i]->key);
  }
  return ordered;
}

// Copies a name. Names of 16 to 64 bytes, nearly all, go as overlapping 16-byte moves without a
// call.
inline char* PutName(std::string_view name, char* to) {
  const size_t size_bytes = name.size();
  const char* from = name.data();
  if (size_bytes >= 16 && size_bytes <= 64) [[likely]] {
    char head[16], tail[16];
    std::memcpy(head, from, 16);
    std::memcpy(tail, from + size_bytes - 16, 16);
    if (size_bytes > 32) {
      char second[16], third[16];
      std::memcpy(second, from + 16, 16);
      std::memcpy(third, from + size_bytes - 32, 16);
      std::memcpy(to + 16, second, 16);
      std::memcpy(to + size_bytes - 32, third, 16);
    }
    std::memcpy(to, head, 16);
    std::memcpy(to + size_bytes - 16, tail, 16);
  } else if (size_bytes != 0) {
    std::memcpy(to, from, size_bytes);
  }
  return to + size_bytes;
}

char* PutHead(char tag, uint64_t size_bytes, char* to) {
  *to++ = tag;
  return PutVarint(size_bytes, to);
}

class NamesCodec final : public SegmentListCodec {
 public:
  SegmentListEncoding encoding() const override { return SegmentListEncoding::kNames; }

  Status Encode(std::span<const SegmentListGroup> groups, std::string& out) const override {
    TRELLIS_ASSIGN_OR_RETURN(const Groups ordered, InKeyOrder(groups));
    std::vector<size_t> list_sizes;
    list_sizes.reserve(ordered.size());
    size_t map_size = 0;
    for (const SegmentListGroup* group : ordered) {
      size_t list_size = 0;
      for (const std::string_view name : group->names) list_size += BytesFieldSize(name.size());
      list_sizes.push_back(list_size);
      map_size += BytesFieldSize(BytesFieldSize(group->key.size()) + BytesFieldSize(list_size));
    }
    const size_t message_size = BytesFieldSize(map_size);
    TRELLIS_RETURN_IF_ERROR(CheckListSize(message_size, "a segment list"));
    const size_t before = out.size();
    out.resize(before + message_size);
    char* to = PutHead(kTag1, map_size, out.data() + before);
    for (size_t i = 0; i < ordered.size(); ++i) to = PutEntry(*ordered[i], list_sizes[i], to);
    TRELLIS_CHECK(to == out.data() + out.size());
    return Status::Ok();
  }

 private:
  static char* PutEntry(const SegmentListGroup& group, size_t list_size, char* to) {
    to = PutHead(kTag1, BytesFieldSize(group.key.size()) + BytesFieldSize(list_size), to);
    to = PutName(group.key, PutHead(kTag1, group.key.size(), to));
    to = PutHead(kTag2, list_size, to);
    for (const std::string_view name : group.names) {
      to[0] = kTag1;
      if (name.size() < 0x80) [[likely]] {
        to[1] = static_cast<char>(name.size());
        to += 2;
      } else {
        to = PutVarint(name.size(), to + 1);
      }
      to = PutName(name, to);
    }
    return to;
  }
};

class LegacyJsonCodec final : public SegmentListCodec {
 public:
  SegmentListEncoding encoding() const override { return SegmentListEncoding::kLegacyJson; }

  Status Encode(std::span<const SegmentListGroup> groups, std::string& out) const override {
    TRELLIS_ASSIGN_OR_RETURN(const Groups ordered, InKeyOrder(groups));
    size_t json_size =
        2 + (ordered.empty() ? 0 : ordered.size() - 1);  // braces and the commas between
    for (const SegmentListGroup* group : ordered) {
      json_size += JsonEscapedSize(group->key) + 5;  // "":[]
      for (const std::string_view name : group->names)
        json_size += JsonEscapedSize(name) + 3;  // "",
      if (!group->names.empty()) --json_size;
    }
    const size_t message_size = BytesFieldSize(json_size);
    TRELLIS_RETURN_IF_ERROR(CheckListSize(message_size, "a segment list"));
    const size_t before = out.size();
    out.resize(before + message_size);
    char* to = PutHead(static_cast<char>(TagOf(kLegacyJsonField, WireType::kBytes)), json_size,
                       out.data() + before);
    *to++ = '{';
    for (size_t i = 0; i < ordered.size(); ++i) {
      if (i != 0) *to++ = ',';
      to = PutGroup(*ordered[i], to);
    }
    *to++ = '}';
    TRELLIS_CHECK(to == out.data() + out.size());
    return Status::Ok();
  }

 private:
  static char* PutQuoted(std::string_view text, char* to) {
    *to++ = '"';
    to = PutJsonEscaped(text, to);
    *to++ = '"';
    return to;
  }
  static char* PutGroup(const SegmentListGroup& group, char* to) {
    to = PutQuoted(group.key, to);
    *to++ = ':';
    *to++ = '[';
    for (size_t i = 0; i < group.names.size(); ++i) {
      if (i != 0) *to++ = ',';
      to = PutQuoted(group.names[i], to);
    }
    *to++ = ']';
    return to;
  }
};

}  // namespace

std::string_view SegmentListEncodingName(SegmentListEncoding encoding) {
  switch (encoding) {
    case SegmentListEncoding::kLegacyJson:
      return "legacy_json";
    case SegmentListEncoding::kNames:
      return "names";
    case SegmentListEncoding::kPacked:
      return "packed";
    case SegmentListEncoding::kKnown:
      return "known";
  }
  return "unknown";
}

std::optional<SegmentListEncoding> ParseSegmentListEncoding(std::string_view name) {
  for (const auto encoding : {SegmentListEncoding::kKnown, SegmentListEncoding::kPacked,
                              SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    if (SegmentListEncodingName(encoding) == name) return encoding;
  }
  return std::nullopt;
}

const SegmentListCodec& SegmentListCodecOf(SegmentListEncoding encoding) {
  static const NamesCodec names;
  static const LegacyJsonCodec legacy_json;
  TRELLIS_CHECK(encoding == SegmentListEncoding::kNames ||
                encoding == SegmentListEncoding::kLegacyJson);
  if (encoding == SegmentListEncoding::kNames) return names;
  return legacy_json;
}

Result<DecodedSegmentList> DecodeSegmentLists(ByteView message) {
  TRELLIS_RETURN_IF_ERROR(CheckListSize(message.size(), "a segment list"));
  constexpr std::string_view kMessageName = "the segment list";
  // A oneof: the last form wins, and one form in several pieces is merged.
  enum class Form : uint8_t { kNone, kNames, kLegacyJson, kTables };
  Form form = Form::kNone;
  DecodedSegmentList list;
  TableListsReader tables(message.data());
  ListBudget budget;
  ByteView json;
  FieldReader reader(message);
  while (!reader.at_end()) {
    ByteView bytes;
    if (!reader.NextTag()) return reader.error(kMessageName);
    if (reader.Is(kNamesField, WireType::kBytes)) {
      if (!reader.ReadBytes(bytes)) return reader.error(kMessageName);
      if (std::exchange(form, Form::kNames) != Form::kNames) list.groups.clear();
      TRELLIS_RETURN_IF_ERROR(
          ReadSegmentsMap(bytes, message.data(), kWireDepthMax - 1, budget, list.groups));
    } else if (reader.Is(kLegacyJsonField, WireType::kBytes)) {
      if (!reader.ReadBytes(json)) return reader.error(kMessageName);
      form = Form::kLegacyJson;
    } else if (reader.Is(kTablesField, WireType::kBytes)) {
      if (!reader.ReadBytes(bytes)) return reader.error(kMessageName);
      if (std::exchange(form, Form::kTables) != Form::kTables) tables.Clear();
      TRELLIS_RETURN_IF_ERROR(tables.Read(bytes, kWireDepthMax - 1, budget));
    } else if (!reader.Skip()) {
      return reader.error(kMessageName);
    }
  }
  if (form == Form::kNone)
    return Status::InvalidArgument("the segment list has no form that this build knows");
  if (form == Form::kTables) {
    list.groups.clear();
    TRELLIS_RETURN_IF_ERROR(tables.Finish(budget, list));
    return list;
  }
  if (form == Form::kLegacyJson) {
    list.encoding = SegmentListEncoding::kLegacyJson;
    list.groups.clear();
    TRELLIS_RETURN_IF_ERROR(ReadSegmentsJson(AsText(json), list.groups, list.unescaped));
  }
  std::sort(list.groups.begin(), list.groups.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return list;
}

}  // namespace trellis::wire
