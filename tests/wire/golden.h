#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>

#include "common/base/bytes.h"

namespace trellis::wire {

inline std::string ReadHex(const std::string& path) {
  std::ifstream file(path);
  std::string bytes;
  int high = -1;
  for (char c; file >> c;) {
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high >= 0) bytes += static_cast<char>(high << 4 | digit);
    high = high >= 0 ? -1 : digit;
  }
  return bytes;
}

// The bytes of golden/NAME.hex, for example "0.1/inventory".
inline std::string Golden(const std::string& name) {
  const std::string path = std::string(TRELLIS_GOLDEN "/") + name + ".hex";
  INFO("no bytes in " << path);
  const std::string bytes = ReadHex(path);
  REQUIRE(std::ifstream(path).is_open());
  return bytes;
}

// Holds `bytes` against golden/NAME.hex. With TRELLIS_WRITE_GOLDEN set, a file that is not there
// yet is written instead: once, before the release that the file is of.
inline void CheckGolden(const std::string& name, std::string_view bytes) {
  const std::string path = std::string(TRELLIS_GOLDEN "/") + name + ".hex";
  if (std::getenv("TRELLIS_WRITE_GOLDEN") != nullptr && !std::ifstream(path).is_open()) {
    std::ofstream file(path);
    constexpr size_t kBytesALine = 32;
    for (size_t i = 0; i < bytes.size(); ++i) {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<uint8_t>(bytes[i]);
      file << kHex[byte >> 4] << kHex[byte & 0xf];
      if (i % kBytesALine == kBytesALine - 1 || i + 1 == bytes.size()) file << '\n';
    }
  }
  CAPTURE(name);
  CHECK(Golden(name) == bytes);
}

}  // namespace trellis::wire
