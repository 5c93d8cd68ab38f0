// Any bytes: refused, or a plan that encodes to what decodes to the same plan.
#include <google/protobuf/stubs/logging.h>

#include "common/base/check.h"
#include "common/wire/plan_codec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const google::protobuf::LogSilencer quiet;
  const auto stage = trellis::wire::DecodeLeafStage({data, size});
  if (!stage.ok()) {
    TRELLIS_CHECK(!stage.status().message().empty());
    return 0;
  }
  const std::string bytes = trellis::wire::EncodeLeafStage(*stage);
  const auto again = trellis::wire::DecodeLeafStage(trellis::AsBytes(bytes));
  // Compared as bytes: a NaN literal is not equal to itself.
  TRELLIS_CHECK(again.ok() && trellis::wire::EncodeLeafStage(*again) == bytes);
  return 0;
}
