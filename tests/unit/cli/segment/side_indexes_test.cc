#include "cli/segment/side_indexes.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/index/index_bytes.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::cli {
namespace {

constexpr const char* kMetadata =
    "startree.v2.count = 1\nstartree.v2.0.total.docs = 3\nstartree.v2.0.split.order = a,b\n"
    "startree.v2.0.function.column.pairs = count__*,sum__m\n";

TEST_CASE("star-trees and folders of Lucene's are found beside the index files") {
  const segment::ScratchFolder folder;
  const std::string tree = index::StarTreeBytes(
      {"a", "b"}, {{-1, -1, -1, -1, 2, 1, 2}, {0, -1, 0, 1, 1, -1, -1}, {0, 4, 1, 2, 0, -1, -1}});
  segment::WriteFile(folder.path() / "v3" / "star_tree_index", tree);
  segment::WriteFile(
      folder.path() / "v3" / "star_tree_index_map",
      fmt::format("0.null.STAR_TREE.OFFSET = 0\n0.null.STAR_TREE.SIZE = {}\n", tree.size()));
  segment::WriteFile(folder.path() / "v3" / "my.text.lucene.v912.index" / "_0.cfs", "12345");
  segment::WriteFile(folder.path() / "v3" / "my.text.lucene.v912.index" / "segments_1", "123");
  segment::WriteFile(folder.path() / "v3" / "emb.vector.v912.hnsw.index" / "_0.cfs", "1");
  segment::WriteFile(folder.path() / "v3" / "other" / "x", "1");
  const auto found = FindSideIndexes(folder.path(), kMetadata);
  REQUIRE(found.size() == 3);
  CHECK(found[0].index == "star_tree");
  CHECK(found[0].size_bytes == tree.size());
  CHECK(found[0].description.detail ==
        "tree 0: 3 nodes, 3 documents, split by a,b, functions count__*,sum__m");
  CHECK(found[1].column == "emb");
  CHECK(found[1].index == "vector_index");
  CHECK(found[2].column == "my.text");
  CHECK(found[2].index == "text_index");
  CHECK(found[2].size_bytes == 8);
  CHECK(found[2].description.kind == "Lucene text index");
  CHECK(found[2].description.detail == "folder my.text.lucene.v912.index of 2 files, 8 bytes");
}

TEST_CASE("star-trees that cannot be read are listed with the reason") {
  const segment::ScratchFolder folder;
  segment::WriteFile(folder.path() / "star_tree_index", "short");
  segment::WriteFile(folder.path() / "star_tree_index_map",
                     "0.null.STAR_TREE.OFFSET = 0\n0.null.STAR_TREE.SIZE = 5\n");
  const auto found = FindSideIndexes(folder.path(), kMetadata);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].description.detail, Catch::StartsWith("not readable: "));
  CHECK(FindSideIndexes(folder.path() / "nowhere", kMetadata).empty());
}

}  // namespace
}  // namespace trellis::cli
