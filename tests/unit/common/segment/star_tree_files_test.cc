#include "common/segment/star_tree_files.h"

#include <catch2/catch.hpp>

namespace trellis::segment {
namespace {

TEST_CASE("the map of a star-tree file gives each buffer its place") {
  const auto buffers = ParseStarTreeMap(
      "0.null.STAR_TREE.OFFSET = 0\n0.null.STAR_TREE.SIZE = 100\n"
      "0.a.b.FORWARD_INDEX.SIZE = 20\n0.a.b.FORWARD_INDEX.OFFSET = 100\n"
      "0.sum__m\\ x.FORWARD_INDEX.OFFSET = 120\n0.sum__m\\ x.FORWARD_INDEX.SIZE = 0\n"
      "1.null.STAR_TREE.OFFSET = 120\n1.null.STAR_TREE.SIZE = 5\n",
      125);
  REQUIRE(buffers.status().message() == "");
  REQUIRE(buffers->size() == 4);
  CHECK((*buffers)[0].nodes);
  CHECK((*buffers)[0].size_bytes == 100);
  CHECK((*buffers)[1].column == "a.b");
  CHECK_FALSE((*buffers)[1].nodes);
  CHECK((*buffers)[1].offset == 100);
  CHECK((*buffers)[2].column == "sum__m x");
  CHECK((*buffers)[3].tree == 1);
  CHECK(ParseStarTreeMap("", 0)->empty());
}

TEST_CASE("a map with another key, half an entry, or a place past the file is refused") {
  const std::string whole = "0.a.FORWARD_INDEX.OFFSET = 10\n0.a.FORWARD_INDEX.SIZE = 20\n";
  REQUIRE(ParseStarTreeMap(whole, 30).ok());
  CHECK(ParseStarTreeMap(whole, 29).status().IsCorrupt());
  CHECK(ParseStarTreeMap(whole + "0.b.FORWARD_INDEX.OFFSET = 29\n0.b.FORWARD_INDEX.SIZE = 1\n", 30)
            .status()
            .IsCorrupt());
  for (const char* text : {
           "0.a.FORWARD_INDEX.OFFSET = 10\n",
           "0.a.FORWARD_INDEX.OFFSET = -1\n0.a.FORWARD_INDEX.SIZE = 20\n",
           "0.a.FORWARD_INDEX.OFFSET = x\n0.a.FORWARD_INDEX.SIZE = 20\n",
           "0.a.FORWARD_INDEX.OFFSET = 9223372036854775807\n0.a.FORWARD_INDEX.SIZE = 20\n",
           "0.a.FORWARD_INDEX.OFFSET = 1\n0.a.FORWARD_INDEX.OFFSET = 2\n"
           "0.a.FORWARD_INDEX.SIZE = 3\n",
           "x.a.FORWARD_INDEX.OFFSET = 10\n",
           "0.a.DICTIONARY.OFFSET = 10\n",
           "0.a.FORWARD_INDEX.START = 10\n",
           "0.FORWARD_INDEX.SIZE = 10\n",
           "a = 10\n",
           "0. = 10\n",
           ".. = 10\n",
           "99999999.a.FORWARD_INDEX.OFFSET = 10\n",
       }) {
    CAPTURE(text);
    CHECK(ParseStarTreeMap(text, 1000).status().IsCorrupt());
  }
}

TEST_CASE("the metadata of star-trees is read, also where lists stand one element a line") {
  const auto trees = ParseStarTreeMetadata(
      "segment.name = x\nstartree.v2.count = 2\n"
      "startree.v2.0.total.docs = 17\nstartree.v2.0.split.order = a\n"
      "startree.v2.0.split.order = b.c\nstartree.v2.0.function.column.pairs = count__*,sum__m\n"
      "startree.v2.0.max.leaf.records = 10000\nstartree.v2.0.skip.star.node.creation = a\n"
      "startree.v2.1.total.docs = 0\nstartree.v2.1.split.order = d\n");
  REQUIRE(trees.status().message() == "");
  REQUIRE(trees->size() == 2);
  CHECK((*trees)[0].document_count == 17);
  CHECK((*trees)[0].split_order == std::vector<std::string>{"a", "b.c"});
  CHECK((*trees)[0].function_column_pairs == std::vector<std::string>{"count__*", "sum__m"});
  CHECK((*trees)[0].leaf_records_max == 10000);
  CHECK((*trees)[0].skip_star_dimensions == std::vector<std::string>{"a"});
  CHECK((*trees)[1].function_column_pairs.empty());
  CHECK(ParseStarTreeMetadata("segment.name = x\n")->empty());
}

TEST_CASE("metadata of star-trees with a bad count or without a key it needs is refused") {
  for (const char* text : {
           "startree.v2.count = -1\n",
           "startree.v2.count = 2147483647\n",
           "startree.v2.count = 1\n",
           "startree.v2.count = 1\nstartree.v2.0.total.docs = 1\n",
           "startree.v2.count = 1\nstartree.v2.0.total.docs = -1\nstartree.v2.0.split.order = a\n",
           "startree.v2.count = 1\nstartree.v2.0.total.docs = 1\nstartree.v2.0.split.order = a\n"
           "startree.v2.0.max.leaf.records = many\n",
       }) {
    CAPTURE(text);
    CHECK(ParseStarTreeMetadata(text).status().IsCorrupt());
  }
}

}  // namespace
}  // namespace trellis::segment
