#pragma once

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "common/column/forward_index.h"

namespace trellis::encode {

// CHECKs that a multi-value forward index of `bits`-bit ids has the rows that `offsets` cut `ids`
// into.
inline void CheckRows(ByteView index, int32_t bits, const std::vector<uint32_t>& ids,
                      const std::vector<uint32_t>& offsets) {
  column::ForwardIndexShape shape;
  shape.type = DataType::kInt;
  shape.multi_value = shape.dictionary_encoded = true;
  shape.document_count = static_cast<uint32_t>(offsets.size() - 1);
  shape.cardinality = int32_t{1} << bits;
  shape.bits_per_element = bits;
  shape.total_entries = static_cast<int64_t>(ids.size());
  const auto reader = column::OpenForwardIndex(index, shape);
  REQUIRE(reader.ok());
  std::vector<uint32_t> docs(offsets.size() - 1), read, read_offsets;
  std::iota(docs.begin(), docs.end(), 0);
  REQUIRE((*reader)->ReadDictIds(docs, *(*reader)->NewScratch(), read, &read_offsets).ok());
  CHECK(read == ids);
  CHECK(read_offsets == offsets);
}

}  // namespace trellis::encode
