// Any bytes as JSON lines and as CSV: rows of the schema's shape or faults, never a fault of ours.
// What JSON the rows hold must be read again as it was written.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/ingest/jackson_text.h"
#include "common/ingest/row_reader.h"
#include "common/table_config/schema_json.h"

namespace {

using trellis::ColumnVector;
using trellis::ingest::RowReader;

const trellis::Schema& AllTypes() {
  static const trellis::Schema schema =
      trellis::table_config::ParseSchema(R"({"schemaName": "t", "dimensionFieldSpecs": [
    {"name": "i", "dataType": "INT"}, {"name": "l", "dataType": "LONG"},
    {"name": "f", "dataType": "FLOAT"}, {"name": "d", "dataType": "DOUBLE"},
    {"name": "b", "dataType": "BIG_DECIMAL"}, {"name": "o", "dataType": "BOOLEAN"},
    {"name": "t", "dataType": "TIMESTAMP"}, {"name": "s", "dataType": "STRING", "maxLength": 5},
    {"name": "j", "dataType": "JSON"}, {"name": "y", "dataType": "BYTES"},
    {"name": "u", "dataType": "UUID"}, {"name": "m", "dataType": "MAP"},
    {"name": "I", "dataType": "INT", "singleValueField": false},
    {"name": "S", "dataType": "STRING", "singleValueField": false}]})")
          .value();
  return schema;
}

void Check(const std::vector<ColumnVector>& columns) {
  using trellis::ingest::JsonVerdict;
  for (size_t c = 0; c < columns.size(); ++c) {
    const ColumnVector& column = columns[c];
    if (column.size() != columns[0].size()) std::abort();
    const bool multi = column.is_multi_value();
    if (multi && column.offsets().size() != column.size() + 1) std::abort();
    if (column.flat_size() != (multi ? column.offsets().back() : column.size())) std::abort();
    for (size_t row = 0; row < column.size(); ++row) (void)ValueToText(column.Get(row));
    if (column.type() != trellis::DataType::kJson) continue;
    for (const std::string_view json : column.values<std::string_view>()) {
      std::string once;
      std::string twice;
      const auto& form = trellis::ingest::kJsonOfText;
      if (json.empty() || AppendJson(json, form, true, once) != JsonVerdict::kOk) continue;
      if (AppendJson(once, form, true, twice) != JsonVerdict::kOk || once != twice) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = [] {
    char name[] = "/tmp/row_reader_fuzz_XXXXXX";
    ::close(::mkstemp(name));
    return std::string(name);
  }();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  std::fwrite(data, 1, size, file);
  std::fclose(file);
  for (const bool csv : {false, true}) {
    trellis::ingest::RowReaderOptions options;
    options.format =
        csv ? trellis::ingest::RowFormat::kCsv : trellis::ingest::RowFormat::kJsonLines;
    options.skip_faults = true;
    options.line_bytes_max = 4096;
    options.batch_rows_max = 3;
    auto reader = RowReader::Open(path, AllTypes(), options);
    if (!reader.ok()) continue;
    std::vector<ColumnVector> columns;
    while (true) {
      const auto more = (*reader)->Next(columns);
      if (!more.ok() || !*more) break;
      Check(columns);
    }
  }
  return 0;
}
