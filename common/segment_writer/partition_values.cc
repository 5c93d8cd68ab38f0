#include "common/segment_writer/partition_values.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "common/base/bytes.h"
#include "common/base/nearest_name.h"
#include "common/types/java_text.h"

namespace trellis::segment_writer {
namespace {

// Java's hashCode of a string: over UTF-16 units. A byte that begins no UTF-8 sequence is a unit of
// its own; ingestion does not let such bytes in.
int32_t StringHashCode(std::string_view text) {
  uint32_t hash = 0;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    uint32_t point = length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t k = 1; k < length && i + k < text.size(); ++k)
      point = point << 6 | (static_cast<uint8_t>(text[i + k]) & 0x3F);
    i += length;
    if (point >= 0x10000) {
      hash = 31 * hash + (0xD800 + ((point - 0x10000) >> 10));
      point = 0xDC00 + ((point - 0x10000) & 0x3FF);
    }
    hash = 31 * hash + point;
  }
  return static_cast<int32_t>(hash);
}

// Java's Arrays.hashCode(byte[]).
int32_t BytesHashCode(std::string_view bytes) {
  uint32_t hash = 1;
  for (const char byte : bytes) hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(byte));
  return static_cast<int32_t>(hash);
}

// As Pinot 1.5.1 has it, 0 for the number that has no absolute value.
int32_t Absolute(int32_t hash) {
  if (hash == std::numeric_limits<int32_t>::min()) return 0;
  return hash < 0 ? -hash : hash;
}

// MurmurHash3_x86_32, from Austin Appleby's public-domain definition. By hand, because no library
// that the project links has this one.
uint32_t Murmur3(std::string_view text, uint32_t seed) {
  const auto scramble = [](uint32_t k) { return std::rotl(k * 0xCC9E2D51u, 15) * 0x1B873593u; };
  const uint8_t* at = AsBytes(text).data();
  uint32_t hash = seed;
  size_t left = text.size();
  for (; left >= 4; left -= 4, at += 4)
    hash = std::rotl(hash ^ scramble(LoadLittleEndian<uint32_t>(at)), 13) * 5 + 0xE6546B64u;
  uint8_t rest[4] = {};
  if (left > 0) std::memcpy(rest, at, left);
  hash ^= scramble(LoadLittleEndian<uint32_t>(rest));  // zero scrambles to zero
  hash ^= static_cast<uint32_t>(text.size());
  hash = (hash ^ (hash >> 16)) * 0x85EBCA6Bu;
  hash = (hash ^ (hash >> 13)) * 0xC2B2AE35u;
  return hash ^ (hash >> 16);
}

std::string_view SettingOf(const table_config::PartitionConfig& config, std::string_view key) {
  for (const auto& [name, value] : config.function_config) {
    if (name == key) return value;
  }
  return {};
}

}  // namespace

Result<PartitionValues> PartitionValues::Create(const table_config::PartitionConfig& config) {
  PartitionValues values(config);
  if (config.partitions < 1)
    return Status::InvalidArgument("{} partitions; at least 1", config.partitions);
  const auto is = [&](std::string_view name) { return EqualsIgnoreCase(config.function, name); };
  if (is("Murmur") || is("Murmur2")) {
    values.function_ = Function::kMurmur;
  } else if (is("Murmur3")) {
    values.function_ = Function::kMurmur3;
    TRELLIS_RETURN_IF_ERROR(values.ParseMurmur3());
  } else if (is("Modulo")) {
    values.function_ = Function::kModulo;
  } else if (is("HashCode")) {
    values.function_ = Function::kHashCode;
  } else if (is("ByteArray")) {
    values.function_ = Function::kByteArray;
  } else if (is("BoundedColumnValue")) {
    values.function_ = Function::kBounded;
    TRELLIS_RETURN_IF_ERROR(values.ParseBounded());
  } else {
    return Status::Unimplemented("partition function '{}' is not written by Trellis",
                                 config.function);
  }
  return values;
}

