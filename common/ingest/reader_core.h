#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/string_hash.h"
#include "common/ingest/cell_writer.h"
#include "common/ingest/input_window.h"
#include "common/ingest/row_reader.h"

namespace trellis::ingest {

// What the readers of all formats share: the window, the cells, the batch, faults and counts.
class ReaderCore : public RowReader {
 public:
  Result<bool> Next(std::vector<ColumnVector>& columns) final;
  uint64_t bytes_read() const final { return window_->bytes_read(); }
  uint64_t size_bytes() const final { return window_->size_bytes(); }
  uint64_t rows_read() const final { return rows_read_; }
  uint64_t rows_skipped() const final { return rows_skipped_; }
  const std::vector<RowFault>& faults() const final { return faults_; }
  std::vector<std::string> unknown_columns() const final { return unknown_; }

 protected:
  enum class RowOutcome : uint8_t { kRow, kNothing, kFault, kEnd };

  ReaderCore(std::string name, std::unique_ptr<InputWindow> window, const Schema& schema,
             const RowReaderOptions& options);

  // Reads one row into the cells; a fault has been told to SetFault.
  virtual Result<RowOutcome> ReadRow() = 0;

  // The cell of a column, or -1; the schema's names are matched letter by letter.
  int FindCell(std::string_view name) const;
  void NoteUnknown(std::string_view name);
  void SetFault(std::string_view column, std::string_view value, std::string_view what);
  // The fault of a value that cell `cell` did not take.
  void SetFault(int cell, std::string_view value, std::string_view what) {
    SetFault(cells_[static_cast<size_t>(cell)].field().name, value, what);
  }

  const std::string name_;  // of the file, for messages
  std::unique_ptr<InputWindow> window_;
  const Schema schema_;
  const RowReaderOptions options_;
  std::vector<CellWriter> cells_;
  uint64_t line_ = 0;            // of the row that is read
  uint64_t consumed_bytes_ = 0;  // of the input, unpacked: ends a batch of wide rows early

 private:
  void StartBatch(std::vector<ColumnVector>& columns);
  Status FaultStatus() const;

  absl::flat_hash_map<std::string, int, StringHash, StringEqual> cells_by_name_;
  RowFault fault_;
  uint64_t rows_read_ = 0;
  uint64_t rows_skipped_ = 0;
  std::vector<RowFault> faults_;
  std::vector<std::string> unknown_;
};

// At most 64 bytes of `text`, without half a character, for a fault.
std::string ShownValue(std::string_view text);

}  // namespace trellis::ingest
