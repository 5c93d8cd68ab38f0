#pragma once

#include <fmt/format.h>

#include <string_view>

namespace trellis::segment {

// Appends `text` as a JSON string with its quotes. Bytes that are no UTF-8 become U+FFFD, one for
// each maximal piece of a broken sequence, as Java decodes them.
void AppendJsonString(std::string_view text, fmt::memory_buffer& out);

// Appends JSON text so that it stays on one line and is UTF-8: line breaks become blanks (they can
// only be white space in JSON), broken sequences become U+FFFD.
void AppendJsonOnOneLine(std::string_view json, fmt::memory_buffer& out);

// Append a number in its shortest form that reads back the same, with a '.' or an exponent; NaN and
// infinities as the strings "NaN", "Infinity", "-Infinity".
void AppendJsonNumber(float value, fmt::memory_buffer& out);
void AppendJsonNumber(double value, fmt::memory_buffer& out);

}  // namespace trellis::segment
