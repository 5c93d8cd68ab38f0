#include "common/format/clp.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::format {
namespace {

using namespace std::string_literals;

std::string BigEndian(uint32_t v) {
  const uint32_t swapped = __builtin_bswap32(v);
  return {reinterpret_cast<const char*>(&swapped), 4};
}
const std::string kOneValue =
    ".vl;\0\0\0\1\0\0\0\1\0\0\0\x10\0\0\0\x18\0\0\0\x19"
    "a"s;
const std::string kNoValue = ".vl;\0\0\0\1\0\0\0\0\0\0\0\x10\0\0\0\x14"s;

// The two fields between the version and the lengths differ between the versions.
std::string Encoded(int version, const std::string& fields, const std::string& variables,
                    const std::string& rest) {
  return "CLP.v" + std::to_string(version) + BigEndian(static_cast<uint32_t>(version)) + fields +
         BigEndian(static_cast<uint32_t>(kOneValue.size())) +
         BigEndian(static_cast<uint32_t>(variables.size())) + BigEndian(1) + BigEndian(2) +
         BigEndian(static_cast<uint32_t>(rest.size()) - 3) + kOneValue + variables + rest;
}
std::string Version1() {
  return Encoded(1, BigEndian(7) + BigEndian(40) + BigEndian(14), kOneValue, "lvvee");
}
std::string Version2(uint32_t logtypes = 1, uint32_t variables = 0) {
  return Encoded(2, BigEndian(1) + BigEndian(logtypes) + BigEndian(variables), kNoValue, "lvvee");
}
std::string Messages(uint32_t length) {
  return "CLP.v2" + BigEndian(2) + BigEndian(0) + BigEndian(length) + "messages";
}
bool Corrupt(const std::string& bytes) {
  return ClpFile::Open(AsBytes(bytes)).status().IsCorrupt();
}

TEST_CASE("both versions are taken apart into dictionaries and three parts") {
  for (const std::string& bytes : {Version1(), Version2()}) {
    const ClpFile file = ClpFile::Open(AsBytes(bytes)).value();
    const bool first = bytes == Version1();
    CHECK(file.version == (first ? 1 : 2));
    CHECK(file.encoded);
    CHECK(file.variable_total == (first ? 7 : 0));
    CHECK(AsText(file.logtypes[0]) == "a");
    CHECK(file.variables.size() == (first ? 1 : 0));
    CHECK(AsText(file.logtype_ids) == "l");
    CHECK(AsText(file.variable_ids) == "vv");
    CHECK(AsText(file.encoded_values) == "ee");
  }
}

TEST_CASE("version 2 may hold the messages themselves") {
  const std::string bytes = Messages(8);
  const ClpFile file = ClpFile::Open(AsBytes(bytes)).value();
  CHECK_FALSE(file.encoded);
  CHECK(AsText(file.messages) == "messages");
  CHECK(Corrupt(Messages(7)));
  CHECK(Corrupt(Messages(9)));
  CHECK(Corrupt(Messages(UINT32_MAX)));
}

TEST_CASE("parts that do not tile the buffer and counts that disagree are refused") {
  for (const std::string& good : {Version1(), Version2()}) {
    REQUIRE_FALSE(Corrupt(good));
    CHECK(Corrupt(good + "x"));
    for (size_t size = 0; size < good.size(); ++size) CHECK(Corrupt(good.substr(0, size)));
    for (size_t part = 0; part < 5; ++part) {
      for (const uint32_t length : {0U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
        CHECK(Corrupt(std::string(good).replace(22 + 4 * part, 4, BigEndian(length))));
      }
    }
  }
  CHECK(Corrupt(Version2(2, 0)));
  CHECK(Corrupt(Version2(1, 1)));
  CHECK(Corrupt(Version2(0xffffffff, 0)));
}

TEST_CASE("versions and flags that no release wrote are refused") {
  CHECK(Corrupt(std::string(Version1()).replace(5, 1, "3")));
  CHECK(Corrupt(std::string(Version1()).replace(5, 1, "2")));
  CHECK(Corrupt(std::string(Version2()).replace(6, 4, BigEndian(1))));
  CHECK(Corrupt(std::string(Version2()).replace(10, 4, BigEndian(2))));
  CHECK_FALSE(ClpFile::Recognizes(AsBytes("CLP.v"s)));
  CHECK_FALSE(ClpFile::Recognizes(AsBytes("\0\0\0\4............"s)));
}

}  // namespace
}  // namespace trellis::format
