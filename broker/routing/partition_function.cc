#include "broker/routing/partition_function.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <limits>

#include "common/base/nearest_name.h"

namespace trellis::broker {
namespace {

bool IsWhole(DataType type) { return type == DataType::kInt || type == DataType::kLong; }

// Java's hashCode of bytes, or of UTF-16 units as long as they are ASCII, begun with `hash`.
int32_t Polynomial31(std::string_view bytes, uint32_t hash) {
  for (const char byte : bytes) hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(byte));
  return static_cast<int32_t>(hash);
}

std::optional<uint32_t> AbsoluteModulo(int32_t hash, uint32_t count) {
  // Java has no absolute value of it, and versions of Pinot do not agree on one.
  if (hash == std::numeric_limits<int32_t>::min()) return std::nullopt;
  return static_cast<uint32_t>(hash < 0 ? -hash : hash) % count;
}

std::optional<uint32_t> Murmur(std::string_view text, uint32_t count) {
  // The hash of Kafka's Java client, modulo `count`: the topic is not looked at.
  return static_cast<uint32_t>(rd_kafka_msg_partitioner_murmur2(
      nullptr, text.data(), text.size(), static_cast<int32_t>(count), nullptr, nullptr));
}

std::optional<uint32_t> HashCode(const Value& value, uint32_t count) {
  // Of numbers old versions hash the number, newer ones its text.
  if (value.type() != DataType::kString) return std::nullopt;
  const std::string& text = value.bytes();
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? AbsoluteModulo(Polynomial31(text, 0), count) : std::nullopt;
}

}  // namespace

std::optional<uint32_t> PartitionOf(std::string_view function, uint32_t count, const Value& value) {
  const bool whole = IsWhole(value.type());
  if (value.is_null() || value.is_array() || (!whole && value.type() != DataType::kString) ||
      count > static_cast<uint32_t>(std::numeric_limits<int32_t>::max()))
    return std::nullopt;
  if (EqualsIgnoreCase(function, "Murmur") || EqualsIgnoreCase(function, "Murmur2"))
    return whole ? Murmur(ValueToText(value), count) : Murmur(value.bytes(), count);
  if (EqualsIgnoreCase(function, "Modulo")) {
    // Versions of Pinot differ on negative remainders.
    if (!whole || value.AsLong() < 0) return std::nullopt;
    return static_cast<uint32_t>(value.AsLong() % count);
  }
  if (EqualsIgnoreCase(function, "HashCode")) return HashCode(value, count);
  if (EqualsIgnoreCase(function, "ByteArray")) {
    if (whole) return std::nullopt;  // as HashCode
    return AbsoluteModulo(Polynomial31(value.bytes(), 1), count);
  }
  return std::nullopt;
}

}  // namespace trellis::broker
