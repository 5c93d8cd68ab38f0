#include "server/operators/segment_source.h"

#include <algorithm>
#include <numeric>

#include "common/segment/open_struct.h"
#include "common/vector/batch_size.h"
#include "server/operators/virtual_values.h"

namespace trellis::server {

Status OpenColumn::Read(std::span<const uint32_t> docs, ColumnVector& out) {
  const Status status = column->Read(docs, *scratch, out);
  return status.ok() ? status : status.WithContext("column '" + column->field().name + "'");
}

Status OpenColumn::ReadDictIds(std::span<const uint32_t> docs, std::vector<uint32_t>& ids,
                               std::vector<uint32_t>* offsets) {
  const Status status = column->forward().ReadDictIds(docs, *scratch, ids, offsets);
  return status.ok() ? status : status.WithContext("column '" + column->field().name + "'");
}

void SegmentSource::SetDocuments(std::span<const uint32_t> docs) {
  docs_ = docs;
  for (auto& [name, cached] : cache_) {
    cached.fresh = false;
    // Views of inflated chunks keep them: those of two batches need not be there at once.
    if (cached.vector.physical() == Physical::kBytes)
      cached.vector.Reset(cached.vector.value_type());
  }
}

uint64_t SegmentSource::batch_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [name, cached] : cache_) {
    if (cached.fresh) bytes += ValueBytes(cached.vector);
  }
  return bytes;
}

Status SegmentSource::CheckType(const segment::ColumnMetadata& stored) const {
  const FieldSpec* field = schema_.Find(stored.field.name);
  if (!field || field->value_type() == stored.field.value_type()) return {};
  return Status(
      StatusCode::kFailedPrecondition,
      fmt::format("segment {} stores column '{}' as {}, the table's schema says {}",
                  segment_.name(), stored.field.name, ValueTypeName(stored.field.value_type()),
                  ValueTypeName(field->value_type())),
      PinotCode::kQueryExecution);
}

Result<OpenColumn*> SegmentSource::Open(std::string_view name) {
  const auto found = open_.find(std::string(name));
  if (found != open_.end()) return &found->second;
  OpenColumn open;
  if (const segment::ColumnMetadata* stored = segment_.metadata().Find(name)) {
    // Plans are typed by the schema: a segment written under another one must not be read through
    // it.
    TRELLIS_RETURN_IF_ERROR(CheckType(*stored));
    TRELLIS_ASSIGN_OR_RETURN(open.column, segment_.OpenColumn(name));
    open.scratch = open.column->forward().NewScratch();
  } else if (!schema_.Find(name)) {
    return Status::Query(PinotCode::kUnknownColumn, "segment {} has no column '{}'",
                         segment_.name(), name);
  }
  return &open_.emplace(std::string(name), std::move(open)).first->second;
}

Result<OpenColumn*> SegmentSource::StoredColumn(const plan::Expression& expression) {
  std::string_view name = expression.name;
  if (expression.kind == plan::Expression::Kind::kMapKey) {
    const segment::ColumnMetadata* parent = segment_.metadata().Find(name);
    if (!parent || parent->field.type != DataType::kOpenStruct) return nullptr;
    const auto place = segment::FindStructKey(segment_.metadata(), *parent, expression.key);
    if (!place.dense || place.dense->field.value_type() != expression.type) return nullptr;
    TRELLIS_RETURN_IF_ERROR(CheckType(*parent));
    name = place.dense->field.name;
  } else if (!expression.is_column() || FindVirtualColumn(name)) {
    return nullptr;
  }
  TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, Open(name));
  return open->column ? open : nullptr;
}

Status SegmentSource::Fill(std::string_view name, ColumnVector& out) {
  if (const VirtualColumn* column = FindVirtualColumn(name)) {
    FillVirtualColumn(segment_, *column, docs_, out);
    return Status::Ok();
  }
  TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, Open(name));
  if (open->column) {
    if (open->column->field().type == DataType::kMap) map_reads_->frames_read += docs_.size();
    return open->Read(docs_, out);
  }
  const FieldSpec& field = *schema_.Find(name);
  out = ColumnVector::Constant(
      field.multi_value ? Value::Array(field.type, {field.default_null}) : field.default_null,
      docs_.size());
  return Status::Ok();
}

