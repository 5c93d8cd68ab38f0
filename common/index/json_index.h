#pragma once

#include <memory>
#include <string_view>

#include "common/column/dictionary.h"
#include "common/index/inverted_index.h"

namespace trellis::index {

// Paths and path/value pairs of JSON documents (format notes 7.5). A document is flattened into the
// cross product of its arrays; postings name flattened documents, and a table maps them to
// documents. Immutable, safe for many threads; a view into the segment's mapping.
class JsonIndex {
 public:
  // Reads header, dictionary header and the ends of the tables. Errors: Corrupt; Unimplemented for
  // a version that is not known.
  static Result<std::unique_ptr<JsonIndex>> Open(ByteView payload, uint32_t document_count);

  int version() const { return version_; }
  size_t key_count() const { return keys_->size(); }
  size_t flattened_count() const { return mapping_.size() / 4; }

  // Documents that have `value` at `path`, both as the index writes them: `.a.b`, `.tags.` for an
  // element of an array. Errors: Corrupt.
  Result<Roaring> Documents(std::string_view path, std::string_view value) const;
  // Documents that have `path` at all. Errors: Corrupt.
  Result<Roaring> Documents(std::string_view path) const;

  // Walks all of it: keys ascend (UTF-16), postings are well formed, the mapping does not descend
  // and names documents of the segment. Errors: Corrupt.
  Status Check() const;

 private:
  JsonIndex() = default;
  Result<Roaring> OfKey(std::string key) const;
  int version_ = 0;
  uint32_t longest_key_bytes_ = 0;
  uint32_t document_count_ = 0;
  std::unique_ptr<column::Dictionary> keys_;  // none for an index of no keys
  std::unique_ptr<InvertedIndex> postings_;
  ByteView mapping_;  // i32 LE a flattened document
};

}  // namespace trellis::index
