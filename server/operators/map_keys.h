#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/column/map_frame.h"
#include "common/plan/expression.h"
#include "common/plan/filter.h"
#include "common/vector/column_vector.h"

namespace trellis::server {

// The keys that expressions read of MAP and OPEN_STRUCT columns. Those of expressions that are
// evaluated over the same documents are worth finding together, in one walk of each frame.
class MapKeySet {
 public:
  struct Key {
    std::string key;
    DataType type;
    bool operator==(const Key&) const = default;
  };

  void Add(const plan::Expression& expression);
  // Of every predicate but IS [NOT] NULL, which looks at no key.
  void Add(const plan::Filter& filter);
  // Adds `key` alone; `type` is the one it is read as.
  void Add(std::string_view column, std::string_view key, DataType type);

  // In the order they were added; empty for a column none of whose keys is read. Valid until the
  // next change.
  std::span<const Key> KeysOf(std::string_view column) const;
  std::vector<std::string_view> columns() const;
  void Clear() { columns_.clear(); }

 private:
  std::map<std::string, std::vector<Key>, std::less<>> columns_;
};

// Tells a key of a column, read as a type, from every other one, and from a column of its own:
// names hold no NUL.
std::string MapKeyId(std::string_view column, std::string_view key, DataType type);

// An error of row `row` of the documents `docs`, with the document's name. As it is where there is
// no such row.
Status AtDocument(const Status& status, std::span<const uint32_t> docs, size_t row);

// column::ReadMapKeys over the rows `docs` of a MAP column; its errors name the document.
Status ReadMapKeys(const ColumnVector& frames, std::span<const uint32_t> docs,
                   std::span<const column::MapKeyRead> reads);
// Likewise, column::ReadObjectKeys over those of the sparse objects of an OPEN_STRUCT column.
Status ReadObjectKeys(const ColumnVector& objects, std::span<const uint32_t> docs,
                      std::span<const column::MapKeyRead> reads);

// Sets `out` to the rows of `from` whose numbers are in `rows`: strings as views of the same bytes,
// which `out` keeps alive as `from` does.
void TakeViews(const ColumnVector& from, std::span<const uint32_t> rows, ColumnVector& out);

}  // namespace trellis::server
