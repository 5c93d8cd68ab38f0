#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trellis {

// Returns the candidate closest to `name` by edit distance, letters' case ignored, or "" when none
// is close enough to be a likely misspelling (more than a third of the letters differ).
std::string NearestName(std::string_view name, std::span<const std::string> candidates);

// Returns " (did you mean 'x'?)" or "".
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);

// ASCII-only lower-casing, as identifiers are matched.
std::string ToLowerAscii(std::string_view text);
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace trellis
