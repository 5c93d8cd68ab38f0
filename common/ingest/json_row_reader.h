#pragma once

#include <simdjson.h>

#include "common/ingest/reader_core.h"

namespace trellis::ingest {

// Rows of JSON lines: an object a line, in any order of members. The last of equal names counts;
// what a member of an unknown name holds must be JSON all the same.
class JsonRowReader final : public ReaderCore {
 public:
  JsonRowReader(std::string name, std::unique_ptr<InputWindow> window, const Schema& schema,
                const RowReaderOptions& options)
      : ReaderCore(std::move(name), std::move(window), schema, options),
        row_of_cell_(cells_.size(), 0) {}

 private:
  using Value = simdjson::ondemand::value;
  // What the members of the previous row were, in their order: rows tend to be alike.
  struct Expected {
    std::string name;  // empty when it cannot be compared as it is written
    int cell = -1;
  };

  Result<RowOutcome> ReadRow() override;
  // The next line into `line`, without its end. Nothing: a line over the limit, which is a fault.
  Result<RowOutcome> TakeLine(std::string_view& line);
  bool ReadObject(std::string_view line);
  // The cell of the `place`th member, whose name is written at `raw`; false when it is no text.
  bool FindMember(const char* raw, const char* line_end, size_t place, int& cell);
  bool ReadValue(Value value, int cell);
  bool ReadScalar(std::string_view token, int cell);
  bool ReadList(Value value, int cell);
  bool ReadNested(std::string_view json, int cell);
  bool SkipValue(Value value);
  bool Fault(int cell, std::string_view value, std::string_view what);

  simdjson::ondemand::parser parser_;
  std::vector<Expected> expected_;
  std::vector<uint64_t> row_of_cell_;  // the row that last gave a cell a value
  uint64_t row_ = 0;
  size_t line_bytes_ = 0;  // what is to be consumed before the next line
  uint64_t lines_ = 0;
  std::string text_;
  std::string key_;
};

}  // namespace trellis::ingest
