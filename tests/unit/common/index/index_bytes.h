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
