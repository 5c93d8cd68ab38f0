#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace trellis::cli {

// Whether `text` is a whole input for the broker: it ends with ';' and something other than SET
// statements is in it. A ';' inside quotes or a comment at the end of a line may be taken for the
// end.
bool IsCompleteStatement(std::string_view text);

// Reads statements from the terminal with editing and history (libedit; kept in `history_path`
// unless it is empty) and calls `run` for each, until the end of the input, `quit`, `exit` or `\q`.
void RunPrompt(const std::string& history_path, const std::function<void(const std::string&)>& run);

}  // namespace trellis::cli