Result<const ColumnVector*> SegmentSource::Column(std::string_view name) {
  Cached& cached = cache_[std::string(name)];
  if (!cached.fresh) {
    TRELLIS_RETURN_IF_ERROR(Fill(name, cached.vector));
    cached.fresh = true;
  }
  return &cached.vector;
}

Status SegmentSource::FillStructKey(const segment::ColumnMetadata& parent, std::string_view key,
                                    DataType type, ColumnVector& out) {
  TRELLIS_RETURN_IF_ERROR(CheckType(parent));
  const segment::StructKeyPlace place = segment::FindStructKey(segment_.metadata(), parent, key);
  if (place.dense) {
    TRELLIS_RETURN_IF_ERROR(Fill(place.dense->field.name, out));
    size_t row = docs_.size();
    const Status status = segment::ConvertStructKey(key, type, out, &row);
    return AtDocument(status, docs_, row);
  }
  if (place.sparse) {
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* objects, Column(place.sparse->field.name));
    std::vector<const MapKeySet::Key*> others;
    for (const MapKeySet::Key& other : KeysBeside(parent.field.name)) {
      if (segment::FindStructKey(segment_.metadata(), parent, other.key).sparse)
        others.push_back(&other);
    }
    return FillTogether(parent.field.name, others, {key, type, &out},
                        [&](std::span<const column::MapKeyRead> reads) {
                          return ReadObjectKeys(*objects, docs_, reads);
                        });
  }
  // Rows, not a constant: COUNT takes a constant for a literal, which counts where it is null, too.
  const auto missing = ColumnVector::Constant(DefaultNullValue(type, /*is_metric=*/false), 1);
  out.Reset({type, false});
  WithPhysical(out.physical(), [&](auto tag) {
    using T = decltype(tag);
    out.values<T>().assign(docs_.size(), missing.values<T>().front());
  });
  out.KeepAllOf(missing);
  out.SetSize(docs_.size());
  out.mutable_nulls().assign(docs_.size(), 1);
  return Status::Ok();
}

Status SegmentSource::FillMapKey(std::string_view column, std::string_view key, DataType type,
                                 ColumnVector& out) {
  const segment::ColumnMetadata* stored = segment_.metadata().Find(column);
  if (stored && stored->field.type == DataType::kOpenStruct)
    return FillStructKey(*stored, key, type, out);
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* frames, Column(column));
  if (!IsMapLike(frames->type()) || frames->is_multi_value()) {
    return Status::Query(PinotCode::kQueryValidation, "column '{}' is {}, not MAP", column,
                         ValueTypeName(frames->value_type()));
  }
  TRELLIS_RETURN_IF_ERROR(FillFromFrames(*frames, column, {key, type, &out}));
  // A segment older than its OPEN_STRUCT column has none of its keys.
  if (frames->type() == DataType::kOpenStruct)
    out.mutable_nulls().assign(out.mutable_nulls().size(), 1);
  return Status::Ok();
}

std::span<const MapKeySet::Key> SegmentSource::KeysBeside(std::string_view column) const {
  return together_ ? together_->KeysOf(column) : std::span<const MapKeySet::Key>();
}

Status SegmentSource::FillFromFrames(const ColumnVector& frames, std::string_view column,
                                     const column::MapKeyRead& read) {
  std::vector<const MapKeySet::Key*> others;
  if (frames.type() == DataType::kMap) {
    for (const MapKeySet::Key& other : KeysBeside(column)) others.push_back(&other);
  }
  return FillTogether(column, others, read, [&](std::span<const column::MapKeyRead> reads) {
    map_reads_->frames_walked += frames.size();
    return ReadMapKeys(frames, docs_, reads);
  });
}

template <class ReadKeys>
Status SegmentSource::FillTogether(std::string_view column,
                                   std::span<const MapKeySet::Key* const> others,
                                   const column::MapKeyRead& read, ReadKeys&& read_keys) {
  std::vector<column::MapKeyRead> reads = {read};
  std::vector<Cached*> filled;
  for (const MapKeySet::Key* other : others) {
    if (other->key == read.key && other->type == read.type) continue;
    Cached& cached = CachedKey(column, other->key, other->type);
    if (cached.fresh) continue;
    reads.push_back({other->key, other->type, &cached.vector});
    filled.push_back(&cached);
  }
  const Status all = read_keys(std::span<const column::MapKeyRead>(reads));
  if (all.ok()) {
    for (Cached* other : filled) other->fresh = true;
    return all;
  }
  if (filled.empty()) return all;
  // What is wrong with a key's values is the error of those who ask for that key.
  return read_keys(std::span<const column::MapKeyRead>(reads).first(1));
}

