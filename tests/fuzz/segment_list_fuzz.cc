// Any bytes: the hand reader and protobuf's generated parser agree on whether they are a list and
// on its names, and what was read encodes and reads again as the same.
#include <google/protobuf/stubs/logging.h>

#include <vector>

#include "common/base/check.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/segment_list.pb.h"

namespace {

using trellis::wire::DecodedSegmentList;
using trellis::wire::SegmentListEncoding;

void CheckNames(const DecodedSegmentList& list, const trellis::v1::SegmentsMap& expected) {
  TRELLIS_CHECK(list.groups.size() == static_cast<size_t>(expected.segments_size()));
  for (const auto& group : list.groups) {
    const auto& names = expected.segments().at(group.key).segments();
    TRELLIS_CHECK(std::equal(group.names.begin(), group.names.end(), names.begin(), names.end()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const google::protobuf::LogSilencer quiet;
  const auto list = trellis::wire::DecodeSegmentLists({data, size});
  trellis::v1::SegmentLists message;
  const bool parsed = message.ParseFromArray(data, static_cast<int>(size));
  if (!list.ok()) {
    TRELLIS_CHECK(!parsed || !message.has_names() ||
                  list.status().code() == trellis::StatusCode::kResourceExhausted);
    return 0;
  }
  TRELLIS_CHECK(parsed);
  TRELLIS_CHECK(message.has_names() == (list->encoding == SegmentListEncoding::kNames));
  if (message.has_names()) CheckNames(*list, message.names());
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    std::string bytes;
    TRELLIS_CHECK(trellis::wire::SegmentListCodecOf(encoding).Encode(list->groups, bytes).ok());
    const auto again = trellis::wire::DecodeSegmentLists(trellis::AsBytes(bytes));
    TRELLIS_CHECK(again.ok() && again->encoding == encoding && again->groups == list->groups);
  }
  return 0;
}
