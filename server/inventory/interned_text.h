#pragma once

#include <string_view>

namespace trellis::server {

// The one copy of a text that many segments have in common: names of columns and of partition
// functions. Lives as long as the process; equal texts give the same view. Thread-safe. Only for
// texts of which there are few.
std::string_view InternedText(std::string_view text);

}  // namespace trellis::server
