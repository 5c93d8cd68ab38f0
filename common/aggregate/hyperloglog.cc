#include "common/aggregate/hyperloglog.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/types/java_text.h"

namespace trellis::aggregate {
namespace {

constexpr uint32_t kMultiplier = 0x5bd1e995;
constexpr size_t kHeaderSizeBytes = 8;
constexpr int kRegistersPerWord = 6;
constexpr int kRegisterBits = 5;

uint32_t Scramble(uint32_t word) {
  word *= kMultiplier;
  word ^= word >> 24;
  return word * kMultiplier;
}

uint32_t Finish(uint32_t hash) {
  hash ^= hash >> 13;
  hash *= kMultiplier;
  return hash ^ (hash >> 15);
}

size_t WordCount(int log2m) {
  const size_t full = (size_t{1} << log2m) / kRegistersPerWord;
  if (full == 0) return 1;
  return full % 32 == 0 ? full : full + 1;
}

// Java's Math.round.
int64_t Round(double value) {
  if (std::isnan(value)) return 0;
  const double floor = std::floor(value);
  return JavaDoubleToLong(value - floor >= 0.5 ? floor + 1 : floor);
}

}  // namespace

uint32_t HyperLogLogHash(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  uint32_t low = static_cast<uint32_t>(bits) * kMultiplier;
  low ^= low >> 24;
  uint32_t hash = low * kMultiplier;
  hash = (hash * kMultiplier) ^ Scramble(static_cast<uint32_t>(bits >> 32));
  return Finish(hash);
}

uint32_t HyperLogLogHash(std::string_view bytes) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const size_t size = bytes.size();
  uint32_t hash = 0xFFFFFFFFu ^ static_cast<uint32_t>(size);
  const size_t whole = size / 4 * 4;
  for (size_t at = 0; at < whole; at += 4) {
    hash = (hash * kMultiplier) ^ Scramble(LoadLittleEndian<uint32_t>(data + at));
  }
  // The tail counts from the end, its bytes signed: the last one is lowest.
  const size_t tail = size - whole;
  const auto byte = [&](size_t from_end) {
    return static_cast<uint32_t>(static_cast<int32_t>(static_cast<int8_t>(data[size - from_end])));
  };
  if (tail >= 3) hash ^= byte(3) << 16;
  if (tail >= 2) hash ^= byte(2) << 8;
  if (tail >= 1) hash = (hash ^ byte(1)) * kMultiplier;
  return Finish(hash);
}

void HyperLogLog::AddHash(uint32_t hash) {
  if (registers_.empty()) registers_.resize(size_t{1} << log2m_);
  const uint32_t index = hash >> (32 - log2m_);
  const uint32_t rest = (hash << log2m_) | ((1u << (log2m_ - 1)) + 1);
  const auto rank = static_cast<uint8_t>(std::countl_zero(rest) + 1);
  registers_[index] = std::max(registers_[index], rank);
}

Status HyperLogLog::Merge(const HyperLogLog& other) {
  if (other.empty()) return {};
  if (empty()) {
    *this = other;
    return {};
  }
  if (log2m_ != other.log2m_) {
    return Status::Corrupt("HyperLogLogs of log2m {} and {} cannot be merged", log2m_,
                           other.log2m_);
  }
  for (size_t i = 0; i < registers_.size(); ++i)
    registers_[i] = std::max(registers_[i], other.registers_[i]);
  return {};
}

int64_t HyperLogLog::Cardinality() const {
  if (registers_.empty()) return 0;
  const double m = static_cast<double>(registers_.size());
  double alpha = 0.7213 / (1 + 1.079 / m);
  if (log2m_ == 4) alpha = 0.673;
  if (log2m_ == 5) alpha = 0.697;
  if (log2m_ == 6) alpha = 0.709;
  double sum = 0;
  double zeros = 0;
  for (const uint8_t rank : registers_) {
    sum += 1.0 / static_cast<int32_t>(1u << rank);  // negative for rank 31, as in Java
    zeros += rank == 0;
  }
  const double estimate = alpha * m * m * (1 / sum);
  if (estimate <= 2.5 * m) return Round(m * std::log(m / zeros));
  return Round(estimate);
}

void HyperLogLog::Serialize(std::string& out) const {
  const size_t words = WordCount(log2m_);
  const size_t begin = out.size();
  out.resize(begin + kHeaderSizeBytes + 4 * words);
  auto* to = reinterpret_cast<uint8_t*>(out.data() + begin);
  StoreBigEndian<int32_t>(log2m_, to);
  StoreBigEndian<int32_t>(static_cast<int32_t>(4 * words), to + 4);
  to += kHeaderSizeBytes;
  for (size_t word = 0; word < words; ++word) {
    uint32_t packed = 0;
    for (size_t i = 0; i < kRegistersPerWord; ++i) {
      const size_t at = word * kRegistersPerWord + i;
      if (at < registers_.size())
        packed |= static_cast<uint32_t>(registers_[at]) << (kRegisterBits * i);
    }
    StoreBigEndian<uint32_t>(packed, to + 4 * word);
  }
}

Result<HyperLogLog> HyperLogLog::Parse(ByteView bytes) {
  ByteReader reader(bytes);
  TRELLIS_ASSIGN_OR_RETURN(const int32_t log2m, reader.ReadBigEndian<int32_t>());
  TRELLIS_ASSIGN_OR_RETURN(const int32_t size_bytes, reader.ReadBigEndian<int32_t>());
  if (log2m < 1 || log2m > kLog2mMax) return Status::Corrupt("HyperLogLog of log2m {}", log2m);
  const size_t words = WordCount(log2m);
  if (reader.remaining() != 4 * words || size_bytes < 0 ||
      static_cast<size_t>(size_bytes) != 4 * words) {
    return Status::Corrupt("HyperLogLog of log2m {} has {} bytes of registers and says {}, not {}",
                           log2m, reader.remaining(), size_bytes, 4 * words);
  }
  HyperLogLog parsed(log2m);
  std::vector<uint8_t> registers(size_t{1} << log2m);
  bool any = false;
  for (size_t at = 0; at < registers.size(); ++at) {
    const auto* word = bytes.data() + kHeaderSizeBytes + at / kRegistersPerWord * 4;
    registers[at] =
        LoadBigEndian<uint32_t>(word) >> (kRegisterBits * (at % kRegistersPerWord)) & 31;
    any |= registers[at] != 0;
  }
  if (any) parsed.registers_ = std::move(registers);
  return parsed;
}

}  // namespace trellis::aggregate
