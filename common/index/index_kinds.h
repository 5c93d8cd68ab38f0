#pragma once

#include <string>
#include <string_view>

#include "common/base/bytes.h"

namespace trellis::index {

// What an index buffer is, for people.
struct IndexDescription {
  std::string kind;    // "bit-sliced range index", "Lucene text index", "unknown index"
  std::string detail;  // version and sizes from its own header; says so where the header is bad
  bool used = false;   // queries read it
};

// Describes the buffer of one index by its id (`range_index`, `h3_index`, ...). Reads headers only;
// any bytes will do, an empty payload (an index stored as a folder, or elsewhere) too.
IndexDescription DescribeIndex(std::string_view id, ByteView payload);

}  // namespace trellis::index
