#pragma once

#include <catch2/catch.hpp>

#include "common/wire/inventory_messages.h"

namespace trellis::wire {

// Compares all that travels of a batch.
inline void CheckEqual(const SegmentBatch& a, const SegmentBatch& b) {
  CHECK(a.ordinals == b.ordinals);
  CHECK(a.names == b.names);
  CHECK(a.crcs == b.crcs);
  CHECK(a.rows == b.rows);
  CHECK(a.time_ms == b.time_ms);
  CHECK(a.zones == b.zones);
  CHECK(a.partitions == b.partitions);
}

}  // namespace trellis::wire
