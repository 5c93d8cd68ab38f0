#include "common/ingest/row_reader.h"

#include "common/ingest/csv_row_reader.h"
#include "common/ingest/json_row_reader.h"

namespace trellis::ingest {

Result<std::unique_ptr<RowReader>> RowReader::Open(const std::filesystem::path& path,
                                                   const Schema& schema,
                                                   const RowReaderOptions& options) {
  TRELLIS_ASSIGN_OR_RETURN(auto window, InputWindow::Open(path));
  std::string name = path == "-" ? "standard input" : path.string();
  if (options.format == RowFormat::kCsv)
    return CsvRowReader::Create(std::move(name), std::move(window), schema, options);
  return std::unique_ptr<RowReader>(
      std::make_unique<JsonRowReader>(std::move(name), std::move(window), schema, options));
}

}  // namespace trellis::ingest
