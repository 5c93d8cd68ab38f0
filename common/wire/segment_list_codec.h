#pragma once

#include <memory>
#include <optional>
#include <roaring/roaring.hh>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/shared_bytes.h"

namespace trellis::wire {

// How a segment list travels (design.md section 5.1), in the order brokers prefer them from the
// last up.
enum class SegmentListEncoding : uint8_t {
  kLegacyJson,  // "legacy_json": {"OFFLINE":["a","b"]}, the text of Pinot's custom property
  kNames,       // "names": protobuf map<string, SegmentList>
  kPacked,      // "packed": names as columns of values (common/segment_names)
  kKnown,       // "known": ordinals in the server's own inventory
};
// The name that servers announce and statistics carry; nullopt for a name this build does not know.
std::string_view SegmentListEncodingName(SegmentListEncoding encoding);
std::optional<SegmentListEncoding> ParseSegmentListEncoding(std::string_view name);

// The segments of one table type (key "OFFLINE", "REALTIME") or physical table (key "t_OFFLINE").
// Names are bytes. A group without names is a list that is empty, which is not "no list".
struct SegmentListGroup {
  std::string key;
  std::vector<std::string_view> names;  // views; the owner is named where a group is handed out
  bool operator==(const SegmentListGroup&) const = default;
};

// Segments of one table by their ordinals in an inventory the server has announced.
struct KnownSegments {
  std::string table;  // with type
  uint64_t incarnation = 0;
  uint64_t epoch = 0;
  bool all_but = false;  // every ordinal alive at `epoch` but `ordinals`, or only these
  Roaring ordinals;
  uint64_t count = 0;  // segments meant: a server that counts otherwise calls the list stale
  bool operator==(const KnownSegments&) const = default;
};

struct DecodedSegmentList {
  // kKnown when any table of the list is known.
  SegmentListEncoding encoding = SegmentListEncoding::kNames;
  std::vector<KnownSegments> known;  // tables distinct, none of them among `groups`
  // Keys distinct and in byte order: a segment's position in the list counts through the groups in
  // this order.
  std::vector<SegmentListGroup> groups;
  // Keeps alive the names that are not views into the message (JSON strings with escapes, unpacked
  // names); else null.
  std::shared_ptr<const void> unescaped;

  size_t names_total() const {
    size_t total = 0;
    for (const SegmentListGroup& group : groups) total += group.names.size();
    return total;
  }
};

// One encoding of names (kLegacyJson, kNames). Stateless; safe from many threads.
class SegmentListCodec {
 public:
  virtual ~SegmentListCodec() = default;
  virtual SegmentListEncoding encoding() const = 0;
  std::string_view name() const { return SegmentListEncodingName(encoding()); }

  // Appends the serialised trellis.v1.SegmentLists message of `groups` to `out`. Groups may come in
  // any order; they are written in byte order of their keys. Errors: InvalidArgument when a key
  // occurs twice or is not UTF-8; ResourceExhausted over kMessageLimits.segment_list_bytes_max
  // (`out` is then unchanged).
  virtual Status Encode(std::span<const SegmentListGroup> groups, std::string& out) const = 0;
};

// Append the serialised trellis.v1.SegmentLists message of one table to `out`. Messages of several
// tables may be joined: their concatenation is a list of all of them. `packed` is what
// segment_names::Pack writes. Errors: InvalidArgument when the table is not UTF-8 or an ordinal is
// not below kMessageLimits.ordinals_max; ResourceExhausted over segment_list_bytes_max (`out` is
// then unchanged).
Status EncodeKnownSegments(const KnownSegments& segments, std::string& out);
Status EncodePackedSegments(std::string_view table, std::string_view packed, std::string& out);

// The codec of an encoding of names; lives for ever.
const SegmentListCodec& SegmentListCodecOf(SegmentListEncoding encoding);

// Reads a serialised trellis.v1.SegmentLists in whatever encoding it has. Names are views into
// `message`, which the caller keeps alive, or held by the list; packed names come as a group whose
// key is the table with type. Accepts and refuses what protobuf's generated parser
// accepts and refuses, and refuses a table that the `tables` form lists twice or without a list.
// Errors: InvalidArgument with the offset; ResourceExhausted over kMessageLimits.
Result<DecodedSegmentList> DecodeSegmentLists(ByteView message);

}  // namespace trellis::wire
