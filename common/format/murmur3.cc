#include "common/format/murmur3.h"

#include <bit>
#include <cstring>

#include "common/base/bytes.h"

namespace trellis::format {
namespace {

uint64_t Finalize(uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33);
}

}  // namespace

// From Austin Appleby's public-domain definition: two 64-bit lanes over 16-byte blocks, the
// zero-padded rest mixed without the final rotation, then both lanes finalized.
Hash128 Murmur3(std::string_view text) {
  constexpr uint64_t kFactor1 = 0x87c37b91114253d5ULL;
  constexpr uint64_t kFactor2 = 0x4cf5ad432745937fULL;
  const auto scramble1 = [](uint64_t k) { return std::rotl(k * kFactor1, 31) * kFactor2; };
  const auto scramble2 = [](uint64_t k) { return std::rotl(k * kFactor2, 33) * kFactor1; };
  const uint8_t* at = AsBytes(text).data();
  uint64_t h1 = 0, h2 = 0;
  size_t left = text.size();
  for (; left >= 16; left -= 16, at += 16) {
    h1 = std::rotl(h1 ^ scramble1(LoadLittleEndian<uint64_t>(at)), 27) + h2;
    h1 = h1 * 5 + 0x52dce729;
    h2 = std::rotl(h2 ^ scramble2(LoadLittleEndian<uint64_t>(at + 8)), 31) + h1;
    h2 = h2 * 5 + 0x38495ab5;
  }
  uint8_t rest[16] = {};
  if (left > 0) std::memcpy(rest, at, left);
  h1 ^= scramble1(LoadLittleEndian<uint64_t>(rest));  // zero scrambles to zero
  h2 ^= scramble2(LoadLittleEndian<uint64_t>(rest + 8));
  h1 ^= text.size();
  h2 ^= text.size();
  h1 += h2;
  h2 += h1;
  h1 = Finalize(h1);
  h2 = Finalize(h2);
  h1 += h2;
  return {h1, h2 + h1};
}

}  // namespace trellis::format
