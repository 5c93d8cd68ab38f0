#include "common/raw_writer/raw_writer.h"

#include "common/raw_writer/container_writers.h"

namespace trellis::raw_writer {

ContainerWriter::ContainerWriter(const RawLayout& layout, ValueType type,
                                 const RawWriterOptions& options, output::OutputFile& file)
    : layout_(layout), type_(type), output_(layout, file), pipeline_(layout, options, output_) {}

Status ContainerWriter::CheckRoom(size_t rows) const {
  if (rows <= layout_.document_count - documents_) return {};
  return Status::InvalidArgument("{} documents after {}, the index was planned for {}", rows,
                                 documents_, layout_.document_count);
}

Status ContainerWriter::Append(const ColumnVector& values) {
  TRELLIS_RETURN_IF_ERROR(error_);
  if (values.physical() != PhysicalOf(type_.type) || values.is_multi_value() != type_.multi_value) {
    return error_ =
               Status::InvalidArgument("values of type {} for an index of {}",
                                       ValueTypeName(values.value_type()), ValueTypeName(type_));
  }
  error_ = CheckRoom(values.size());
  if (error_.ok()) error_ = AddValues(values);
  if (error_.ok()) documents_ += static_cast<uint32_t>(values.size());
  return error_;
}

Status ContainerWriter::AppendRow(ByteView row) {
  TRELLIS_RETURN_IF_ERROR(error_);
  error_ = CheckRoom(1);
  if (error_.ok()) error_ = AddRow(row);
  if (error_.ok()) ++documents_;
  return error_;
}

Status ContainerWriter::Finish() {
  TRELLIS_RETURN_IF_ERROR(error_);
  if (documents_ != layout_.document_count) {
    return error_ = Status::InvalidArgument("{} documents, the index was planned for {}",
                                            documents_, layout_.document_count);
  }
  error_ = CloseChunk();
  if (error_.ok()) error_ = pipeline_.Drain();
  if (error_.ok()) error_ = output_.Finish();
  return error_;
}

Result<std::unique_ptr<RawForwardIndexWriter>> NewRawForwardIndexWriter(
    const RawLayout& layout, ValueType type, const RawWriterOptions& options,
    output::OutputFile& file) {
  if (file.size_bytes() != 0) {
    return Status::InvalidArgument("{} is not empty: {} bytes", file.path(), file.size_bytes());
  }
  const bool one_fixed_value = !type.multi_value && PhysicalOf(type.type) != Physical::kBytes;
  if (one_fixed_value != (layout.container == Container::kFixed)) {
    return Status::InvalidArgument("a column of {} has another container", ValueTypeName(type));
  }
  if (layout.container == Container::kSizedRows ? layout.chunk_size_bytes < 8
                                                : layout.docs_per_chunk == 0) {
    return Status::InvalidArgument("the layout has chunks of {} documents, {} bytes",
                                   layout.docs_per_chunk, layout.chunk_size_bytes);
  }
  return one_fixed_value ? NewFixedWriter(layout, type, options, file)
                         : NewRowsWriter(layout, type, options, file);
}

}  // namespace trellis::raw_writer
