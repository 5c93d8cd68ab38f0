// Any bytes: the hand reader and protobuf's generated parser agree on whether they are a list and
// on what it says, and what was read encodes and reads again as the same.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <vector>

#include "common/base/check.h"
#include "common/bitmap/roaring_bitmap.h"
#include "common/segment_names/packed_names.h"
#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/segment_list.pb.h"

namespace {

using trellis::AsBytes;
using trellis::wire::DecodedSegmentList;
using trellis::wire::KnownSegments;
using trellis::wire::SegmentListEncoding;
using trellis::wire::SegmentListGroup;

constexpr size_t kNamesWritten = 50'000;

void CheckNames(const DecodedSegmentList& list, const trellis::v1::SegmentsMap& expected) {
  TRELLIS_CHECK(list.groups.size() == static_cast<size_t>(expected.segments_size()));
  for (const auto& group : list.groups) {
    const auto& names = expected.segments().at(group.key).segments();
    TRELLIS_CHECK(std::equal(group.names.begin(), group.names.end(), names.begin(), names.end()));
  }
}

void CheckKnown(const KnownSegments& known, const trellis::v1::KnownSegments& expected) {
  TRELLIS_CHECK(known.incarnation == expected.incarnation());
  TRELLIS_CHECK(known.epoch == expected.epoch());
  TRELLIS_CHECK(known.count == expected.count());
  TRELLIS_CHECK(known.all_but == expected.has_all_but());
  const std::string& bytes = known.all_but ? expected.all_but() : expected.only();
  TRELLIS_CHECK(expected.ordinals_case() != trellis::v1::KnownSegments::ORDINALS_NOT_SET);
  if (bytes.empty()) {
    TRELLIS_CHECK(known.ordinals.isEmpty());
    return;
  }
  const auto ordinals =
      trellis::bitmap::ReadRoaring(AsBytes(bytes), trellis::wire::kMessageLimits.ordinals_max);
  TRELLIS_CHECK(ordinals.ok() && *ordinals == known.ordinals);
}

void CheckTables(const DecodedSegmentList& list, const trellis::v1::TableLists& expected) {
  TRELLIS_CHECK(list.known.size() + list.groups.size() ==
                static_cast<size_t>(expected.tables_size()));
  for (const trellis::v1::TableList& table : expected.tables()) {
    TRELLIS_CHECK(table.list_case() != trellis::v1::TableList::LIST_NOT_SET);
    const auto known = std::find_if(list.known.begin(), list.known.end(),
                                    [&](const auto& k) { return k.table == table.table(); });
    const auto group = std::find_if(list.groups.begin(), list.groups.end(),
                                    [&](const auto& g) { return g.key == table.table(); });
    TRELLIS_CHECK((known != list.known.end()) == table.has_known());
    TRELLIS_CHECK((group != list.groups.end()) == table.has_packed());
    if (table.has_known()) CheckKnown(*known, table.known());
  }
}

void Pack(const SegmentListGroup& group, std::string& out) {
  trellis::segment_names::NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string_view name : group.names) indexes.push_back(store.Append(name));
  const trellis::segment_names::NameView view = store.View();
  trellis::segment_names::SortNaturally(view, indexes);
  std::string packed;
  trellis::segment_names::Pack(view, indexes, packed);
  TRELLIS_CHECK(trellis::wire::EncodePackedSegments(group.key, packed, out).ok());
}

void CheckTablesAgain(const DecodedSegmentList& list) {
  std::string bytes;
  for (const KnownSegments& known : list.known)
    TRELLIS_CHECK(trellis::wire::EncodeKnownSegments(known, bytes).ok());
  for (const SegmentListGroup& group : list.groups) Pack(group, bytes);
  if (bytes.empty()) return;
  const auto again = trellis::wire::DecodeSegmentLists(AsBytes(bytes));
  TRELLIS_CHECK(again.ok() && again->encoding == list.encoding && again->known == list.known);
  TRELLIS_CHECK(again->groups.size() == list.groups.size());
  for (size_t i = 0; i < list.groups.size(); ++i) {
    // Packed names come in natural order.
    auto a = list.groups[i].names;
    auto b = again->groups[i].names;
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    TRELLIS_CHECK(a == b && list.groups[i].key == again->groups[i].key);
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
  // A few packed bytes can stand for millions of names: reading them is enough.
  if (list->names_total() > kNamesWritten) return 0;
  TRELLIS_CHECK(message.has_names() == (list->encoding == SegmentListEncoding::kNames));
  TRELLIS_CHECK(message.has_legacy_json() == (list->encoding == SegmentListEncoding::kLegacyJson));
  if (message.has_names()) CheckNames(*list, message.names());
  if (message.has_tables()) {
    CheckTables(*list, message.tables());
    CheckTablesAgain(*list);
  } else {
    TRELLIS_CHECK(list->known.empty());
  }
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    std::string bytes;
    TRELLIS_CHECK(trellis::wire::SegmentListCodecOf(encoding).Encode(list->groups, bytes).ok());
    const auto again = trellis::wire::DecodeSegmentLists(AsBytes(bytes));
    TRELLIS_CHECK(again.ok() && again->encoding == encoding && again->groups == list->groups);
  }
  return 0;
}
