#include "common/wire/block_layout.h"

#include <array>

namespace trellis::wire {

BodyRange BodyWriter::Add(SharedBytes buffer) {
  static constexpr std::array<uint8_t, kBufferAlignment> kZeros{};
  const BodyRange range{body_bytes_, buffer.size_bytes()};
  const size_t over = buffer.size_bytes() % kBufferAlignment;
  body_bytes_ += buffer.size_bytes();
  if (buffer.size_bytes() != 0) slices_.push_back(std::move(buffer));
  if (over != 0) {
    slices_.push_back({{kZeros.data(), kBufferAlignment - over}, nullptr});
    body_bytes_ += kBufferAlignment - over;
  }
  return range;
}

std::string ToValidity(std::span<const uint8_t> nulls) {
  std::string bits((nulls.size() + 7) / 8, '\0');
  for (size_t row = 0; row < nulls.size(); ++row) {
    bits[row / 8] = static_cast<char>(bits[row / 8] | (nulls[row] == 0) << (row % 8));
  }
  return bits;
}

std::vector<uint8_t> FromValidity(ByteView validity, size_t rows) {
  TRELLIS_CHECK(validity.size() == (rows + 7) / 8);
  std::vector<uint8_t> nulls(rows);
  for (size_t row = 0; row < rows; ++row) nulls[row] = (validity[row / 8] >> (row % 8) & 1) == 0;
  return nulls;
}

}  // namespace trellis::wire
