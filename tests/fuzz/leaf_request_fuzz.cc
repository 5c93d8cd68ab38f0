// Any bytes as the messages of one request, each behind its length in two bytes: refused, or a list
// that has the bytes of its pieces, and a request that encodes and decodes again as the same.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <optional>
#include <string>

#include "common/base/check.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/list_assembler.h"
#include "common/wire/segment_list_codec.h"

namespace {

using namespace trellis::wire;
using trellis::AsText;

// The next message, cut at the end of the input; nullopt behind the last one.
std::optional<SharedBytes> Next(std::string_view& input) {
  if (input.size() < 2) return std::nullopt;
  const size_t size_bytes = static_cast<uint8_t>(input[0]) | static_cast<uint8_t>(input[1]) << 8;
  const std::string_view message = input.substr(2, size_bytes);
  input.remove_prefix(2 + message.size());
  return SharedBytes::Own(std::string(message));
}

void CheckAgain(LeafRequest request, const std::optional<SharedBytes>& list) {
  request.list_bytes = 0;
  request.list_chunk = {};
  request.segments = list;
  const auto messages = EncodeLeafRequest(request, 3);
  TRELLIS_CHECK(messages.ok());
  const auto first = DecodeLeafRequest(SharedBytes::Own(Join(messages->front())));
  TRELLIS_CHECK(first.ok() && first->query_id == request.query_id &&
                first->attempt == request.attempt && first->timeout_ms == request.timeout_ms &&
                AsText(first->stage.view) == AsText(request.stage.view));
  ListAssembler assembler(*first);
  for (size_t i = 1; i < messages->size(); ++i) {
    const auto chunk = DecodeListChunk(SharedBytes::Own(Join((*messages)[i])));
    TRELLIS_CHECK(chunk.ok() && assembler.Add(*chunk).ok());
  }
  TRELLIS_CHECK(assembler.complete());
  const auto again = assembler.Take();
  TRELLIS_CHECK(again.has_value() == list.has_value());
  TRELLIS_CHECK(!list || AsText(again->view) == AsText(list->view));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const google::protobuf::LogSilencer quiet;
  std::string_view input = AsText({data, size});
  const auto message = Next(input);
  if (!message) return 0;
  const auto first = DecodeLeafRequest(*message);
  if (!first.ok()) return 0;
  std::string joined(AsText(first->list_chunk.view));
  ListAssembler assembler(*first);
  while (!assembler.complete()) {
    const auto later = Next(input);
    if (!later) {
      TRELLIS_CHECK(!assembler.Unfinished().ok());
      return 0;
    }
    const auto chunk = DecodeListChunk(*later);
    if (!chunk.ok() || !assembler.Add(*chunk).ok()) return 0;
    joined += AsText(chunk->view);
    TRELLIS_CHECK(assembler.memory_bytes() <= std::max<size_t>(64, 2 * joined.size()));
  }
  const auto list = assembler.Take();
  if (first->list_bytes != 0) TRELLIS_CHECK(AsText(list->view) == joined);
  if (list) (void)DecodeSegmentLists(list->view);
  CheckAgain(*first, list);
  return 0;
}
