#pragma once

#include <optional>

#include "broker/routing/router.h"
#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::broker {

// The encoding of a list for a server that holds `part`: `forced`, or the best one that the server
// announces, and for which the broker has what it needs ("known" needs the server's ordinals;
// without them a forced one becomes "packed"). With `by_names`, for a server that called its list
// stale, "known" is out of the question whoever wants it.
wire::SegmentListEncoding ChooseEncoding(const ServerEntry& server, const ServerPart& part,
                                         std::optional<wire::SegmentListEncoding> forced,
                                         bool by_names);

struct EncodedList {
  wire::SharedBytes bytes;  // a serialised SegmentLists
  int64_t names = 0;        // that travel
  bool cache_hit = false;
};

// Encodes the share's list, or takes it from the share's ListCache, which it fills: a share of the
// snapshot is encoded once in each encoding, and whoever comes meanwhile waits for that. REQUIRES:
// an encoding that ChooseEncoding gave. Errors: ResourceExhausted over the message limits; and,
// before anything is written, for names that alone are over `list_bytes_max`. Thread-safe.
Result<EncodedList> EncodeList(const Table& table, const RoutedShare& share,
                               wire::SegmentListEncoding encoding,
                               size_t list_bytes_max = wire::kMessageLimits.segment_list_bytes_max);

// Whether EncodeList takes less than about a tenth of a millisecond.
bool IsCheapToEncode(const RoutedShare& share, wire::SegmentListEncoding encoding);

// The server's ordinals of `ids`, or of what it holds besides: whichever are fewer. Exposed for
// tests and benchmarks. REQUIRES: `part` is numbered, and `ids` a subset of its ids.
wire::KnownSegments ToKnown(const Table& table, const ServerPart& part, const Roaring& ids);

}  // namespace trellis::broker
