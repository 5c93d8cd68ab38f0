#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::cli {

// One value of a row as a person reads it: numbers in the digits of the answer, text without
// quotes, arrays and objects as compact JSON.
struct Cell {
  std::string text;
  bool is_null = false;
};

// What of a broker's JSON answer is shown.
struct Answer {
  bool has_table = false;
  std::vector<std::string> names;
  std::vector<std::string> types;  // "LONG"
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> faults;  // "error 150: ..."
  int64_t time_used_ms = 0;
  bool partial = false;
};

// Reads the body of a /query/sql answer. Errors: InvalidArgument when it is not such an answer.
Result<Answer> ParseAnswer(std::string_view body);

}  // namespace trellis::cli
