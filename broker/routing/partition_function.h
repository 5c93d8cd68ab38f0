#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "common/types/value.h"

namespace trellis::broker {

// The partition, below `count`, that Pinot's partition function of that name (letters' case
// ignored) gives rows with this value. nullopt where it is not known for sure, and a row may be in
// any: other functions than Murmur (also called Murmur2), Modulo, HashCode and ByteArray; other
// types than INT, LONG and STRING; values at which versions of Pinot differ. Functions with a
// configuration of their own are not what their name says: servers must not announce them.
// REQUIRES: count > 0.
std::optional<uint32_t> PartitionOf(std::string_view function, uint32_t count, const Value& value);

}  // namespace trellis::broker