SegmentSource::Cached& SegmentSource::CachedKey(std::string_view column, std::string_view key,
                                                DataType type) {
  return cache_[MapKeyId(column, key, type)];
}

Result<const ColumnVector*> SegmentSource::MapKey(std::string_view column, std::string_view key,
                                                  DataType type) {
  Cached& cached = CachedKey(column, key, type);
  if (cached.fresh) return &cached.vector;
  const Status status = FillMapKey(column, key, type, cached.vector);
  if (!status.ok()) return status.WithContext(PlaceOf(column, key));
  cached.fresh = true;
  return &cached.vector;
}

Status SegmentSource::ReadKeyOfRows(std::span<const uint32_t> rows, std::span<const uint32_t> docs,
                                    std::string_view column, const column::MapKeyRead& read) {
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* frames, Column(column));
  ColumnVector some;
  TakeViews(*frames, rows, some);
  map_reads_->frames_walked += rows.size();
  const Status status = ReadMapKeys(some, docs, std::span(&read, 1));
  return status.ok() ? status : status.WithContext(PlaceOf(column, read.key));
}

std::string SegmentSource::PlaceOf(std::string_view column, std::string_view key) const {
  return fmt::format("segment {}, column '{}', key '{}'", segment_.name(), column, key);
}

Status SegmentSource::CollectNulls(const plan::Expression& expression, Roaring& nulls) {
  for (const plan::Expression& argument : expression.arguments)
    TRELLIS_RETURN_IF_ERROR(CollectNulls(argument, nulls));
  const bool is_key = expression.kind == plan::Expression::Kind::kMapKey;
  if (!expression.is_column() && !is_key) return Status::Ok();
  if (const VirtualColumn* column = FindVirtualColumn(expression.name)) {
    if (IsVirtualNull(segment_, *column)) nulls.addRange(0, segment_.document_count());
    return Status::Ok();
  }
  const FieldSpec* field = schema_.Find(expression.name);
  if (is_key && field && field->type == DataType::kOpenStruct)
    return CollectStructNulls(expression, nulls);
  TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, Open(expression.name));
  if (open->column && open->column->null_documents()) nulls |= *open->column->null_documents();
  return Status::Ok();
}

// A dense key has a null vector of its own; a sparse one is looked for in every object, once.
Status SegmentSource::CollectStructNulls(const plan::Expression& key, Roaring& nulls) {
  const segment::ColumnMetadata* parent = segment_.metadata().Find(key.name);
  const segment::StructKeyPlace place =
      parent ? segment::FindStructKey(segment_.metadata(), *parent, key.key)
             : segment::StructKeyPlace();
  if (place.dense) {
    TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, Open(place.dense->field.name));
    if (open->column->null_documents()) nulls |= *open->column->null_documents();
    return Status::Ok();
  }
  if (!place.sparse) {
    nulls.addRange(0, segment_.document_count());
    return Status::Ok();
  }
  constexpr uint32_t kBatchRowsMax = 4096;
  BatchSize size(kBatchRowsMax);
  SegmentSource batches(segment_, schema_);
  std::vector<uint32_t> docs;
  for (uint32_t from = 0; from < segment_.document_count();) {
    docs.resize(std::min(size.rows(), segment_.document_count() - from));
    std::iota(docs.begin(), docs.end(), from);
    batches.SetDocuments(docs);
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* values,
                             batches.MapKey(key.name, key.key, DataType::kString));
    for (size_t row = 0; row < docs.size(); ++row) {
      if (values->is_null(row)) nulls.add(docs[row]);
    }
    from += static_cast<uint32_t>(docs.size());
    size.Took(static_cast<uint32_t>(docs.size()), batches.batch_bytes());
  }
  return Status::Ok();
}

Status SegmentSource::ReadDictIds(OpenColumn& column, std::vector<uint32_t>& ids) {
  return column.ReadDictIds(docs_, ids, nullptr);
}

}  // namespace trellis::server
