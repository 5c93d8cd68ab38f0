#include "common/index/star_tree.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/index/index_bytes.h"

namespace trellis::index {
namespace {

// A root over dimension 0 with a star child, a leaf of value 3 and a node of value 5, which has two
// leaves over dimension 1.
std::vector<StarNode> Nodes() {
  return {{-1, -1, -1, -1, 9, 1, 3}, {0, -1, 6, 8, 8, -1, -1}, {0, 3, 0, 2, 7, -1, -1},
          {0, 5, 2, 6, 6, 4, 5},     {1, 0, 2, 4, 5, -1, -1},  {1, 4, 4, 6, 4, -1, -1}};
}

TEST_CASE("the nodes of a star-tree are found from the root down") {
  const std::string bytes = StarTreeBytes({"country", "day.hour"}, Nodes());
  const auto tree = StarTree::Open(AsBytes(bytes), 10);
  REQUIRE(tree.status().message() == "");
  CHECK((*tree)->dimensions() == std::vector<std::string>{"country", "day.hour"});
  CHECK((*tree)->node_count() == 6);
  CHECK((*tree)->node(0).aggregate == 9);
  CHECK((*tree)->ChildOf(0, StarTree::kNone) == 1);
  CHECK((*tree)->ChildOf(0, 3) == 2);
  CHECK((*tree)->ChildOf(0, 5) == 3);
  CHECK((*tree)->ChildOf(0, 4) == StarTree::kNone);
  CHECK((*tree)->ChildOf(0, 6) == StarTree::kNone);
  CHECK((*tree)->ChildOf(2, 3) == StarTree::kNone);
  CHECK((*tree)->ChildOf(3, 4) == 5);
  CHECK((*tree)->node(5).is_leaf());
  CHECK((*tree)->node(5).first_document == 4);
  CHECK((*tree)->node(5).end_document == 6);
}

TEST_CASE("a tree whose nodes do not fit together is refused") {
  const auto open = [](const std::vector<StarNode>& nodes, uint32_t documents = 10) {
    return StarTree::Open(AsBytes(StarTreeBytes({"a", "b"}, nodes)), documents).status();
  };
  REQUIRE(open(Nodes()).ok());
  CHECK(open(Nodes(), 9).IsCorrupt());  // aggregated document 9
  struct Damage {
    size_t node, field;
    int32_t value;
  };
  for (const Damage& damage :
       {Damage{0, 5, 0}, {0, 5, 2},  {0, 5, -2}, {0, 6, 6},         {0, 6, 0},
        {0, 6, 2},  // children
        {3, 5, 3},       {3, 5, 1},  {3, 6, 4},  {3, 6, INT32_MAX}, {5, 6, 3},
        {1, 5, 4},       {0, 4, -2}, {5, 4, 10},                                 // aggregates
        {1, 2, -1},      {1, 3, 11}, {1, 3, 5},  {1, 2, INT32_MIN},              // documents
        {1, 0, 1},       {4, 0, 2},  {4, 0, 0},  {4, 0, -1},        {3, 0, -1},  // dimensions
        {1, 1, -2},      {2, 1, 5},  {2, 1, 6},  {5, 1, 0}}) {                   // values
    auto nodes = Nodes();
    nodes[damage.node][damage.field] = damage.value;
    CAPTURE(damage.node, damage.field, damage.value);
    CHECK(open(nodes).IsCorrupt());
  }
  auto more = Nodes();
  more.push_back({1, 9, 0, 1, 0, -1, -1});  // reached from nowhere
  CHECK(open(more).IsCorrupt());
  CHECK(open({}).IsCorrupt());
}

TEST_CASE("a star-tree with a damaged head or cut short anywhere is refused") {
  const std::string bytes = StarTreeBytes({"a", "b"}, Nodes());
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(StarTree::Open(AsBytes(bytes).first(size), 10).status().IsCorrupt());
  }
  const auto damaged = [&](size_t at, int32_t value) {
    std::string other = bytes;
    other.replace(at, 4, LittleEndianBytes(value));
    return StarTree::Open(AsBytes(other), 10).status();
  };
  CHECK(damaged(0, 1).IsCorrupt());
  CHECK(damaged(8, 2).code() == StatusCode::kUnimplemented);
  CHECK(damaged(12, 20).IsCorrupt());
  for (const int32_t count : {0, -1, 1, 3, INT32_MAX}) CHECK(damaged(16, count).IsCorrupt());
  CHECK(damaged(20, 1).IsCorrupt());  // both are dimension 1
  CHECK(damaged(20, 2).IsCorrupt());
  CHECK(damaged(24, -1).IsCorrupt());
}

TEST_CASE("children that change after opening are not looked for outside the tree") {
  std::string bytes = StarTreeBytes({"country", "day.hour"}, Nodes());
  const auto tree = StarTree::Open(AsBytes(bytes), 10).value();
  const size_t root = bytes.size() - 6 * 28;
  bytes.replace(root + 24, 4, "\xff\xff\xff\x7f");  // the last child
  CHECK(tree->ChildOf(0, 3) == StarTree::kNone);
  bytes.replace(root + 20, 4, "\xf0\xff\xff\xff");  // the first
  CHECK(tree->ChildOf(0, 3) == StarTree::kNone);
}

}  // namespace
}  // namespace trellis::index
