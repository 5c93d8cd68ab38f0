#include "common/verify/raw_forward_check.h"
#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

// One row a chunk of `rows` in a file of V4's form, PASS_THROUGH.
std::string V4(int32_t version, const std::vector<std::string>& rows) {
  std::string table, data;
  for (size_t i = 0; i < rows.size(); ++i) {
    table += Le(static_cast<uint32_t>(i)) + Le(static_cast<uint32_t>(data.size()));
    data += Le(1) + Le(8) + rows[i];
  }
  return Be(version) + Ints({64, 0, static_cast<int32_t>(16 + table.size())}) + table + data;
}

std::string Lengths(const std::vector<std::string>& parts) {
  std::string lengths, all;
  for (const std::string& part : parts) {
    lengths += Be(static_cast<int32_t>(part.size()));
    all += part;
  }
  return lengths + all;
}

// Two rows of CLP.v1: logtypes 0 and 1, a dictionary variable each, an encoded one each.
std::string V1() {
  const std::string ids = Ints({0}) + "\xC0" + std::string(1, '\x40');
  return "CLP.v1" + Ints({1, 2, 3, 3}) +
         Lengths({OffsetDictionary({"a\x12", "b\x11"}), OffsetDictionary({"x", "y"}),
                  std::string(1, '\x40'), ids,
                  V4(4, {Be(1) + Be(int64_t{5}), Be(1) + Be(int64_t{6})})});
}

std::string V2Raw() {
  const std::string messages = V4(5, {"one", "two"});
  return "CLP.v2" + Ints({2, 0, static_cast<int32_t>(messages.size())}) + messages;
}

void Check(Planted& planted, const std::string& bytes) { CheckClp(View(bytes), 2, planted.log); }

TEST_CASE("whole CLP files have no faults") {
  Planted planted;
  Check(planted, V1());
  Check(planted, V2Raw());
  planted.None();
}

TEST_CASE("parts of CLP.v1 tile the file") {
  Planted planted;
  Check(planted, V1() + "x");
  planted.One(V1().size(), "1 more bytes");
  std::string bad = V1();
  bad.replace(22, 4, Be(9999));
  Check(planted, bad);
  planted.One(22, "a part of at most");
  bad = V1();
  bad.replace(6, 4, Be(3));
  Check(planted, bad);
  planted.One(6, "expected version 1, found 3");
  Check(planted, V1().substr(0, 41));
  planted.One(0, "a header of 42 bytes");
}

TEST_CASE("each part of CLP.v1 is looked at where it lies") {
  Planted planted;
  const uint64_t ids =
      42 + OffsetDictionary({"ab", "cd"}).size() + OffsetDictionary({"x", "y"}).size();
  std::string bad = V1();
  bad[ids] = '\x60';
  Check(planted, bad);
  planted.One(ids, "6 bits of 0 behind the last value");
  bad = V1();
  bad[ids + 5] = '\x80';
  Check(planted, bad);
  planted.One(ids + 5, "expected 2 bits of 1, one a row, found 1");
}

TEST_CASE("messages that are not encoded fill CLP.v2") {
  Planted planted;
  std::string bad = V2Raw();
  bad.replace(14, 4, Be(1));
  Check(planted, bad);
  planted.One(14, "bytes of messages, found 1");
  bad = V2Raw();
  bad.replace(10, 4, Be(2));
  Check(planted, bad);
  planted.One(10, "0 or 1, whether messages are encoded, found 2");
}

}  // namespace
}  // namespace trellis::verify
