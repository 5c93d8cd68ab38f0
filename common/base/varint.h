#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace trellis {

// Varints, as protobuf writes them (protobuf.dev/programming-guides/encoding): groups of 7 bits,
// lowest first; the top bit says that more follow. Readers differ in what they refuse, and so are
// their formats' own.

// Bytes of `value` as a varint.
constexpr size_t VarintSize(uint64_t value) {
  return static_cast<size_t>((std::bit_width(value | 1) + 6) / 7);
}
// Writes a varint and returns the end. REQUIRES: VarintSize(value) bytes at `to`.
inline char* PutVarint(uint64_t value, char* to) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}
inline void AppendVarint(uint64_t value, std::string& out) {
  char bytes[10];
  out.append(bytes, static_cast<size_t>(PutVarint(value, bytes) - bytes));
}

}  // namespace trellis
