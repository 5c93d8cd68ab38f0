#pragma once

#include <iosfwd>
#include <string>

#include "common/http/http_client.h"

namespace trellis::cli {

// `trellis query [--broker URL] [--format table|json|csv] [--timeout SECONDS] [SQL]`; `argv[0]` is
// the word before the options. Without SQL it reads standard input: to its end, or with a prompt on
// a terminal. Returns the exit code: 0 done, 1 the query failed, 2 a usage error or a broker that
// cannot be reached.
int RunQueryCommand(int argc, const char* const* argv);

enum class OutputFormat { kTable, kJson, kCsv };

struct QueryTarget {
  http::HttpClient client;
  OutputFormat format = OutputFormat::kTable;
  std::string query_options;  // "k=v;..."
};

// Sends one statement and writes its rows to `out`, everything else to `err`. Exit code as above.
int ExecuteQuery(const QueryTarget& target, const std::string& sql, std::ostream& out,
                 std::ostream& err);

}  // namespace trellis::cli
