#include "common/segment/row_dump.h"

#include <memory>
#include <set>

#include "common/column/map_frame.h"
#include "common/segment/json_cell.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/vector/batch_size.h"

namespace trellis::segment {
namespace {

constexpr uint32_t kBatchRowsMax = 4096;

// One column of the dump: where it is read from and the batch read last.
struct DumpColumn {
  ColumnPointer column;
  std::unique_ptr<column::ReadScratch> scratch;
  fmt::memory_buffer label;  // `"name":`
  ColumnVector values;
};

void Append(std::string_view text, fmt::memory_buffer& out) {
  out.append(text.data(), text.data() + text.size());
}

Status AppendBytesValue(DataType type, std::string_view bytes, fmt::memory_buffer& out) {
  switch (type) {
    case DataType::kBytes:
    case DataType::kUuid:
      out.push_back('"');
      Append(HexText(bytes), out);
      out.push_back('"');
      return {};
    case DataType::kBigDecimal: {
      TRELLIS_ASSIGN_OR_RETURN(const BigDecimal decimal, BigDecimal::FromBytes(bytes));
      out.push_back('"');
      Append(decimal.ToPlainText(), out);
      out.push_back('"');
      return {};
    }
    case DataType::kMap:
    case DataType::kOpenStruct: {
      TRELLIS_ASSIGN_OR_RETURN(const std::string json, column::MapFrameToJson(bytes));
      AppendJsonOnOneLine(json, out);
      return {};
    }
    default:
      AppendJsonString(bytes, out);
      return {};
  }
}

Status AppendCell(const ColumnVector& vector, size_t row, fmt::memory_buffer& out) {
  if (!vector.is_null(row)) return AppendJsonCell(vector, row, AppendBytesValue, out);
  Append("null", out);
  return {};
}

Result<std::vector<DumpColumn>> OpenColumns(const Segment& segment,
                                            std::span<const std::string> names) {
  std::vector<std::string> all;
  if (names.empty()) {
    all = DeriveSchema("", segment.metadata()).names();
    names = all;
  }
  std::vector<DumpColumn> columns;
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second)
      return Status::InvalidArgument("column '{}' is asked for twice", name);
    DumpColumn& column = columns.emplace_back();
    TRELLIS_ASSIGN_OR_RETURN(column.column, segment.OpenColumn(name));
    column.scratch = column.column->forward().NewScratch();
    AppendJsonString(name, column.label);
    column.label.push_back(':');
  }
  return columns;
}

// Reads all of `docs`, or as many of the first ones as no limit on a batch refuses.
Status ReadBatch(const Segment& segment, std::vector<uint32_t>& docs, BatchSize& size,
                 std::vector<DumpColumn>& columns) {
  uint64_t bytes = 0;
  for (DumpColumn& column : columns) {
    const Status status = column.column->Read(docs, *column.scratch, column.values);
    const auto rows = static_cast<uint32_t>(docs.size());
    if (status.code() == StatusCode::kResourceExhausted && size.Halve(rows)) {
      docs.resize(size.rows());
      return ReadBatch(segment, docs, size, columns);
    }
    if (!status.ok()) {
      TRELLIS_RETURN_IF_ERROR(segment.CheckIntact());  // which says why
      return status.WithContext(fmt::format("segment '{}', column '{}', rows {} to {}",
                                            segment.name(), column.column->field().name,
                                            docs.front(), docs.back()));
    }
    bytes += ValueBytes(column.values);
  }
  size.Took(static_cast<uint32_t>(docs.size()), bytes);
  return segment.CheckIntact();
}

}  // namespace

Status DumpRows(const Segment& segment, std::span<const std::string> columns,
                const std::function<bool(std::string_view)>& sink) {
  TRELLIS_ASSIGN_OR_RETURN(std::vector<DumpColumn> open, OpenColumns(segment, columns));
  BatchSize size(kBatchRowsMax);
  std::vector<uint32_t> docs;
  fmt::memory_buffer line;
  const uint32_t count = segment.document_count();
  for (uint32_t first = 0; first < count; first += static_cast<uint32_t>(docs.size())) {
    docs.resize(std::min(size.rows(), count - first));
    for (uint32_t i = 0; i < docs.size(); ++i) docs[i] = first + i;
    TRELLIS_RETURN_IF_ERROR(ReadBatch(segment, docs, size, open));
    for (size_t row = 0; row < docs.size(); ++row) {
      line.clear();
      for (const DumpColumn& column : open) {
        line.push_back(line.size() == 0 ? '{' : ',');
        line.append(column.label);
        const Status status = AppendCell(column.values, row, line);
        if (!status.ok()) {
          return status.WithContext(fmt::format("segment '{}', column '{}', row {}", segment.name(),
                                                column.column->field().name, docs[row]));
        }
      }
      if (open.empty()) line.push_back('{');
      line.push_back('}');
      if (!sink({line.data(), line.size()})) return {};
    }
  }
  return {};
}

}  // namespace trellis::segment
