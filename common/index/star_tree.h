#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"

namespace trellis::index {

// The nodes of one star-tree (format notes 7.7). Immutable, safe for many threads; a view into the
// mapping. All of it is checked when it is opened: 28 bytes a node, so open it where it is used.
class StarTree {
 public:
  static constexpr int32_t kNone = -1;
  struct Node {
    int32_t dimension;       // the split dimension its value belongs to; kNone for the root
    int32_t value;           // dictId of that dimension, or kNone: all of them
    int32_t first_document;  // of the tree's own documents; a leaf's are
    int32_t end_document;    // [first_document, end_document)
    int32_t aggregate;       // the tree's document that sums this node up; kNone if there is none
    int32_t first_child;     // kNone for a leaf
    int32_t last_child;      // inclusive
    bool is_leaf() const { return first_child == kNone; }
  };

  // `document_count` = the tree's own documents (metadata `total.docs`). Errors: Corrupt: a node
  // reached twice or never, children before their parent or out of order, documents past the end.
  static Result<std::unique_ptr<StarTree>> Open(ByteView payload, uint32_t document_count);

  const std::vector<std::string>& dimensions() const { return dimensions_; }
  size_t node_count() const { return nodes_.size() / kNodeSizeBytes; }
  // REQUIRES: id < node_count(). Node 0 is the root.
  Node node(size_t id) const;
  // The child of `parent` with this value (kNone: the star child); kNone if there is none.
  int32_t ChildOf(size_t parent, int32_t value) const;

 private:
  static constexpr size_t kNodeSizeBytes = 28;
  StarTree() = default;
  Status CheckNodes(uint32_t document_count) const;
  Status CheckNode(size_t id, uint32_t document_count, size_t& next_child) const;
  std::vector<std::string> dimensions_;
  ByteView nodes_;
};

}  // namespace trellis::index
