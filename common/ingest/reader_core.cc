#include "common/ingest/reader_core.h"

#include <algorithm>

namespace trellis::ingest {
namespace {

// A batch ends when it took in this much: rows may be as long as the line limit.
constexpr uint64_t kBatchBytesMax = uint64_t{16} << 20;
constexpr size_t kUnknownColumnsMax = 100;
constexpr size_t kShownBytesMax = 64;

}  // namespace

std::string ShownValue(std::string_view text) {
  if (text.size() <= kShownBytesMax) return std::string(text);
  size_t size = kShownBytesMax;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

ReaderCore::ReaderCore(std::string name, std::unique_ptr<InputWindow> window, const Schema& schema,
                       const RowReaderOptions& options)
    : name_(std::move(name)), window_(std::move(window)), schema_(schema), options_(options) {
  cells_.reserve(schema_.fields().size());
  for (const FieldSpec& field : schema_.fields()) {
    cells_by_name_.emplace(field.name, static_cast<int>(cells_.size()));
    cells_.emplace_back(field);
  }
}

int ReaderCore::FindCell(std::string_view name) const {
  const auto found = cells_by_name_.find(name);
  return found == cells_by_name_.end() ? -1 : found->second;
}

void ReaderCore::NoteUnknown(std::string_view name) {
  if (unknown_.size() >= kUnknownColumnsMax) return;
  const std::string shown = ShownValue(name);
  if (std::find(unknown_.begin(), unknown_.end(), shown) == unknown_.end())
    unknown_.push_back(shown);
}

void ReaderCore::SetFault(std::string_view column, std::string_view value, std::string_view what) {
  fault_ = {line_, std::string(column), ShownValue(value), std::string(what)};
}

Status ReaderCore::FaultStatus() const {
  const std::string place = name_ + ":" + std::to_string(fault_.line);
  if (fault_.column.empty()) return Status::InvalidArgument("{}: {}", place, fault_.what);
  return Status::InvalidArgument("{}: column '{}': '{}' {}", place, fault_.column, fault_.value,
                                 fault_.what);
}

void ReaderCore::StartBatch(std::vector<ColumnVector>& columns) {
  columns.resize(cells_.size());
  for (size_t i = 0; i < cells_.size(); ++i)
    cells_[i].StartBatch(&columns[i], options_.batch_rows_max);
}

Result<bool> ReaderCore::Next(std::vector<ColumnVector>& columns) {
  StartBatch(columns);
  size_t rows = 0;
  uint64_t start = consumed_bytes_;
  while (rows < options_.batch_rows_max) {
    if (consumed_bytes_ - start >= kBatchBytesMax) {
      if (rows > 0) break;
      // Faulty rows alone have left their bytes behind.
      StartBatch(columns);
      start = consumed_bytes_;
    }
    TRELLIS_ASSIGN_OR_RETURN(const RowOutcome outcome, ReadRow());
    if (outcome == RowOutcome::kEnd) break;
    if (outcome == RowOutcome::kNothing) continue;
    if (outcome == RowOutcome::kRow) {
      for (CellWriter& cell : cells_) cell.FinishRow();
      ++rows;
      continue;
    }
    if (!options_.skip_faults) return FaultStatus();
    for (CellWriter& cell : cells_) cell.StartRow();
    ++rows_skipped_;
    if (faults_.size() < options_.faults_kept_max) faults_.push_back(fault_);
  }
  for (CellWriter& cell : cells_) cell.FinishBatch();
  rows_read_ += rows;
  return rows > 0;
}

}  // namespace trellis::ingest
