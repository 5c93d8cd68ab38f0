#include "common/verify/star_tree_check.h"

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

// A tree over `i` with one leaf of two documents and a count of each.
struct Tree {
  std::string nodes = Le(uint64_t{0xBADDA55B00DAD00D}) + Le(1) + Le(33) + Le(1) + Le(0) + Le(1) +
                      "i" + Le(1) + Node(-1, -1, -1, -1, 0, -1, -1);
  std::string ids = "\x40";  // 0 1
  std::string counts =
      Ints({4, 1, 2, 8, 2, 0, 28}) + Be(int64_t{36}) + Be(int64_t{1}) + Be(int64_t{2});
  static std::string Node(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f,
                          int32_t g) {
    std::string bytes;
    for (const int32_t field : {a, b, c, d, e, f, g}) bytes += Le(field);
    return bytes;
  }
};

std::vector<Fault> Check(const Tree& tree, bool write_map = true) {
  segment::TinySegment tiny;
  tiny.Metadata(
      "startree.v2.count = 1\nstartree.v2.0.total.docs = 2\nstartree.v2.0.split.order = i\n"
      "startree.v2.0.function.column.pairs = count__*\nstartree.v2.0.max.leaf.records = 10\n");
  OpenedTiny opened{tiny};
  std::string file, map;
  const auto add = [&](const std::string& name, const std::string& bytes) {
    map += fmt::format("0.{0}.OFFSET = {1}\n0.{0}.SIZE = {2}\n", name, file.size(), bytes.size());
    file += bytes;
  };
  add("null.STAR_TREE", tree.nodes);
  add("i.FORWARD_INDEX", tree.ids);
  add("count__*.FORWARD_INDEX", tree.counts);
  segment::WriteFile(opened.folder() / "v3" / "star_tree_index", file);
  if (write_map) segment::WriteFile(opened.folder() / "v3" / "star_tree_index_map", map);
  CheckStarTrees(opened.view(), opened.folder());
  return opened.faults.Take();
}

TEST_CASE("nodes, dimensions and metrics of a star-tree are checked where they lie") {
  for (const Fault& fault : Check({})) FAIL_CHECK(FaultText(fault));
  Tree tree;
  tree.ids = "\x41";
  auto faults = Check(tree);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].column == "i");
  CHECK(faults[0].index == "star_tree");
  CHECK(faults[0].offset == tree.nodes.size());
  tree = {};
  tree.counts[3] = 0;
  faults = Check(tree);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].column == "count__*");
  CHECK(faults[0].offset == tree.nodes.size() + 1);
  tree = {};
  tree.nodes[0] = 0;
  faults = Check(tree);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].expected == "a tree of nodes");
  faults = Check({}, false);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].expected == "the files of 1 star-trees");
}

}  // namespace
}  // namespace trellis::verify
