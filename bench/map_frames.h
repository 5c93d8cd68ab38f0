#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/codec/compression.h"
#include "common/column/forward_index.h"

// MAP frames in memory for map_key_bench, and raw forward indexes of them.

namespace trellis::bench {

// What the values of a frame are: words in quotes, numbers (integers and fractions in turns), or
// objects of two members.
enum class MapShape : uint8_t { kFlat, kNumeric, kNested };

// The key of an entry, as attributes are named: `k8s.attr.007`. Frames hold them in order.
std::string MapKeyName(uint32_t entry);
// The JSON text of an entry's value, which follows from document and entry alone.
std::string MapValueJson(MapShape shape, uint32_t doc, uint32_t entry);

// Frames of so many entries back to back: `docs` documents, or as many as fill kFramesBytesMin
// where that is more.
struct MapFrames {
  static constexpr size_t kBytesMin = size_t{40} << 20;  // more than the last-level cache
  static constexpr uint32_t kDocsMin = 20000;

  MapShape shape = MapShape::kFlat;
  uint32_t entries = 0;
  std::string bytes;
  std::vector<std::string_view> rows;

  double mean_bytes() const {
    return static_cast<double>(bytes.size()) / static_cast<double>(rows.size());
  }
};
MapFrames MakeMapFrames(MapShape shape, uint32_t entries);

// A raw forward index of frames.
struct MapColumn {
  std::vector<uint8_t> payload;
  column::ForwardIndexShape shape;
  std::unique_ptr<column::ForwardIndexReader> reader;  // over `payload`
};
constexpr size_t kMapChunkBytesMax = size_t{1} << 20;
// `version` 2 to 6, chunks of at most kMapChunkBytesMax.
MapColumn MakeMapColumn(const MapFrames& frames, codec::Compression compression, int version);

}  // namespace trellis::bench
