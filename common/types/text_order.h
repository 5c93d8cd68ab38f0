#pragma once

#include <string_view>

namespace trellis {

// Compares UTF-8 strings as Java's String.compareTo does: by UTF-16 code units (format notes 3.6).
// It differs from byte order only where a supplementary character meets U+E000..U+FFFF. Invalid
// UTF-8 compares as bytes. Returns <0, 0 or >0.
int CompareUtf16(std::string_view a, std::string_view b);

}  // namespace trellis
