#include "common/wire/ordinals.h"

#include "common/bitmap/roaring_bitmap.h"
#include "common/wire/message_limits.h"

namespace trellis::wire {
namespace {

std::string Serialise(const Roaring& ordinals, size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  ordinals.write(bytes.data());
  return bytes;
}

}  // namespace

std::string WriteOrdinals(const Roaring& ordinals) {
  if (ordinals.isEmpty()) return {};
  Roaring with_runs(ordinals);
  with_runs.runOptimize();
  const size_t with_runs_bytes = with_runs.getSizeInBytes();
  const size_t as_is_bytes = ordinals.getSizeInBytes();
  return with_runs_bytes < as_is_bytes ? Serialise(with_runs, with_runs_bytes)
                                       : Serialise(ordinals, as_is_bytes);
}

Result<Roaring> ReadOrdinals(ByteView bytes) {
  if (bytes.empty()) return Roaring();
  Result<Roaring> ordinals = bitmap::ReadRoaring(bytes, kMessageLimits.ordinals_max);
  if (ordinals.ok()) return ordinals;
  return Status::InvalidArgument("{} bytes of ordinals: {}", bytes.size(),
                                 ordinals.status().message());
}

}  // namespace trellis::wire
