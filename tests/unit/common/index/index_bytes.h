#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <random>
#include <roaring/roaring.hh>
#include <set>
#include <string>
#include <vector>

#include "common/base/bits.h"
#include "common/base/bytes.h"

// Index buffers laid out by hand after docs/format, for tests and the seeds of fuzz targets.
namespace trellis::index {

template <class T>
std::string BigEndianBytes(T value) {
  std::string bytes(sizeof(T), '\0');
  StoreBigEndian(value, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

template <class T>
std::string LittleEndianBytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

inline std::string RoaringBytes(const Roaring& bitmap) {
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  return bytes;
}

// Bitmaps behind their offsets, which count from `origin` bytes before the table, or, where
// `from_table_end`, from its end.
inline std::string InvertedBytes(const std::vector<Roaring>& bitmaps, bool from_table_end = false,
                                 uint32_t origin = 0) {
  std::string table, data;
  const size_t base = from_table_end ? 0 : origin + 4 * (bitmaps.size() + 1);
  for (const Roaring& bitmap : bitmaps) {
    table += BigEndianBytes(static_cast<uint32_t>(base + data.size()));
    data += RoaringBytes(bitmap);
  }
  return table + BigEndianBytes(static_cast<uint32_t>(base + data.size())) + data;
}

// A `.vl;` dictionary; `texts` sorted.
inline std::string TextDictionaryBytes(const std::vector<std::string>& texts) {
  std::string offsets, data;
  const size_t base = 16 + 4 * (texts.size() + 1);
  for (const std::string& text : texts) {
    offsets += BigEndianBytes(static_cast<int32_t>(base + data.size()));
    data += text;
  }
  offsets += BigEndianBytes(static_cast<int32_t>(base + data.size()));
  return ".vl;" + BigEndianBytes<int32_t>(1) + BigEndianBytes(static_cast<int32_t>(texts.size())) +
         BigEndianBytes<int32_t>(16) + offsets + data;
}

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

// A JSON index whose postings name flattened documents; `mapping` gives each its document.
inline std::string JsonIndexBytes(const std::map<std::string, std::set<uint32_t>>& postings,
                                  const std::vector<int32_t>& mapping, int32_t version = 2) {
  std::vector<std::string> keys;
  std::vector<Roaring> bitmaps;
  size_t longest = 0;
  for (const auto& [key, rows] : postings) {
    keys.push_back(key);
    bitmaps.emplace_back();
    for (const uint32_t row : rows) bitmaps.back().add(row);
    longest = std::max(longest, key.size());
  }
  const std::string dictionary = TextDictionaryBytes(keys);
  const std::string inverted = InvertedBytes(bitmaps);
  std::string table;
  for (const int32_t document : mapping) table += LittleEndianBytes(document);
  return BigEndianBytes(version) + BigEndianBytes(static_cast<int32_t>(longest)) +
         BigEndianBytes<int64_t>(static_cast<int64_t>(dictionary.size())) +
         BigEndianBytes<int64_t>(static_cast<int64_t>(inverted.size())) +
         BigEndianBytes<int64_t>(static_cast<int64_t>(table.size())) + dictionary + inverted +
         table;
}

// The layout of releases 1.5.0 and 1.5.1 over a `.vl;` dictionary.
inline std::string LegacyInvertedBytes(const std::vector<std::string>& values,
                                       const std::vector<Roaring>& bitmaps) {
  const std::string dictionary = TextDictionaryBytes(values);
  const auto at = static_cast<uint32_t>(44 + dictionary.size());
  const std::string inverted = InvertedBytes(bitmaps, false, at);
  size_t longest = 0;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  return BigEndianBytes<int32_t>(1) + BigEndianBytes(static_cast<int32_t>(values.size())) +
         BigEndianBytes(static_cast<int32_t>(longest)) + BigEndianBytes<int64_t>(44) +
         BigEndianBytes(static_cast<int64_t>(dictionary.size())) + BigEndianBytes<int64_t>(at) +
         BigEndianBytes(static_cast<int64_t>(inverted.size())) + dictionary + inverted;
}

using StarNode = std::array<int32_t, 7>;  // in the order of the file
inline std::string StarTreeBytes(const std::vector<std::string>& dimensions,
                                 const std::vector<StarNode>& nodes) {
  std::string names;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    names += LittleEndianBytes(static_cast<int32_t>(i)) +
             LittleEndianBytes(static_cast<int32_t>(dimensions[i].size())) + dimensions[i];
  }
  std::string bytes = LittleEndianBytes<uint64_t>(0xBADDA55B00DAD00D) +
                      LittleEndianBytes<int32_t>(1) +
                      LittleEndianBytes(static_cast<int32_t>(24 + names.size())) +
                      LittleEndianBytes(static_cast<int32_t>(dimensions.size())) + names +
                      LittleEndianBytes(static_cast<int32_t>(nodes.size()));
  for (const StarNode& node : nodes)
    for (const int32_t field : node) bytes += LittleEndianBytes(field);
  return bytes;
}

}  // namespace trellis::index
