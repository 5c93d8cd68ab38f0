#pragma once

#include <roaring/roaring.hh>
#include <string>
#include <utility>
#include <vector>

#include "common/column/map_frame.h"
#include "common/segment/segment.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::server {

using MapEntries = std::vector<std::pair<std::string, std::string>>;  // key, JSON text

inline std::string MapFrame(const MapEntries& entries) {
  column::MapFrameWriter writer;
  for (const auto& [key, json] : entries) writer.Add(key, json);
  return std::string(writer.Finish().value());
}

// A segment of three documents with a MAP column `m`: beside the columns of TinySegment.
struct MapSegment {
  MapSegment(const std::vector<std::string>& frames, const char* value_type,
             const std::vector<uint32_t>& null_documents = {}) {
    segment::TinySegment tiny;
    // Chunk container 2 of variable width: three rows, uncompressed, in one chunk.
    std::string starts, rows;
    for (const std::string& frame : frames) {
      starts += segment::BigEndian<uint32_t>(static_cast<uint32_t>(12 + rows.size()));
      rows += frame;
    }
    std::string raw;
    for (const int32_t field : {2, 1, 3, 4096, 3, 0, 28, 32})
      raw += segment::BigEndian<int32_t>(field);
    tiny.Buffer("m", "forward_index") = raw + starts + rows;
    if (!null_documents.empty()) {
      const Roaring nulls(null_documents.size(), null_documents.data());
      std::string bytes(nulls.getSizeInBytes(), '\0');
      nulls.write(bytes.data());
      tiny.Buffer("m", "nullvalue_vector") = bytes;
    }
    tiny.Metadata(
        fmt::format("segment.complex.column.names = m\ncolumn.m.columnType = COMPLEX\n"
                    "column.m.dataType = MAP\ncolumn.m.cardinality = 2\n"
                    "column.m.hasDictionary = false\ncolumn.m.complexChildFieldNames = key,value\n"
                    "column.m$$key.columnName = key\ncolumn.m$$key.columnType = DIMENSION\n"
                    "column.m$$key.dataType = STRING\ncolumn.m$$value.columnName = value\n"
                    "column.m$$value.columnType = DIMENSION\ncolumn.m$$value.dataType = {}\n",
                    value_type));
    tiny.WriteV3(folder.path());
    segment = segment::Segment::Open(folder.path()).value();
    schema = segment::DeriveSchema("t", segment->metadata());
  }

  plan::Expression Key(const std::string& key) const {
    return plan::Expression::MapKey("m", key, {schema.Find("m")->KeyType(key), false});
  }

  segment::ScratchFolder folder;
  std::shared_ptr<segment::Segment> segment;
  Schema schema;
};

}  // namespace trellis::server
