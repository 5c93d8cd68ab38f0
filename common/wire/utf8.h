#pragma once

#include <string>
#include <string_view>

namespace trellis::wire {

// True when `text` is well-formed UTF-8 (Unicode 15, table 3-7).
bool IsUtf8(std::string_view text);

// `text` with every byte that is not part of well-formed UTF-8 as U+FFFD, cut to at most
// `size_bytes_max` at a character's start: what a protobuf `string` field may hold. A parser
// refuses a whole message for less.
std::string ToUtf8(std::string_view text, size_t size_bytes_max = std::string_view::npos);

}  // namespace trellis::wire
