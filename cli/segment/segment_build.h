#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace trellis::cli {

// What `trellis segment build` was asked for, as the flags give it.
struct BuildRequest {
  std::string schema;               // path of a schema.json
  std::string table;                // path of a tableConfig.json; empty: Pinot's defaults
  std::vector<std::string> inputs;  // paths; "-" is standard input
  std::string format;               // "json", "csv"; empty: by each input's ending
  std::string output;               // folder in which the segment shall stand
  std::string name;                 // the segment's
  std::string table_name;           // empty: the table config's, else the schema's
  std::string on_error = "fail";    // "fail", "skip"
  bool overwrite = false;
  bool archive = false;       // NAME.tar.gz instead of a folder
  int64_t threads = 0;        // 0: one a core
  std::string csv_delimiter;  // one byte, or "tab"; empty: a comma, in a .tsv file a tab
  std::string csv_multi_value_delimiter = ";";
};

// Builds the segment and writes one line about it to `out`; warnings, faults and, when `progress`
// is set, a bar that redraws itself go to `errors`. Returns the exit code: 0 done, 1 rows that do
// not fit the schema, 2 anything else that keeps the segment from being there. SIGINT, SIGTERM and
// SIGHUP end it within a batch or, while indexes are written, a column; nothing is left behind.
int BuildSegment(const BuildRequest& request, bool progress, std::ostream& out,
                 std::ostream& errors);

}  // namespace trellis::cli
