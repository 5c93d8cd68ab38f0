#include "server/operators/segment_source.h"

#include <unistd.h>

#include "common/column/map_frame.h"

namespace trellis::server {
namespace {

const std::string& HostName() {
  static const std::string name = [] {
    char buffer[256] = {};
    return gethostname(buffer, sizeof(buffer) - 1) == 0 ? std::string(buffer)
                                                        : std::string("localhost");
  }();
  return name;
}

}  // namespace

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
  for (auto& [name, cached] : cache_) cached.fresh = false;
}

Result<OpenColumn*> SegmentSource::Open(std::string_view name) {
  const auto found = open_.find(std::string(name));
  if (found != open_.end()) return &found->second;
  OpenColumn open;
  const FieldSpec* field = schema_.Find(name);
  if (const segment::ColumnMetadata* stored = segment_.metadata().Find(name)) {
    // Plans are typed by the schema: a segment written under another one must not be read through
    // it.
    if (field && field->value_type() != stored->field.value_type()) {
      return Status(StatusCode::kFailedPrecondition,
                    fmt::format("segment {} stores column '{}' as {}, the table's schema says {}",
                                segment_.name(), name, ValueTypeName(stored->field.value_type()),
                                ValueTypeName(field->value_type())),
                    PinotCode::kQueryExecution);
    }
    TRELLIS_ASSIGN_OR_RETURN(open.column, segment_.OpenColumn(name));
    open.scratch = open.column->forward().NewScratch();
  } else if (!field) {
    return Status::Query(PinotCode::kUnknownColumn, "segment {} has no column '{}'",
                         segment_.name(), name);
  }
  return &open_.emplace(std::string(name), std::move(open)).first->second;
}

Status SegmentSource::Fill(std::string_view name, ColumnVector& out) {
  if (name == "$docId") {
    out.Reset({DataType::kInt, false});
    out.values<int32_t>().assign(docs_.begin(), docs_.end());
    out.SetSize(docs_.size());
    return Status::Ok();
  }
  if (name == "$segmentName" || name == "$hostName") {
    out = ColumnVector::Constant(Value::String(name == "$hostName" ? HostName() : segment_.name()),
                                 docs_.size());
    return Status::Ok();
  }
  TRELLIS_ASSIGN_OR_RETURN(OpenColumn * open, Open(name));
  if (open->column) return open->Read(docs_, out);
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

Result<const ColumnVector*> SegmentSource::MapKey(std::string_view column, std::string_view key,
                                                  DataType type) {
  std::string id(column);
  id += '\0';
  id += key;
  Cached& cached = cache_[id];
  if (cached.fresh) return &cached.vector;
  TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* frames, Column(column));
  if (frames->type() != DataType::kMap || frames->is_multi_value()) {
    return Status::Query(PinotCode::kQueryValidation, "segment {}: column '{}' is {}, not MAP",
                         segment_.name(), column, ValueTypeName(frames->value_type()));
  }
  const Status status = column::ReadMapKey(*frames, key, type, cached.vector);
  if (!status.ok()) return status.WithContext(segment_.name() + ", column " + std::string(column));
  cached.vector.KeepAllOf(*frames);
  cached.fresh = true;
  return &cached.vector;
}

Status SegmentSource::ReadDictIds(OpenColumn& column, std::vector<uint32_t>& ids) {
  return column.ReadDictIds(docs_, ids, nullptr);
}

}  // namespace trellis::server
