#pragma once

#include <string_view>

namespace trellis::sql {

// Words that must be quoted to be names (pinot-sql.md 1.2). Any case.
bool IsReserved(std::string_view word);

// Reserved words that are function names when a bracket follows: LEFT(s, 2).
bool IsReservedFunction(std::string_view word);

// Words that go on with an expression or a clause, so that they are no alias without AS: `a AND b`.
bool EndsSelectItem(std::string_view word);

// The unit words of INTERVAL, EXTRACT, TIMESTAMPADD and their kind.
bool IsTimeUnit(std::string_view word);

}  // namespace trellis::sql
