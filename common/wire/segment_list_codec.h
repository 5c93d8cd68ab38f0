#pragma once

#include <memory>
#include <optional>
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

struct DecodedSegmentList {
  SegmentListEncoding encoding = SegmentListEncoding::kNames;
  // Keys distinct and in byte order: a segment's position in the list counts through the groups in
  // this order.
  std::vector<SegmentListGroup> groups;
  // Keeps alive the names that are not views into the message (JSON strings with escapes); else
  // null.
  std::shared_ptr<const void> unescaped;

  size_t names_total() const {
    size_t total = 0;
    for (const SegmentListGroup& group : groups) total += group.names.size();
    return total;
  }
};

// One encoding. Stateless; safe from many threads.
class SegmentListCodec {
 public:
  virtual ~SegmentListCodec() = default;
  virtual SegmentListEncoding encoding() const = 0;
  std::string_view name() const { return SegmentListEncodingName(encoding()); }

  // Appends the serialised trellis.v1.SegmentLists message of `groups` to `out`. Groups may come in
  // any order; they are written in byte order of their keys. Errors: InvalidArgument when a key
  // occurs twice or is not UTF-8; ResourceExhausted when the message would be over the limit (`out`
  // is then unchanged).
  virtual Status Encode(std::span<const SegmentListGroup> groups, std::string& out) const = 0;
};

// The codec of an encoding; lives for ever.
const SegmentListCodec& SegmentListCodecOf(SegmentListEncoding encoding);

// Reads a serialised trellis.v1.SegmentLists in whatever encoding it has. Names are views into
// `message`, which the caller keeps alive. Accepts and refuses what protobuf's generated parser
// accepts and refuses. Errors: InvalidArgument with the offset.
Result<DecodedSegmentList> DecodeSegmentLists(ByteView message);

}  // namespace trellis::wire
