#include "broker/sql/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "broker/sql/parser.h"

namespace trellis::sql {
namespace {

using WordSet = std::unordered_set<std::string_view>;

// True if `set`, whose words are in upper case and at most 16 long, has `word`.
bool Has(const WordSet& set, std::string_view word) {
  std::array<char, 16> upper;
  if (word.size() > upper.size()) return false;
  std::transform(word.begin(), word.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return set.contains(std::string_view(upper.data(), word.size()));
}

}  // namespace

bool IsReserved(std::string_view word) {
  static const WordSet kWords{
      "ANY", "CALL", "CASE", "CREATE", "CROSS", "CURRENT", "CURSOR", "DATE", "DEFAULT", "DEFINE",
      "DELETE", "DESCRIBE", "DISTINCT", "DROP", "EXCEPT", "EXPLAIN", "FETCH", "FROM", "FULL",
      "GRANT", "GROUP", "GROUPING", "HAVING", "IN", "INNER", "INSERT", "INTERSECT", "INTERVAL",
      "INTO", "JOIN", "LATERAL", "LEFT", "LIMIT", "MATCH_RECOGNIZE", "MERGE", "MINUS", "NATURAL",
      "NEW", "NEXT", "NULL", "OFFSET", "ON", "ORDER", "OUTER", "OVER", "PARTITION", "PATTERN",
      "RANGE", "RIGHT", "ROLLUP", "ROW", "ROWS", "SELECT", "SET", "SETS", "SOME", "STREAM", "TABLE",
      "TABLESAMPLE", "THEN", "TIME", "TIMESTAMP", "UNION", "UNNEST", "UPDATE", "USING", "VALUES",
      "WHEN", "WHERE", "WINDOW", "WITH",
      // Formally free in Pinot's grammar, but never a name where an expression may begin.
      "AND", "AS", "BETWEEN", "BY", "FALSE", "IS", "NOT", "OR", "TRUE"};
  return Has(kWords, word);
}

bool IsReservedFunction(std::string_view word) {
  static const WordSet kWords{"DATE", "GROUPING", "LEFT", "RIGHT", "TIME", "TIMESTAMP"};
  return Has(kWords, word);
}

bool EndsSelectItem(std::string_view word) {
  static const WordSet kWords{"ASC",  "DESC", "ELSE",    "END",     "ESCAPE", "ILIKE",
                              "LIKE", "FOR",  "QUALIFY", "SIMILAR", "RLIKE",  "NULLS"};
  return IsReserved(word) || Has(kWords, word);
}

bool IsTimeUnit(std::string_view word) {
  static const WordSet kWords{"YEAR",       "QUARTER", "MONTH",   "WEEK",        "DAY",
                              "HOUR",       "MINUTE",  "SECOND",  "MILLISECOND", "MICROSECOND",
                              "NANOSECOND", "DOW",     "DOY",     "ISODOW",      "ISOYEAR",
                              "EPOCH",      "DECADE",  "CENTURY", "MILLENNIUM"};
  return Has(kWords, word);
}

std::string CanonicalFunctionName(std::string_view written) {
  // Pinot looks names up without '_', but prints its predicates with theirs.
  static const std::unordered_map<std::string_view, std::string_view> kSpelled{
      {"notequals", "not_equals"},
      {"greaterthan", "greater_than"},
      {"greaterthanorequal", "greater_than_or_equal"},
      {"lessthan", "less_than"},
      {"lessthanorequal", "less_than_or_equal"},
      {"notin", "not_in"},
      {"isnull", "is_null"},
      {"isnotnull", "is_not_null"},
      {"istrue", "is_true"},
      {"isnottrue", "is_not_true"},
      {"isfalse", "is_false"},
      {"isnotfalse", "is_not_false"},
      {"isdistinctfrom", "is_distinct_from"},
      {"isnotdistinctfrom", "is_not_distinct_from"},
      {"regexplike", "regexp_like"},
      {"textmatch", "text_match"},
      {"jsonmatch", "json_match"},
      {"vectorsimilarity", "vector_similarity"},
      {"vectorsimilarityradius", "vector_similarity_radius"},
      {"semanticmatch", "semantic_match"},
  };
  std::string name;
  name.reserve(written.size());
  for (const char c : written) {
    if (c != '_') name.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  const auto it = kSpelled.find(name);
  return it == kSpelled.end() ? name : std::string(it->second);
}

}  // namespace trellis::sql
