#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::aggregate {

// The HyperLogLog that Pinot's DISTINCTCOUNTHLL answers from, register for register and digit for
// digit. Source: stream-lib 2.9 as described in pinot-functions.md 7.1 and pinot-sketches.md 1, its
// defects included: the hash's sign-extended tail, two guard bits in the rank, no large-range
// correction.
//
// Serialised, big-endian: i32 log2m, i32 byte length, then 32-bit words of six 5-bit registers
// each, register p at bit 5*(p mod 6) of word p/6.

// The 32-bit hashes. Integers are sign-extended to 64 bits, floating values given by their raw bits
// (a float's 32 bits sign-extended).
uint32_t HyperLogLogHash(int64_t value);
uint32_t HyperLogLogHash(std::string_view bytes);

class HyperLogLog {
 public:
  static constexpr int kLog2mMax = 30;

  // Empty, of 2^log2m registers, which are allocated on first use. REQUIRES: 1 <= log2m <=
  // kLog2mMax.
  explicit HyperLogLog(int log2m) : log2m_(log2m) {}
  // Errors: Corrupt when the lengths disagree. Allocates no more than about the bytes' size.
  static Result<HyperLogLog> Parse(ByteView bytes);

  int log2m() const { return log2m_; }
  void AddHash(uint32_t hash);
  // Errors: Corrupt when the sizes differ and neither side is empty.
  Status Merge(const HyperLogLog& other);
  int64_t Cardinality() const;
  bool empty() const { return registers_.empty(); }
  void Serialize(std::string& out) const;
  size_t heap_bytes() const { return registers_.capacity(); }

 private:
  int log2m_;
  std::vector<uint8_t> registers_;  // empty until something is added
};

}  // namespace trellis::aggregate
