#include "common/verify/bitmap_walk.h"

namespace trellis::verify {

bool WalkBitmaps(ByteView bytes, uint64_t start, uint64_t count, uint32_t limit, FaultLog& log,
                 const std::function<void(uint32_t, uint64_t, const Roaring&)>& each) {
  const auto fail = [&](uint64_t offset, std::string expected, std::string found) {
    log.Fault(offset, std::move(expected), std::move(found));
    return false;
  };
  const uint64_t table_end = start + 4 * (count + 1);
  if (start > bytes.size() || table_end > bytes.size())
    return fail(start, fmt::format("{} offsets", count + 1), fmt::format("{} bytes", bytes.size()));
  const auto offset_of = [&](uint64_t i) -> uint64_t {
    return LoadBigEndian<uint32_t>(bytes.data() + start + 4 * i);
  };
  const uint64_t first = offset_of(0);
  if (first != table_end && !(first == 0 && start == 0))
    return fail(start, fmt::format("first offset {}{}", table_end, start == 0 ? " or 0" : ""),
                std::to_string(first));
  const uint64_t base = table_end - first;
  bool whole = true;
  uint64_t at = table_end;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t end = offset_of(i + 1) + base;
    if (end < at || end > bytes.size())
      return fail(start + 4 * (i + 1),
                  fmt::format("an offset from {} to {}", at - base, bytes.size() - base),
                  std::to_string(end - base));
    const auto bitmap = bitmap::ReadRoaring(bytes.subspan(at, end - at), limit);
    if (bitmap.ok()) {
      each(static_cast<uint32_t>(i), at, *bitmap);
    } else {
      whole = fail(at, fmt::format("bitmap {}, of values below {}", i, limit),
                   bitmap.status().message());
    }
    at = end;
  }
  if (at != bytes.size())
    return fail(at, "the end of the last bitmap and of the index",
                fmt::format("{} more bytes", bytes.size() - at));
  return whole;
}

}  // namespace trellis::verify
