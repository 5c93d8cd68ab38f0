#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/base/bits.h"
#include "tests/unit/common/index/index_bytes.h"

// Range indexes laid out by hand after docs/format/range-index.md.
namespace trellis::index {

// One container of a range bitmap in the smallest of the three kinds, or in `kind` where it can be.
inline std::string SliceBytes(const std::vector<uint16_t>& rows, int kind = -1) {
  std::vector<std::pair<uint16_t, uint16_t>> runs;  // start, length - 1
  for (const uint16_t row : rows) {
    if (!runs.empty() && runs.back().first + runs.back().second + 1 == row) {
      ++runs.back().second;
    } else {
      runs.push_back({row, 0});
    }
  }
  if (kind < 0) {
    kind = runs.size() * 4 < std::min<size_t>(rows.size() * 2, 8192) ? 1
           : rows.size() <= 4096                                     ? 2
                                                                     : 0;
  }
  if (kind == 1 && runs.size() > 65535) kind = 0;
  if (kind == 2 && rows.size() > 65535) kind = 0;
  std::string bytes(1, static_cast<char>(kind));
  const size_t count = kind == 1 ? runs.size() : rows.size();
  bytes += LittleEndianBytes(static_cast<uint16_t>(count));
  if (kind == 1) {
    for (const auto& [start, length] : runs)
      bytes += LittleEndianBytes(start) + LittleEndianBytes(length);
  } else if (kind == 2) {
    for (const uint16_t row : rows) bytes += LittleEndianBytes(row);
  } else {
    std::string bits(8192, '\0');
    for (const uint16_t row : rows)
      bits[row / 8] = static_cast<char>(bits[row / 8] | 1 << (row % 8));
    bytes += bits;
  }
  return bytes;
}

// Version 2 over `keys`, one a document, each minus `minimum` already. `kind`: of all containers.
inline std::string BitSlicedBytes(const std::vector<uint64_t>& keys, int64_t minimum = 0,
                                  int kind = -1) {
  uint64_t max = 0;
  for (const uint64_t key : keys) max = std::max(max, key);
  const auto slices = static_cast<size_t>(BitsFor(max));
  const size_t blocks = (keys.size() + 65535) / 65536;
  std::string masks, data;
  for (size_t block = 0; block < blocks; ++block) {
    uint64_t mask = 0;
    for (size_t j = 0; j < slices; ++j) {
      std::vector<uint16_t> rows;
      for (size_t row = block * 65536; row < std::min(keys.size(), (block + 1) * 65536); ++row)
        if ((keys[row] >> j & 1) == 0) rows.push_back(static_cast<uint16_t>(row % 65536));
      if (rows.empty()) continue;
      mask |= uint64_t{1} << j;
      data += SliceBytes(rows, kind);
    }
    masks += LittleEndianBytes(mask).substr(0, (slices + 7) / 8);
  }
  return BigEndianBytes<int32_t>(2) + BigEndianBytes(minimum) +
         LittleEndianBytes<uint16_t>(0xF00D) + std::string(1, '\2') +
         std::string(1, static_cast<char>(slices)) +
         LittleEndianBytes(static_cast<uint16_t>(blocks)) +
         LittleEndianBytes(static_cast<uint32_t>(keys.size())) + masks + data;
}

// Version 1 over rows of values: the range of a value is the last one that starts at or below it.
template <class T>
std::string BucketedBytes(const std::string& type, const std::vector<T>& starts,
                          const std::vector<std::vector<T>>& rows) {
  const size_t count = starts.size() - 1;
  std::vector<Roaring> ranges(count);
  for (size_t row = 0; row < rows.size(); ++row) {
    for (const T value : rows[row]) {
      size_t i = 0;
      while (i + 1 < count && !(value < starts[i + 1])) ++i;
      ranges[i].add(static_cast<uint32_t>(row));
    }
  }
  std::string bytes = BigEndianBytes<int32_t>(1) +
                      BigEndianBytes(static_cast<int32_t>(type.size())) + type +
                      BigEndianBytes(static_cast<int32_t>(count));
  for (const T start : starts) bytes += BigEndianBytes(start);
  uint64_t at = bytes.size() + 8 * (count + 1);
  std::string data;
  for (const Roaring& range : ranges) {
    bytes += BigEndianBytes(at + data.size());
    data += RoaringBytes(range);
  }
  return bytes + BigEndianBytes(at + data.size()) + data;
}

}  // namespace trellis::index
