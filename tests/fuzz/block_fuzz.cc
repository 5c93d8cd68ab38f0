// Any bytes as a leaf's answer: refused, or a message whose block can be read to the last value,
// encoded and read again as the same.
#include <google/protobuf/stubs/logging.h>

#include <string>

#include "common/base/check.h"
#include "common/wire/leaf_messages.h"

namespace {

using trellis::Block;
using trellis::wire::SharedBytes;

// A prefix is enough of a constant column, whose rows cost its sender nothing.
constexpr size_t kRowsRead = 200;

void CheckBlock(Block block) {
  const auto shared = std::make_shared<const Block>(std::move(block));
  const auto slices = trellis::wire::EncodeLeafBlock(shared);
  TRELLIS_CHECK(slices.ok());
  const std::string bytes = trellis::wire::Join(*slices);
  const auto again = trellis::wire::DecodeLeafMessage(SharedBytes::Own(bytes));
  TRELLIS_CHECK(again.ok());
  const Block& back = std::get<Block>(*again);
  TRELLIS_CHECK(back.rows == shared->rows && back.columns.size() == shared->columns.size());
  for (size_t i = 0; i < back.columns.size(); ++i) {
    for (size_t row = 0; row < std::min(back.rows, kRowsRead); ++row) {
      const auto a = shared->columns[i].Get(row);
      const auto b = back.columns[i].Get(row);
      TRELLIS_CHECK(a.is_null() == b.is_null() && a.is_array() == b.is_array());
    }
  }
  const auto encoded_again = trellis::wire::EncodeLeafBlock(std::make_shared<const Block>(back));
  TRELLIS_CHECK(encoded_again.ok() && trellis::wire::Join(*encoded_again) == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const google::protobuf::LogSilencer quiet;
  const SharedBytes message =
      SharedBytes::Own(std::string(reinterpret_cast<const char*>(data), size));
  auto answer = trellis::wire::DecodeLeafMessage(message);
  if (answer.ok() && std::holds_alternative<Block>(*answer))
    CheckBlock(std::get<Block>(std::move(*answer)));
  return 0;
}
