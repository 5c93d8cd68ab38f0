#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trellis {

// `text` as one line for people: control characters of ASCII as \xNN. Of a longer text its first
// `bytes_max` bytes and "...".
std::string PrintableText(std::string_view text, size_t bytes_max = std::string_view::npos);

}  // namespace trellis
