#pragma once

#include <string>

#include "cli/query/answer.h"

namespace trellis::cli {

// An aligned table: a head, a rule, a line a row (numbers to the right). Control characters are
// shown as \n, \t, \xNN, so that a cell stays in its line and cannot steer a terminal.
std::string RenderTable(const Answer& answer);

// RFC 4180 with LF line ends: a line of names, a line a row; null is an empty field, the empty text
// "".
std::string RenderCsv(const Answer& answer);

}  // namespace trellis::cli
