#include "common/index/star_tree.h"

// Little-endian: u64 magic, i32 version, i32 offset of the nodes, i32 d dimensions, d x (i32 index,
// i32 bytes, name), i32 nodes; then 28 bytes a node, breadth-first: i32 dimension, value, first and
// end document, aggregated document, first and last child.

namespace trellis::index {
namespace {

constexpr uint64_t kMagic = 0xBADDA55B00DAD00D;
constexpr int32_t kVersion = 1;

}  // namespace

Result<std::unique_ptr<StarTree>> StarTree::Open(ByteView payload, uint32_t document_count) {
  ByteReader reader(payload);
  TRELLIS_ASSIGN_OR_RETURN(const auto magic, reader.ReadLittleEndian<uint64_t>());
  TRELLIS_ASSIGN_OR_RETURN(const auto version, reader.ReadLittleEndian<int32_t>());
  if (magic != kMagic) return Status::Corrupt("star-tree that begins with {:#018x}", magic);
  if (version != kVersion) return Status::Unimplemented("star-tree of version {}", version);
  TRELLIS_ASSIGN_OR_RETURN(const auto nodes_offset, reader.ReadLittleEndian<int32_t>());
  TRELLIS_ASSIGN_OR_RETURN(const auto dimension_count, reader.ReadLittleEndian<int32_t>());
  constexpr size_t kDimensionSizeBytesMin = 8;
  if (dimension_count <= 0 ||
      static_cast<size_t>(dimension_count) > reader.remaining() / kDimensionSizeBytesMin) {
    return Status::Corrupt("star-tree of {} dimensions in {} bytes", dimension_count,
                           payload.size());
  }
  std::unique_ptr<StarTree> tree(new StarTree());
  const auto dimensions = static_cast<size_t>(dimension_count);
  tree->dimensions_.resize(dimensions);
  std::vector<bool> named(dimensions);
  for (size_t i = 0; i < dimensions; ++i) {
    TRELLIS_ASSIGN_OR_RETURN(const auto index, reader.ReadLittleEndian<uint32_t>());
    TRELLIS_ASSIGN_OR_RETURN(const auto size, reader.ReadLittleEndian<uint32_t>());
    TRELLIS_ASSIGN_OR_RETURN(const ByteView name, reader.ReadBytes(size));
    if (index >= dimensions || named[index]) {
      return Status::Corrupt("star-tree names its dimension {} of {} at offset {}, {}", index,
                             dimensions, reader.position() - size,
                             index < dimensions ? "twice" : "which is not there");
    }
    named[index] = true;
    tree->dimensions_[index] = AsText(name);
  }
  TRELLIS_ASSIGN_OR_RETURN(const auto node_count, reader.ReadLittleEndian<int32_t>());
  if (nodes_offset < 0 || static_cast<size_t>(nodes_offset) != reader.position() ||
      node_count <= 0 || reader.remaining() % kNodeSizeBytes != 0 ||
      static_cast<size_t>(node_count) != reader.remaining() / kNodeSizeBytes) {
    return Status::Corrupt("star-tree of {} nodes at offset {}: {} bytes are left at offset {}",
                           node_count, nodes_offset, reader.remaining(), reader.position());
  }
  tree->nodes_ = payload.subspan(reader.position());
  TRELLIS_RETURN_IF_ERROR(tree->CheckNodes(document_count));
  return tree;
}

StarTree::Node StarTree::node(size_t id) const {
  const uint8_t* at = nodes_.data() + id * kNodeSizeBytes;
  const auto field = [&](size_t i) { return LoadLittleEndian<int32_t>(at + i * 4); };
  return {field(0), field(1), field(2), field(3), field(4), field(5), field(6)};
}

// Breadth-first order puts the children of one node after those of the node before, so that each
// child range begins where the last one ended: every node is reached once, and no cycle is
// possible.
Status StarTree::CheckNodes(uint32_t document_count) const {
  size_t next_child = 1;
  for (size_t id = 0; id < node_count(); ++id) {
    const Status status = CheckNode(id, document_count, next_child);
    if (!status.ok()) return status.WithContext(fmt::format("star-tree node {}", id));
  }
  if (next_child == node_count()) return {};
  return Status::Corrupt("star-tree of {} nodes reaches {}", node_count(), next_child);
}

Status StarTree::CheckNode(size_t id, uint32_t document_count, size_t& next_child) const {
  const Node at = node(id);
  const auto documents = int64_t{document_count};
  if (id > 0 || at.first_document != kNone || at.end_document != kNone) {
    if (at.first_document < 0 || at.end_document < at.first_document ||
        at.end_document > documents) {
      return Status::Corrupt("documents [{}, {}) of {}", at.first_document, at.end_document,
                             document_count);
    }
  }
  if (at.aggregate < kNone || at.aggregate >= documents)
    return Status::Corrupt("aggregated document {} of {}", at.aggregate, document_count);
  if (at.dimension < kNone || at.dimension >= static_cast<int64_t>(dimensions_.size()) ||
      (id > 0 && at.dimension == kNone) || at.value < kNone) {
    return Status::Corrupt("value {} of dimension {} of {}", at.value, at.dimension,
                           dimensions_.size());
  }
  if (at.is_leaf()) {
    if (at.last_child == kNone) return {};
    return Status::Corrupt("no first child, {} as the last", at.last_child);
  }
  if (at.first_child < 0 || static_cast<size_t>(at.first_child) != next_child || next_child <= id ||
      at.last_child < at.first_child || static_cast<size_t>(at.last_child) >= node_count()) {
    return Status::Corrupt("children [{}, {}], expected to start at {} of {} nodes", at.first_child,
                           at.last_child, next_child, node_count());
  }
  next_child = static_cast<size_t>(at.last_child) + 1;
  // Children hold values of the dimension below their parent's, the star first.
  for (auto child = static_cast<size_t>(at.first_child); child < next_child; ++child) {
    const Node below = node(child);
    if (below.dimension != at.dimension + 1)
      return Status::Corrupt("child {} has dimension {}", child, below.dimension);
    if (child > static_cast<size_t>(at.first_child) && below.value <= node(child - 1).value)
      return Status::Corrupt("child {} has value {} after {}", child, below.value,
                             node(child - 1).value);
  }
  return {};
}

int32_t StarTree::ChildOf(size_t parent, int32_t value) const {
  const Node at = node(parent);
  if (at.is_leaf()) return kNone;
  int32_t low = at.first_child, high = at.last_child;
  // Checked when it was opened, but the file may have been written over since.
  if (low < 0 || high < low || static_cast<size_t>(high) >= node_count()) return kNone;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (node(static_cast<size_t>(middle)).value < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return node(static_cast<size_t>(low)).value == value ? low : kNone;
}

}  // namespace trellis::index
