#pragma once

#include <string>
#include <string_view>

#include "broker/sql/ast.h"
#include "common/base/status.h"

namespace trellis::sql {

// Longer texts are refused before they are read.
inline constexpr size_t kTextSizeBytesMax = size_t{64} << 20;
// Brackets, CASEs and prefix operators inside each other.
inline constexpr int kNestingMax = 200;
// Levels of an expression tree: `a + b + c` has three. Bounds the recursion of whoever walks the
// tree.
inline constexpr int kTreeHeightMax = 1000;

// Parses one query of Pinot's single-stage dialect with its SET statements and OPTION(...). Needs
// no catalog: tables, columns, functions and types stay unchecked. Linear in the size of `text`.
//
// Errors carry PinotCode::kSqlParsing and say what is wrong, what was expected, `line L, column C`,
// and show the line with a caret under the place. Constructs that only the multi-stage engine has
// (joins, sub-queries, WITH, UNION, window functions, table aliases) are named in the message.
Result<Statement> Parse(std::string_view text);

// A function's name as Pinot looks it up: lower case without '_', but for the names ast.h lists,
// e.g. "JSON_EXTRACT_SCALAR" -> "jsonextractscalar", "regexpLike" -> "regexp_like".
std::string CanonicalFunctionName(std::string_view written);

}  // namespace trellis::sql
