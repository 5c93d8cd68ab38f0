#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/ingest/row_reader.h"
#include "common/table_config/schema_json.h"

namespace trellis::ingest {

// A file of that content, gone with the object.
class TextFile {
 public:
  explicit TextFile(std::string_view content) {
    char name[] = "/tmp/trellis_rows_XXXXXX";
    ::close(::mkstemp(name));
    path_ = name;
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  ~TextFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Schema SchemaOf(std::string_view specs) {
  const auto schema = table_config::ParseSchema(R"({"schemaName":"t","dimensionFieldSpecs":[)" +
                                                std::string(specs) + "]}");
  REQUIRE(schema.ok());
  return *schema;
}

// Every row as its cells' texts in schema order, or one line "! message".
struct ReadRows {
  std::vector<std::string> rows;
  std::vector<RowFault> faults;
  std::vector<std::string> unknown;
  uint64_t skipped = 0;
};
inline ReadRows ReadAll(std::string_view content, const Schema& schema,
                        const RowReaderOptions& options) {
  const TextFile file(content);
  ReadRows read;
  const auto fail = [&](const Status& status) {
    std::string message = status.message();
    const std::string path = file.path().string();
    for (size_t at; (at = message.find(path)) != message.npos;)
      message.replace(at, path.size(), "F");
    read.rows.push_back("! " + message);
    return read;
  };
  auto reader = RowReader::Open(file.path(), schema, options);
  if (!reader.ok()) return fail(reader.status());
  std::vector<ColumnVector> columns;
  while (true) {
    const auto more = (*reader)->Next(columns);
    if (!more.ok()) return fail(more.status());
    if (!*more) break;
    for (size_t row = 0; row < columns[0].size(); ++row) {
      std::string line;
      for (const ColumnVector& column : columns) {
        const Value value = column.Get(row);
        line += (line.empty() ? "" : "|") + (value.is_null() ? "null" : ValueToText(value));
      }
      read.rows.push_back(line);
    }
  }
  CHECK((*reader)->rows_read() == read.rows.size());
  read.faults = (*reader)->faults();
  read.unknown = (*reader)->unknown_columns();
  read.skipped = (*reader)->rows_skipped();
  return read;
}

}  // namespace trellis::ingest
