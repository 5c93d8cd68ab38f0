#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trellis::eval {

// Java's view of UTF-8 text: positions and lengths are UTF-16 code units. Private to this room.
// Invalid UTF-8 reads as U+FFFD; a lone surrogate left by a cut becomes `?`, as when Java writes it
// out.

int64_t Utf16Length(std::string_view text);
std::u16string ToUtf16(std::string_view text);
void AppendUtf8(std::u16string_view text, std::string& out);

// Appends units [begin, end) of `text`. REQUIRES: 0 <= begin <= end <= Utf16Length(text).
void AppendSlice(std::string_view text, int64_t begin, int64_t end, std::string& out);

// Full Unicode case mapping of the root locale: one letter may become several.
void AppendUpper(std::string_view text, std::string& out);
void AppendLower(std::string_view text, std::string& out);

}  // namespace trellis::eval
