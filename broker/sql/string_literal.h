#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trellis::sql {

// The value of a string literal from its prefix (none, N, E, X, U& or _charset; any case) and the
// text between its quotes, by pinot-sql.md 1.1: two quotes are one, two that are left one again.
// X'4f' gives the text of its bits, as Pinot does. nullopt: a bad escape or hex digit.
std::optional<std::string> DecodeString(std::string_view prefix, std::string_view raw);

// `text` with every `quote` `quote` made one.
std::string UndoubleQuotes(std::string_view text, char quote);

}  // namespace trellis::sql