Status PartitionValues::ParseMurmur3() {
  const std::string_view variant = SettingOf(*config_, "variant");
  if (!variant.empty() && variant != "x86_32") {
    return Status::Unimplemented("variant '{}' of Murmur3 is not written by Trellis", variant);
  }
  const std::string_view text = SettingOf(*config_, "seed");
  const auto seed = ParseJavaInt(text.empty() ? "0" : text);
  if (!seed) return Status::InvalidArgument("seed '{}' of Murmur3 is no number", text);
  seed_ = static_cast<uint32_t>(*seed);
  return {};
}

Status PartitionValues::ParseBounded() {
  const std::string_view text = SettingOf(*config_, "columnValues");
  const std::string_view delimiters = SettingOf(*config_, "columnValuesDelimiter");
  if (text.empty() || delimiters.empty())
    return Status::InvalidArgument("BoundedColumnValue needs columnValues and their delimiter");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, at), text.size());
    if (end > at) bounded_.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (bounded_.size() + 1 != static_cast<size_t>(config_->partitions)) {
    return Status::InvalidArgument("BoundedColumnValue has {} values for {} partitions; one less",
                                   bounded_.size(), config_->partitions);
  }
  return {};
}

Result<int32_t> PartitionValues::PartitionOf(std::string_view text) const {
  const int32_t count = config_->partitions;
  switch (function_) {
    case Function::kMurmur:
      // The hash of Kafka's Java client, its sign cut off, modulo `count`.
      return rd_kafka_msg_partitioner_murmur2(nullptr, text.data(), text.size(), count, nullptr,
                                              nullptr);
    case Function::kMurmur3:
      return static_cast<int32_t>(Murmur3(text, seed_) & 0x7FFFFFFFu) % count;
    case Function::kModulo: {
      const auto number = ParseJavaLong(text);
      if (!number) return Status::InvalidArgument("Modulo cannot take '{}'", text);
      const auto rest = static_cast<int32_t>(*number % count);
      return rest < 0 ? rest + count : rest;
    }
    case Function::kHashCode:
      return Absolute(StringHashCode(text)) % count;
    case Function::kByteArray:
      return Absolute(BytesHashCode(text)) % count;
    case Function::kBounded:
      break;
  }
  for (size_t i = 0; i < bounded_.size(); ++i) {
    if (EqualsIgnoreCase(bounded_[i], text)) return static_cast<int32_t>(i + 1);
  }
  return 0;
}

Status PartitionValues::Add(std::string_view text) {
  TRELLIS_ASSIGN_OR_RETURN(const int32_t partition, PartitionOf(text));
  const auto index = static_cast<size_t>(partition);
  if (index >= seen_.size()) seen_.resize(index + 1);
  if (!seen_[index]) partitions_.push_back(partition);
  seen_[index] = true;
  return {};
}

std::string_view PartitionValues::function_name() const {
  switch (function_) {
    case Function::kMurmur:
      return "Murmur";
    case Function::kMurmur3:
      return "Murmur3";
    case Function::kModulo:
      return "Modulo";
    case Function::kHashCode:
      return "HashCode";
    case Function::kByteArray:
      return "ByteArray";
    case Function::kBounded:
      break;
  }
  return "BoundedColumnValue";
}

std::vector<int32_t> PartitionValues::values() const {
  // By bucket of a table that doubles when it is three quarters full; within one as they came.
  size_t buckets = 16;
  while (partitions_.size() * 4 > buckets * 3) buckets *= 2;
  const auto bucket = [&](int32_t partition) {
    const auto number = static_cast<uint32_t>(partition);
    return (number ^ (number >> 16)) & (buckets - 1);
  };
  std::vector<int32_t> ordered = partitions_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](int32_t a, int32_t b) { return bucket(a) < bucket(b); });
  return ordered;
}

}  // namespace trellis::segment_writer
