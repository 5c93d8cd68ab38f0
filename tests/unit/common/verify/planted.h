#pragma once

#include <catch2/catch.hpp>

#include "common/base/bytes.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// A log for one test. The index's buffer begins at byte 1000 of its file.
struct Planted {
  static constexpr uint64_t kStart = 1000;
  FaultList list{"seg", 20};
  FaultLog log{list, "col", "idx", "file", kStart};

  // Exactly one fault, at this offset of the buffer, whose text holds `text`.
  void One(std::optional<uint64_t> offset, const std::string& text) { Only(offset, text, false); }
  void OneNote(std::optional<uint64_t> offset, const std::string& text) {
    Only(offset, text, true);
  }
  void None() {
    for (const Fault& fault : list.Take()) FAIL_CHECK(FaultText(fault));
  }

 private:
  void Only(std::optional<uint64_t> offset, const std::string& text, bool note) {
    const std::vector<Fault> faults = list.Take();
    for (const Fault& fault : faults) UNSCOPED_INFO(FaultText(fault));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].column == "col");
    CHECK(faults[0].index == "idx");
    CHECK(faults[0].is_note == note);
    CHECK(faults[0].offset.has_value() == offset.has_value());
    if (offset && faults[0].offset) CHECK(*faults[0].offset - kStart == *offset);
    CHECK_THAT(FaultText(faults[0]), Catch::Contains(text));
  }
};

inline ByteView View(const std::string& bytes) { return AsBytes(bytes); }

template <class T>
std::string Be(T value) {
  std::string bytes(sizeof(T), '\0');
  StoreBigEndian(value, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}
template <class T>
std::string Le(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}
inline std::string Ints(const std::vector<int32_t>& values) {
  std::string bytes;
  for (const int32_t value : values) bytes += Be(value);
  return bytes;
}
// A `.vl;` dictionary (format notes 3.4).
inline std::string OffsetDictionary(const std::vector<std::string>& values) {
  std::string offsets, all;
  const auto start = static_cast<int32_t>(16 + 4 * (values.size() + 1));
  for (const std::string& value : values) {
    offsets += Be(static_cast<int32_t>(start + all.size()));
    all += value;
  }
  offsets += Be(static_cast<int32_t>(start + all.size()));
  return ".vl;" + Be(int32_t{1}) + Be(static_cast<int32_t>(values.size())) + Be(int32_t{16}) +
         offsets + all;
}

}  // namespace trellis::verify
