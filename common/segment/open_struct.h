#pragma once

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "common/segment/column.h"

namespace trellis::segment {

// An OPEN_STRUCT column (format notes 6.5) has no index of its own. Each of its dense keys is a
// column `parent$key`; what remains is one column `parent$__sparse__` of JSON objects. To a user
// only the parent is a column, and a key is read as `parent['key']`.

inline constexpr std::string_view kSparseKey = "__sparse__";

// The key that a column with a parent holds: what stands behind `parent$`. nullopt where the
// column's name does not begin so.
std::optional<std::string_view> StructKeyOf(const ColumnMetadata& child);

// Where a key of `parent` is to be read; both null: no row has it. A dense key is in no sparse
// object.
struct StructKeyPlace {
  const ColumnMetadata* dense = nullptr;
  const ColumnMetadata* sparse = nullptr;
};
StructKeyPlace FindStructKey(const SegmentMetadata& segment, const ColumnMetadata& parent,
                             std::string_view key);

// Makes `out`, as read from a dense key's column, of type `type`: as it is where the stored values
// are the same, else each value through its JSON text, as a value of a sparse key is read. Errors:
// Query(200) for values that cannot be read as `type`; `failed_row`, where it is given, receives
// the row.
Status ConvertStructKey(std::string_view key, DataType type, ColumnVector& out,
                        size_t* failed_row = nullptr);

// The whole column: each row one MAP frame of the dense keys that are not null there, in name
// order, and of the members of the sparse object. Frames are built into the arena of the vector.
class OpenStructIndex final : public column::ForwardIndexReader {
 public:
  struct DenseKey {
    std::string key;
    ColumnPointer column;
  };
  // `sparse` may be null.
  OpenStructIndex(std::vector<DenseKey> dense, ColumnPointer sparse);

  bool is_dictionary_encoded() const override { return false; }
  bool is_multi_value() const override { return false; }
  std::unique_ptr<column::ReadScratch> NewScratch() const override;
  Status ReadValues(std::span<const uint32_t> docs, column::ReadScratch& scratch,
                    ColumnVector& out) const override;

 private:
  class Scratch;
  Status AddSparse(std::string_view object, Scratch& scratch) const;
  bool IsDense(std::string_view key) const;

  std::vector<DenseKey> dense_;  // in byte order of their keys
  ColumnPointer sparse_;
};

}  // namespace trellis::segment
