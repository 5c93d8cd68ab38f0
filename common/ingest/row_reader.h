#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/status.h"
#include "common/types/schema.h"
#include "common/vector/column_vector.h"

namespace trellis::ingest {

enum class RowFormat : uint8_t { kJsonLines, kCsv };

// A row that does not fit the schema.
struct RowFault {
  uint64_t line = 0;  // 1-based, of the row's first line
  std::string column;
  std::string value;  // cut to 64 bytes
  std::string what;   // "is no INT"
};

struct RowReaderOptions {
  RowFormat format = RowFormat::kJsonLines;
  bool skip_faults = false;  // leave such rows out and count them, instead of an error
  size_t faults_kept_max = 20;
  size_t line_bytes_max = 64 << 20;  // a longer line is a fault
  size_t batch_rows_max = 4096;
  char csv_delimiter = ',';
  char csv_multi_value_delimiter = ';';
};

// Reads rows out of a file and gives them typed, as Pinot's own ingestion types them (missing or
// null: the field's default under a null; texts cut at the field's greatest length, 512 characters
// unless the schema says otherwise, and at their first NUL; MAP rows as frames with sorted keys).
// Stricter than Pinot where that would change a value in silence: a number that its INT or LONG
// cannot hold, and a BOOLEAN that is none, are faults. Memory: one batch, which ends after 16 MiB
// of input, and a few times the longest line. Not thread-safe.
class RowReader {
 public:
  // `path` "-" is standard input; a file may be packed by gzip. Errors: NotFound, Unavailable;
  // InvalidArgument for a CSV header that is none or names a column twice.
  static Result<std::unique_ptr<RowReader>> Open(const std::filesystem::path& path,
                                                 const Schema& schema,
                                                 const RowReaderOptions& options);
  virtual ~RowReader() = default;
  // Reads the next batch, a vector a field in schema order; false at the end. Errors:
  // InvalidArgument naming file, line, column and value for the first row that does not fit.
  virtual Result<bool> Next(std::vector<ColumnVector>& columns) = 0;
  // Of the file as it lies on disk; the size is 0 where it is not known.
  virtual uint64_t bytes_read() const = 0;
  virtual uint64_t size_bytes() const = 0;
  virtual uint64_t rows_read() const = 0;
  virtual uint64_t rows_skipped() const = 0;
  virtual const std::vector<RowFault>& faults() const = 0;
  // Names in the input that the schema does not have, once each, at most a hundred.
  virtual std::vector<std::string> unknown_columns() const = 0;
};

}  // namespace trellis::ingest
