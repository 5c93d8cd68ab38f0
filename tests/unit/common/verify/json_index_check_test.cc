#include "common/verify/json_index_check.h"

#include <roaring/roaring.hh>

#include "tests/unit/common/verify/planted.h"

namespace trellis::verify {
namespace {

// A key with two flattened documents, of rows 0 and 2.
std::string File(int32_t second_row = 2) {
  const std::string keys = OffsetDictionary({".a"});
  Roaring bitmap;
  bitmap.add(0);
  bitmap.add(1);
  std::string docs(bitmap.getSizeInBytes(), '\0');
  bitmap.write(docs.data());
  const std::string inverted = Ints({8, static_cast<int32_t>(8 + docs.size())}) + docs;
  const std::string mapping = Le(0) + Le(second_row);
  return Ints({2, 2}) + Be(uint64_t{keys.size()}) + Be(uint64_t{inverted.size()}) +
         Be(uint64_t{mapping.size()}) + keys + inverted + mapping;
}

TEST_CASE("a whole JSON index has no faults") {
  Planted planted;
  CheckJsonIndex(View(File()), 3, planted.log);
  planted.None();
}

TEST_CASE("parts, keys, bitmaps and rows of a JSON index are checked") {
  Planted planted;
  CheckJsonIndex(View(File()), 2, planted.log);
  planted.One(File().size() - 4, "a row from 0, below 2, found 2");
  CheckJsonIndex(View(File(-1)), 3, planted.log);
  planted.One(File().size() - 4, "found -1");
  CheckJsonIndex(View(File() + "x"), 3, planted.log);
  planted.One(24, "a part within 9 bytes");
  std::string bad = File();
  bad.replace(0, 4, Be(3));
  CheckJsonIndex(View(bad), 3, planted.log);
  planted.One(0, "version 1 or 2, found 3");
  bad = File();
  bad.replace(32 + 16, 4, Be(25));
  CheckJsonIndex(View(bad), 3, planted.log);
  planted.One(48, "first offset 24, found 25");
  bad = File();
  const size_t bitmap = 32 + OffsetDictionary({".a"}).size() + 8;
  bad[bitmap + 10] = 9;
  CheckJsonIndex(View(bad), 3, planted.log);
  CHECK(planted.list.fault_count() == 1);
}

}  // namespace
}  // namespace trellis::verify
