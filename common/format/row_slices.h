#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/bytes.h"

namespace trellis::format {

// Writes the rows [first, first + to.size()) of an inflated chunk, which holds one u32 start a row
// at `starts`, in the given byte order; the chunk's last row ends with the chunk. All of them are
// checked in one pass: false, with nothing to be used in `to`, when one does not lie in
// [rows_start, chunk.size()]. REQUIRES: starts of `docs` rows; first + to.size() <= docs.
template <std::endian kOrder>
bool SliceRows(ByteView chunk, const uint8_t* starts, uint32_t docs, uint32_t first,
               uint64_t rows_start, std::span<std::string_view> to) {
  const auto load = [](const uint8_t* at) -> uint64_t {
    return kOrder == std::endian::big ? LoadBigEndian<uint32_t>(at)
                                      : LoadLittleEndian<uint32_t>(at);
  };
  if (to.empty()) return true;
  const char* text = reinterpret_cast<const char*>(chunk.data());
  const uint8_t* at = starts + size_t{first} * 4;
  const size_t last = to.size() - 1;
  uint64_t start = load(at);
  bool good = start >= rows_start;
  for (size_t i = 0; i < last; ++i) {
    const uint64_t end = load(at += 4);
    good &= start <= end;
    to[i] = {text + start, static_cast<size_t>(end - start)};
    start = end;
  }
  const uint64_t end = first + last + 1 < docs ? load(at + 4) : chunk.size();
  good &= start <= end && end <= chunk.size();
  to[last] = {text + start, static_cast<size_t>(end - start)};
  return good;
}

}  // namespace trellis::format
