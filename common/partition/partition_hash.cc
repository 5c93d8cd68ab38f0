#include "common/partition/partition_hash.h"

#include <librdkafka/rdkafka.h>

#include <bit>
#include <cstring>

#include "common/base/bytes.h"
#include "common/base/utf8.h"

namespace trellis::partition {

uint32_t KafkaMurmur2Partition(std::string_view bytes, uint32_t count) {
  // The topic is not looked at.
  return static_cast<uint32_t>(rd_kafka_msg_partitioner_murmur2(
      nullptr, bytes.data(), bytes.size(), static_cast<int32_t>(count), nullptr, nullptr));
}

// From Austin Appleby's public-domain definition. By hand, because no library that the project
// links has this one.
uint32_t Murmur3(std::string_view bytes, uint32_t seed) {
  const auto scramble = [](uint32_t k) { return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
  const uint8_t* at = AsBytes(bytes).data();
  uint32_t hash = seed;
  size_t left = bytes.size();
  for (; left >= 4; left -= 4, at += 4)
    hash = std::rotl(hash ^ scramble(LoadLittleEndian<uint32_t>(at)), 13) * 5 + 0xE6546B64u;
  uint8_t rest[4] = {};
  if (left > 0) std::memcpy(rest, at, left);
  hash ^= scramble(LoadLittleEndian<uint32_t>(rest));  // zero scrambles to zero
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16)) * 0x85EBCA6Bu;
  hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
  return hash ^ (hash >> 16);
}

std::optional<int32_t> JavaStringHash(std::string_view text) {
  uint32_t hash = 0;
  while (!text.empty()) {
    const CodePoint next = DecodeUtf8(text);
    if (next.size_bytes == 0) return std::nullopt;
    text.remove_prefix(next.size_bytes);
    uint32_t unit = next.value;
    if (unit >= kFirstSupplementary) {
      hash = 31 * hash + HighSurrogateOf(next.value);
      unit = LowSurrogateOf(next.value);
    }
    hash = 31 * hash + unit;
  }
  return static_cast<int32_t>(hash);
}

int32_t JavaBytesHash(std::string_view bytes) {
  uint32_t hash = 1;
  for (const char byte : bytes) hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(byte));
  return static_cast<int32_t>(hash);
}

}  // namespace trellis::partition
