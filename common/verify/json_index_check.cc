#include "common/verify/json_index_check.h"

#include "common/verify/bitmap_walk.h"
#include "common/verify/dictionary_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kHeaderSizeBytes = 32;

void CheckMapping(ByteView mapping, uint32_t document_count, FaultLog& log) {
  int64_t last = 0;
  for (uint64_t at = 0; at < mapping.size(); at += 4) {
    const int64_t doc = LoadLittleEndian<int32_t>(mapping.data() + at);
    if (doc < last || doc >= document_count)
      return log.Fault(at, fmt::format("a row from {}, below {}", last, document_count),
                       std::to_string(doc));
    last = doc;
  }
}

}  // namespace

void CheckJsonIndex(ByteView bytes, uint32_t document_count, FaultLog& log) {
  if (bytes.size() < kHeaderSizeBytes)
    return log.Fault(0, "a header of 32 bytes", fmt::format("{} bytes", bytes.size()));
  const int32_t version = LoadBigEndian<int32_t>(bytes.data());
  if (version != 1 && version != 2) return log.Fault(0, "version 1 or 2", std::to_string(version));
  uint64_t sizes[3];
  uint64_t left = bytes.size() - kHeaderSizeBytes;
  for (uint64_t i = 0; i < 3; ++i) {
    sizes[i] = LoadBigEndian<uint64_t>(bytes.data() + 8 + 8 * i);
    if (sizes[i] > left || (i == 2 && sizes[i] != left) || (i == 2 && left % 4 != 0))
      return log.Fault(8 + 8 * i,
                       fmt::format("a part within {} bytes, the last of 4 a document", left),
                       fmt::format("{} bytes", static_cast<int64_t>(sizes[i])));
    left -= sizes[i];
  }
  FaultLog keys_log = log.At(kHeaderSizeBytes);
  const uint64_t bitmaps_at = kHeaderSizeBytes + sizes[0], mapping_at = bitmaps_at + sizes[1];
  // Keys hold a NUL between path and value: they are text all the same.
  const auto keys = CheckOffsetDictionary(bytes.subspan(kHeaderSizeBytes, sizes[0]),
                                          DataType::kString, std::nullopt, true, keys_log);
  FaultLog bitmaps_log = log.At(bitmaps_at);
  if (keys)
    WalkBitmaps(bytes.subspan(bitmaps_at, sizes[1]), 0, *keys, static_cast<uint32_t>(sizes[2] / 4),
                bitmaps_log, [](uint32_t, uint64_t, const Roaring&) {});
  FaultLog mapping_log = log.At(mapping_at);
  CheckMapping(bytes.subspan(mapping_at), document_count, mapping_log);
}

}  // namespace trellis::verify
