#pragma once

#include <string>
#include <string_view>

namespace trellis::broker {

// Appends `text` as a quoted JSON string, escaped as Pinot's broker (Jackson) escapes: short forms
// for \b \t \n \f \r \" \\, \u00XX for other controls, a surrogate pair \uD83D\uDE80 for code
// points above U+FFFF, other characters as they are. A byte that is part of no valid UTF-8 becomes
// U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace trellis::broker
