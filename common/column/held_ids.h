#pragma once

#include <memory>
#include <vector>

#include "common/column/forward_index.h"

namespace trellis::column {

// The dictIds of a column's documents, held in memory instead of read from a file: 4 bytes a
// document (single-value), or a value and a document.
struct HeldIds {
  std::vector<uint32_t> ids;      // of all documents, flat
  std::vector<uint32_t> offsets;  // multi-value: document_count + 1; else empty, one id a document
};

// A dictionary-encoded forward index over `held`, which it takes over. REQUIRES: offsets, where
// there are any, ascend from 0 to the number of ids.
std::unique_ptr<ForwardIndexReader> MakeHeldForwardIndex(HeldIds held);

}  // namespace trellis::column
