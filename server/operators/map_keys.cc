#include "server/operators/map_keys.h"

#include <algorithm>

namespace trellis::server {

std::string MapKeyId(std::string_view column, std::string_view key, DataType type) {
  std::string id(column);
  id += '\0';
  id += static_cast<char>(type);
  id += key;
  return id;
}

void MapKeySet::Add(std::string_view column, std::string_view key, DataType type) {
  auto at = columns_.find(column);
  if (at == columns_.end()) at = columns_.emplace(std::string(column), std::vector<Key>()).first;
  Key added = {std::string(key), type};
  std::vector<Key>& keys = at->second;
  if (std::find(keys.begin(), keys.end(), added) == keys.end()) keys.push_back(std::move(added));
}

void MapKeySet::Add(const plan::Expression& expression) {
  if (expression.kind == plan::Expression::Kind::kMapKey)
    Add(expression.name, expression.key, expression.type.type);
  for (const plan::Expression& argument : expression.arguments) Add(argument);
}

void MapKeySet::Add(const plan::Filter& filter) {
  using Kind = plan::Predicate::Kind;
  for (const plan::Filter& child : filter.children) Add(child);
  if (filter.kind != plan::Filter::Kind::kPredicate) return;
  const Kind kind = filter.predicate.kind;
  if (kind != Kind::kIsNull && kind != Kind::kIsNotNull) Add(filter.predicate.subject);
}

std::span<const MapKeySet::Key> MapKeySet::KeysOf(std::string_view column) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::span<const Key>() : std::span(found->second);
}

std::vector<std::string_view> MapKeySet::columns() const {
  std::vector<std::string_view> names;
  for (const auto& [name, keys] : columns_) names.push_back(name);
  return names;
}

Status AtDocument(const Status& status, std::span<const uint32_t> docs, size_t row) {
  if (status.ok() || row >= docs.size()) return status;
  return status.WithContext(fmt::format("docId {}", docs[row]));
}

Status ReadMapKeys(const ColumnVector& frames, std::span<const uint32_t> docs,
                   std::span<const column::MapKeyRead> reads) {
  TRELLIS_CHECK(docs.size() == frames.size());
  size_t row = docs.size();
  const Status status = column::ReadMapKeys(frames, reads, &row);
  return AtDocument(status, docs, row);
}

Status ReadObjectKeys(const ColumnVector& objects, std::span<const uint32_t> docs,
                      std::span<const column::MapKeyRead> reads) {
  TRELLIS_CHECK(docs.size() == objects.size());
  size_t row = docs.size();
  const Status status = column::ReadObjectKeys(objects, reads, &row);
  return AtDocument(status, docs, row);
}

void TakeViews(const ColumnVector& from, std::span<const uint32_t> rows, ColumnVector& out) {
  TRELLIS_CHECK(!from.is_multi_value() && &from != &out);
  out.Reset(from.value_type());
  out.KeepAllOf(from);
  WithPhysical(from.physical(), [&](auto tag) {
    using T = decltype(tag);
    const RowReader<T> values(from);
    auto& to = out.values<T>();
    to.resize(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) to[i] = values[rows[i]];
  });
  out.SetSize(rows.size());
  if (!from.has_nulls()) return;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (from.is_null(rows[i])) out.SetNull(i);
  }
}

}  // namespace trellis::server
