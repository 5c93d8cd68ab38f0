#include "common/segment/index_map.h"

#include <catch2/catch.hpp>

namespace trellis::segment {
namespace {

TEST_CASE("index map entries come in the order of their offsets") {
  const auto entries = ParseIndexMap(
      "b.forward_index.startOffset = 20\nb.forward_index.size = 30\n"
      "a.dictionary.startOffset = 0\na.dictionary.size = 20\n");
  REQUIRE(entries.ok());
  REQUIRE(entries->size() == 2);
  CHECK((*entries)[0].column == "a");
  CHECK((*entries)[0].index == "dictionary");
  CHECK((*entries)[1].start_offset == 20);
  CHECK((*entries)[1].size_bytes == 30);
}

TEST_CASE("an index map key is split from the right, so a column may hold dots and blanks") {
  const auto entries =
      ParseIndexMap("a.b\\ c.some_new_index.startOffset = 0\na.b\\ c.some_new_index.size = 8\n");
  REQUIRE(entries.ok());
  CHECK((*entries)[0].column == "a.b c");
  CHECK((*entries)[0].index == "some_new_index");
}

TEST_CASE("a size of 8 is an empty payload and a size of 0 a placeholder") {
  CHECK(
      ParseIndexMap("a.x.startOffset = 4\na.x.size = 8\nb.x.startOffset = 5\nb.x.size = 0\n").ok());
}

TEST_CASE("an index map that contradicts itself is refused") {
  const char* const cases[] = {
      "a.x.startOffset = 0\n",                                                   // no size
      "a.x.size = 9\n",                                                          // no offset
      "a.x.startOffset = 0\na.x.size = 9\na.x.size = 9\n",                       // repeated
      "a.x.startOffset = -1\na.x.size = 9\n",                                    // negative
      "a.x.startOffset = 0\na.x.size = 0x9\n",                                   // not decimal
      "a.x.startOffset = 0\na.x.size = 7\n",                                     // below the marker
      "a.x.startOffset = 9223372036854775807\na.x.size = 8\n",                   // overflow
      "a.x.startOffset = 0\na.x.size = 9\nb.x.startOffset = 8\nb.x.size = 9\n",  // overlap
      "x.startOffset = 0\n",                                                     // no index
      ".startOffset = 0\n",  // nothing but a kind
      "a.x.length = 0\n",    // unknown kind
  };
  for (const char* text : cases) {
    CAPTURE(text);
    CHECK(ParseIndexMap(text).status().IsCorrupt());
  }
}

}  // namespace
}  // namespace trellis::segment
