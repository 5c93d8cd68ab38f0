// Any bytes: unpacking and reading front-coded names never crash; what unpacks is distinct, and
// packed again and unpacked it is the same names in the same order.
#include <algorithm>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/segment_names/packed_names.h"

namespace {

using trellis::segment_names::NameList;

// Bits are cheap and names are long: a fuzzer's input need not make gigabytes.
constexpr trellis::segment_names::UnpackLimits kLimits{.names_max = 20'000,
                                                       .text_bytes_max = size_t{4} << 20};

void CheckPacked(const NameList& list) {
  trellis::segment_names::NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string_view name : list.names) indexes.push_back(store.Append(name));
  const auto view = store.View();
  for (uint32_t i = 1; i < view.size(); ++i) TRELLIS_CHECK(view.Compare(i - 1, i) < 0);
  std::string bytes;
  trellis::segment_names::Pack(view, indexes, bytes);
  const auto again = trellis::segment_names::Unpack(trellis::AsBytes(bytes), kLimits);
  TRELLIS_CHECK(again.ok() && again->names == list.names);
}

void CheckFrontCoded(const NameList& list) {
  std::string bytes;
  trellis::segment_names::FrontCode(list.names, bytes);
  const auto again = trellis::segment_names::ReadFrontCoded(trellis::AsBytes(bytes), kLimits);
  TRELLIS_CHECK(again.ok() && again->names == list.names);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const trellis::ByteView bytes(data, size);
  const auto packed = trellis::segment_names::Unpack(bytes, kLimits);
  if (packed.ok()) CheckPacked(*packed);
  const auto front_coded = trellis::segment_names::ReadFrontCoded(bytes, kLimits);
  if (front_coded.ok()) CheckFrontCoded(*front_coded);
  return 0;
}
