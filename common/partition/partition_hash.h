#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace trellis::partition {

// The hashes of Pinot's partition functions, as Java computes them. Pure.

// The hash of Kafka's Java client (murmur2), its sign cut off, modulo `count`.
// REQUIRES: 0 < count <= INT32_MAX.
uint32_t KafkaMurmur2Partition(std::string_view bytes, uint32_t count);

// MurmurHash3_x86_32.
uint32_t Murmur3(std::string_view bytes, uint32_t seed);

// String.hashCode of UTF-8 text: over its UTF-16 units. nullopt where it is not valid UTF-8.
std::optional<int32_t> JavaStringHash(std::string_view text);

// Arrays.hashCode(byte[]).
int32_t JavaBytesHash(std::string_view bytes);

}  // namespace trellis::partition
