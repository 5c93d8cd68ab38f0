#pragma once

#include "common/ingest/reader_core.h"

namespace trellis::ingest {

// Rows of CSV as RFC 4180 has it, after a header line: fields in quotes may hold delimiters, line
// breaks and doubled quotes; blanks around a field are not part of it unless quoted; an empty field
// is no value, in quotes or not; blank lines are stepped over.
class CsvRowReader final : public ReaderCore {
 public:
  // Reads the header. Errors: InvalidArgument for a name given twice, none at all, or options that
  // contradict each other; those of the window.
  static Result<std::unique_ptr<RowReader>> Create(std::string name,
                                                   std::unique_ptr<InputWindow> window,
                                                   const Schema& schema,
                                                   const RowReaderOptions& options);

 private:
  // A field of the record, in the window's bytes.
  struct Field {
    std::string_view text;
    bool doubled_quotes = false;
  };
  enum class Scan : uint8_t { kRecord, kMore, kBroken };

  CsvRowReader(std::string name, std::unique_ptr<InputWindow> window, const Schema& schema,
               const RowReaderOptions& options)
      : ReaderCore(std::move(name), std::move(window), schema, options) {}

  Status ReadHeader();
  Result<RowOutcome> ReadRow() override;
  // The next record into fields_. Outcomes as those of a row.
  Result<RowOutcome> TakeRecord();
  // Splits the record that `text` begins with; `whole`: there is nothing behind `text`.
  Scan ScanRecord(std::string_view text, bool whole);
  // Scans a field in quotes from `at`; false when `text` ends first.
  bool ScanQuoted(std::string_view text, bool whole, size_t& at, Field& field);
  std::string_view Plain(const Field& field);
  bool ReadCell(std::string_view text, int cell);

  std::vector<int> cell_of_field_;
  std::vector<Field> fields_;
  std::string plain_;
  size_t record_bytes_ = 0;  // what is to be consumed before the next record
  uint64_t record_lines_ = 0;
  uint64_t lines_ = 0;
  bool open_quote_ = false;  // at the end of the input
};

}  // namespace trellis::ingest
