#pragma once

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

#include "common/types/data_type.h"

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

// The same for a flat value of any type of fixed width: BOOLEAN as true or false, TIMESTAMP as its
// number.
template <class T>
void AppendJsonFixed(DataType type, T value, fmt::memory_buffer& out) {
  if constexpr (std::is_floating_point_v<T>) {
    AppendJsonNumber(value, out);
  } else if (type == DataType::kBoolean) {
    const std::string_view text = value != 0 ? "true" : "false";
    out.append(text.data(), text.data() + text.size());
  } else {
    const fmt::format_int digits(value);
    out.append(digits.data(), digits.data() + digits.size());
  }
}

}  // namespace trellis::segment
