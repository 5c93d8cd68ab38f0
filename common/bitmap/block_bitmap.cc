#include "common/bitmap/block_bitmap.h"

#include <bit>

namespace trellis::bitmap {
namespace {

// The portable form of roaring_bitmap.cc, without run containers.
constexpr uint32_t kCookieNoRuns = 12346;
constexpr uint32_t kArrayCardinalityMax = 4096;
constexpr size_t kFrontSizeBytes = 8;  // cookie, number of containers
constexpr size_t kHeadSizeBytes = 8;   // key, cardinality - 1, offset

template <class T>
void Append(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

void BlockBitmapBuilder::Append(uint16_t key, const BlockBits& bits) {
  uint32_t cardinality = 0;
  for (const uint64_t word : bits) cardinality += static_cast<uint32_t>(std::popcount(word));
  if (cardinality == 0) return;
  TRELLIS_CHECK(heads_.empty() || heads_.back().key < key);
  heads_.push_back({key, cardinality, containers_.size()});
  if (cardinality > kArrayCardinalityMax) {
    containers_.append(reinterpret_cast<const char*>(bits.data()), sizeof(bits));
    return;
  }
  for (uint32_t i = 0; i < bits.size(); ++i) {
    for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
      const auto value = i * 64 + static_cast<uint32_t>(std::countr_zero(word));
      bitmap::Append(static_cast<uint16_t>(value), containers_);
    }
  }
}

Roaring BlockBitmapBuilder::Finish() {
  if (heads_.empty()) return {};
  std::string bytes;
  const size_t front_size = kFrontSizeBytes + heads_.size() * kHeadSizeBytes;
  bytes.reserve(front_size + containers_.size());
  bitmap::Append(kCookieNoRuns, bytes);
  bitmap::Append(static_cast<uint32_t>(heads_.size()), bytes);
  for (const Head& head : heads_) {
    bitmap::Append(head.key, bytes);
    bitmap::Append(static_cast<uint16_t>(head.cardinality - 1), bytes);
  }
  for (const Head& head : heads_)
    bitmap::Append(static_cast<uint32_t>(front_size + head.offset), bytes);
  bytes += containers_;
  heads_.clear();
  containers_.clear();
  return Roaring::readSafe(bytes.data(), bytes.size());
}

}  // namespace trellis::bitmap
