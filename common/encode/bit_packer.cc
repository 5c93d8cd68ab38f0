#include "common/encode/bit_packer.h"

#include <array>
#include <utility>

#include "common/base/bytes.h"

// One function a width, in which every shift is a constant: value i of a group lies at bit
// i * kBits, in one word or across two.

namespace trellis::encode {
namespace {

template <int kBits, size_t i>
inline void PutValue(const uint32_t* values, uint64_t (&words)[kBits]) {
  constexpr size_t kWord = i * kBits / 64;
  constexpr int kEnd = static_cast<int>(i * kBits % 64) + kBits;  // counted from the word's top
  const uint64_t value = values[i];
  if constexpr (kEnd <= 64) {
    words[kWord] |= value << (64 - kEnd);
  } else {
    words[kWord] |= value >> (kEnd - 64);
    words[kWord + 1] |= value << (128 - kEnd);
  }
}

template <int kBits, size_t... i>
inline void PackGroup(const uint32_t* values, uint8_t* to, std::index_sequence<i...>) {
  uint64_t words[kBits] = {};
  (PutValue<kBits, i>(values, words), ...);
  for (int word = 0; word < kBits; ++word) StoreBigEndian(words[word], to + word * 8);
}

template <int kBits>
void Pack(const uint32_t* values, size_t groups, uint8_t* to) {
  for (; groups > 0; --groups, values += kPackGroup, to += 8 * kBits) {
    PackGroup<kBits>(values, to, std::make_index_sequence<kPackGroup>());
  }
}

using PackFunction = void (*)(const uint32_t*, size_t, uint8_t*);
template <size_t... i>
constexpr auto MakePackFunctions(std::index_sequence<i...>) {
  return std::array<PackFunction, sizeof...(i)>{&Pack<static_cast<int>(i) + 1>...};
}
constexpr auto kPackFunctions = MakePackFunctions(std::make_index_sequence<31>());

}  // namespace

void PackGroups(int bits, std::span<const uint32_t> values, uint8_t* to) {
  kPackFunctions[static_cast<size_t>(bits) - 1](values.data(), values.size() / kPackGroup, to);
}

bool AllFit(int bits, std::span<const uint32_t> values) {
  uint32_t seen = 0;
  for (const uint32_t value : values) seen |= value;
  return seen >> bits == 0;
}

}  // namespace trellis::encode
