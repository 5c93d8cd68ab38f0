#include <algorithm>
#include <vector>

#include "common/index/star_tree.h"
#include "common/segment/star_tree_files.h"

// Opens arbitrary bytes as a star-tree and descends it everywhere; parses them as its map and
// metadata.

namespace {

// Returns how many nodes lie at and below `id`.
size_t Descend(const trellis::index::StarTree& tree, size_t id, size_t depth) {
  const auto node = tree.node(id);
  TRELLIS_CHECK(depth <= tree.dimensions().size());
  size_t count = 1;
  if (node.is_leaf()) return count;
  for (int32_t child = node.first_child; child <= node.last_child; ++child) {
    TRELLIS_CHECK(tree.ChildOf(id, tree.node(static_cast<size_t>(child)).value) == child);
    count += Descend(tree, static_cast<size_t>(child), depth + 1);
  }
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  if (size < 2) return 0;
  const uint32_t documents = LoadLittleEndian<uint16_t>(data);
  const std::vector<uint8_t> payload(data + 2, data + size);
  const auto tree = index::StarTree::Open(payload, documents);
  if (tree.ok()) TRELLIS_CHECK(Descend(**tree, 0, 0) == (*tree)->node_count());
  const auto buffers = segment::ParseStarTreeMap(AsText(payload), documents);
  if (buffers.ok()) {
    for (const auto& buffer : *buffers)
      TRELLIS_CHECK(buffer.offset + buffer.size_bytes <= documents);
  }
  (void)segment::ParseStarTreeMetadata(AsText(payload));
  return 0;
}
