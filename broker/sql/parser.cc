#include "broker/sql/parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "broker/sql/expression_parser.h"
#include "broker/sql/token_stream.h"
#include "broker/sql/words.h"
#include "common/base/nearest_name.h"

namespace trellis::sql {
namespace {

constexpr size_t kOptionsMax = 1000;

using Options = std::vector<std::pair<std::string, std::string>>;

std::string_view TrimBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Options::iterator FindOption(Options* options, std::string_view key) {
  return std::find_if(options->begin(), options->end(),
                      [&](const auto& option) { return EqualsIgnoreCase(option.first, key); });
}

// Statements and clauses; expressions are ExpressionParser's.
class StatementParser {
 public:
  explicit StatementParser(std::string_view text) : in_(text), expressions_(&in_) {}
  Result<Statement> Parse();

 private:
  Status ParseStatements(Statement* statement);
  Status ParseSet(Options* options);
  Status ParseOptionClause();
  Status ParseQuery(Select* select);
  Status ParseSelectList(Select* select);
  Status ParseAlias(SelectItem* item);
  Status ParseFrom(Select* select);
  Status ParseGroupBy(Select* select);
  Status ParseOrderBy(Select* select);
  Status ParseLimits(Select* select);
  Status ParseRowCount(std::optional<int64_t>* count);
  Status TakeRowWord();
  Status CheckClauseEnd();
  bool AtJoin();
  bool AtEndOfStatement() { return in_.AtEnd() || in_.At(";"); }

  TokenStream in_;
  ExpressionParser expressions_;
  Options legacy_options_;  // of OPTION(...)
};

Result<Statement> StatementParser::Parse() {
  Statement statement;
  const Status status = ParseStatements(&statement);
  if (!in_.lexer_status().ok()) return in_.lexer_status();
  TRELLIS_RETURN_IF_ERROR(status);
  for (auto& option : legacy_options_) {
    if (FindOption(&statement.options, option.first) == statement.options.end()) {
      statement.options.push_back(std::move(option));
    }
  }
  return statement;
}

Status StatementParser::ParseStatements(Statement* statement) {
  bool has_query = false;
  while (!in_.AtEnd()) {
    if (in_.Take(";")) continue;
    if (in_.AtWord("SET")) {
      TRELLIS_RETURN_IF_ERROR(ParseSet(&statement->options));
    } else if (has_query) {
      return in_.Refuse("only one query at a time is supported: nothing but SET may follow");
    } else {
      TRELLIS_RETURN_IF_ERROR(ParseQuery(&statement->select));
      has_query = true;
    }
    if (!AtEndOfStatement()) return in_.Fail("';' or the end of the query");
  }
  if (!has_query) return in_.Refuse("there is no query here: expected SELECT");
  return Status::Ok();
}

// SET key = literal. A later SET of a key replaces the earlier one.
Status StatementParser::ParseSet(Options* options) {
  in_.Advance();
  if (in_.current().kind != TokenKind::kWord &&
      in_.current().kind != TokenKind::kQuotedIdentifier) {
    return in_.Fail("an option's name");
  }
  TRELLIS_ASSIGN_OR_RETURN(Expr key, expressions_.ParseName());
  TRELLIS_RETURN_IF_ERROR(in_.Expect("="));
  const Position position = in_.current().position;
  TRELLIS_ASSIGN_OR_RETURN(Expr value, expressions_.Parse());
  if (!value.is_literal()) {
    return in_.RefuseAt(position, "expected a literal (a number, true, false or a 'string')");
  }
  const auto it = FindOption(options, key.name);
  if (it == options->end()) {
    if (options->size() >= kOptionsMax) return in_.RefuseAt(position, "too many options");
    options->emplace_back(std::move(key.name), ValueToText(value.literal));
  } else {
    it->second = ValueToText(value.literal);
  }
  return Status::Ok();
}

// OPTION(k=v, k=v), whose text is not SQL: values are bare. Pinot takes it only at the text's end.
Status StatementParser::ParseOptionClause() {
  in_.Advance();  // OPTION
  const Position position = in_.current().position;
  if (!in_.At("(")) return in_.Fail("'('");
  const auto raw = in_.TakeRawUntil(')');
  if (!raw) return in_.RefuseAt(position, "this OPTION( is not closed by ')'");
  for (size_t begin = 0; begin <= raw->size();) {
    const size_t end = std::min(raw->find(',', begin), raw->size());
    const std::string_view pair = raw->substr(begin, end - begin);
    const size_t equals = pair.find('=');
    const std::string_view key = TrimBlanks(pair.substr(0, equals));
    if (equals == std::string_view::npos || key.empty() ||
        pair.find('=', equals + 1) != std::string_view::npos) {
      return in_.RefuseAt(position, "expected OPTION(key=value, ...)");
    }
    if (FindOption(&legacy_options_, key) == legacy_options_.end()) {
      if (legacy_options_.size() >= kOptionsMax) return in_.RefuseAt(position, "too many options");
      legacy_options_.emplace_back(key, TrimBlanks(pair.substr(equals + 1)));
    }
    begin = end + 1;
  }
  return Status::Ok();
}

Status StatementParser::ParseQuery(Select* select) {
  if (in_.TakeWord("EXPLAIN")) {
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("PLAN"));
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("FOR"));
    select->explain = true;
  }
  if (in_.AtWord("WITH")) {
    return in_.Refuse("WITH is only supported by the multi-stage engine");
  }
  if (!in_.AtWord("SELECT")) {
    static const std::array<std::string, 3> kStarts{"SELECT", "EXPLAIN", "SET"};
    const bool is_word = in_.current().kind == TokenKind::kWord;
    return in_.Refuse(
        fmt::format("only SELECT queries are supported: expected SELECT{}",
                    is_word ? DidYouMean(in_.current().text.substr(0, 40), kStarts) : ""));
  }
  const Position position = in_.Advance().position;
  TRELLIS_RETURN_IF_ERROR(ParseSelectList(select));
  if (in_.AtWord("FROM")) {
    TRELLIS_RETURN_IF_ERROR(ParseFrom(select));
    if (in_.TakeWord("WHERE")) {
      TRELLIS_ASSIGN_OR_RETURN(select->where, expressions_.Parse());
    }
    TRELLIS_RETURN_IF_ERROR(ParseGroupBy(select));
    if (in_.TakeWord("HAVING")) {
      TRELLIS_ASSIGN_OR_RETURN(select->having, expressions_.Parse());
    }
  }
  TRELLIS_RETURN_IF_ERROR(ParseOrderBy(select));
  TRELLIS_RETURN_IF_ERROR(ParseLimits(select));
  if (select->distinct && select->limit == 0) {
    return in_.RefuseAt(position, "SELECT DISTINCT with LIMIT 0 is not supported");
  }
  return CheckClauseEnd();
}

Status StatementParser::ParseSelectList(Select* select) {
  const Position position = in_.current().position;
  if (in_.TakeWord("DISTINCT")) {
    select->distinct = true;
    if (in_.AtWord("ON")) return in_.Refuse("DISTINCT ON is not supported");
  } else if (in_.AtWord("ALL") && in_.Peek().kind == TokenKind::kWord &&
             !EndsSelectItem(in_.Peek().text)) {
    in_.Advance();
  }
  do {
    SelectItem item;
    if (in_.At("*")) {
      if (select->distinct) return in_.RefuseAt(position, "DISTINCT * is not supported");
      item.expr = Expr::Star(in_.Advance().position);
    } else {
      TRELLIS_ASSIGN_OR_RETURN(item.expr, expressions_.Parse());
      TRELLIS_RETURN_IF_ERROR(ParseAlias(&item));
    }
    select->items.push_back(std::move(item));
  } while (in_.Take(","));
  return Status::Ok();
}

Status StatementParser::ParseAlias(SelectItem* item) {
  const bool has_as = in_.TakeWord("AS");
  const Token& token = in_.current();
  if (has_as && token.kind == TokenKind::kWord && IsReserved(token.text)) {
    return in_.FailReserved();
  }
  const bool is_word = token.kind == TokenKind::kWord &&
                       (has_as || (!EndsSelectItem(token.text) && !in_.AtWordThen("OPTION", "(")));
  if (is_word) {
    item->alias = in_.Advance().text;
  } else if (token.kind == TokenKind::kQuotedIdentifier ||
             (has_as && token.kind == TokenKind::kString)) {
    item->alias = in_.Advance().value;
  } else if (has_as) {
    return in_.Fail("a name for the column");
  } else {
    return Status::Ok();
  }
  item->has_alias = true;
  return Status::Ok();
}

bool StatementParser::AtJoin() {
  for (const std::string_view word :
       {"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL"}) {
    if (in_.AtWord(word)) return true;
  }
  return in_.AtWords("ASOF", "JOIN") || in_.AtWords("SEMI", "JOIN") || in_.AtWords("ANTI", "JOIN");
}

Status StatementParser::ParseFrom(Select* select) {
  in_.Advance();
  if (in_.At("(")) {
    return in_.Refuse("sub-queries in FROM are only supported by the multi-stage engine");
  }
  for (const std::string_view word : {"TABLE", "LATERAL", "UNNEST", "VALUES"}) {
    if (in_.AtWord(word)) return in_.Refuse(fmt::format("FROM {} is not supported", word));
  }
  select->table_position = in_.current().position;
  TRELLIS_ASSIGN_OR_RETURN(Expr table, expressions_.ParseName());
  if (!table.is_identifier()) return in_.RefuseAt(table.position, "expected a table's name");
  select->table = std::move(table.name);
  if (in_.At("(")) return in_.Refuse("table functions are not supported");
  if (in_.At(",") || AtJoin()) {
    return in_.Refuse("joins are only supported by the multi-stage engine");
  }
  if (in_.AtWord("TABLESAMPLE")) return in_.Refuse("TABLESAMPLE is not supported");
  const Token& token = in_.current();
  const bool is_alias = token.kind == TokenKind::kQuotedIdentifier || in_.AtWord("AS") ||
                        (token.kind == TokenKind::kWord && !EndsSelectItem(token.text) &&
                         !in_.AtWordThen("OPTION", "("));
  if (is_alias) {
    return in_.Refuse(
        "table aliases are only supported by the multi-stage engine: use the table's name");
  }
  return Status::Ok();
}

Status StatementParser::ParseGroupBy(Select* select) {
  if (select->distinct && in_.AtWord("GROUP")) {
    return in_.Refuse("SELECT DISTINCT with GROUP BY is only supported by the multi-stage engine");
  }
  if (!in_.TakeWord("GROUP")) return Status::Ok();
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("BY"));
  do {
    if (in_.AtWord("ROLLUP") || in_.AtWordThen("CUBE", "(") || in_.AtWords("GROUPING", "SETS")) {
      return in_.Refuse("GROUP BY with ROLLUP, CUBE or GROUPING SETS is not supported yet");
    }
    TRELLIS_ASSIGN_OR_RETURN(Expr key, expressions_.Parse());
    select->group_by.push_back(std::move(key));
  } while (in_.Take(","));
  return Status::Ok();
}

Status StatementParser::ParseOrderBy(Select* select) {
  if (!in_.TakeWord("ORDER")) return Status::Ok();
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("BY"));
  do {
    OrderItem item;
    TRELLIS_ASSIGN_OR_RETURN(item.expr, expressions_.Parse());
    if (in_.TakeWord("DESC")) {
      item.ascending = false;
    } else {
      in_.TakeWord("ASC");
    }
    if (in_.TakeWord("NULLS")) {
      item.nulls_first = in_.TakeWord("FIRST");
      if (!*item.nulls_first && !in_.TakeWord("LAST")) return in_.Fail("FIRST or LAST");
    }
    select->order_by.push_back(std::move(item));
  } while (in_.Take(","));
  return Status::Ok();
}

// LIMIT n, LIMIT m, n, LIMIT ALL, OFFSET m and FETCH NEXT n ROWS ONLY in any order, each part once.
Status StatementParser::ParseLimits(Select* select) {
  bool has_limit = false;
  while (true) {
    const bool wants_offset = in_.AtWord("OFFSET");
    const bool wants_limit = in_.AtWord("LIMIT") || in_.AtWord("FETCH");
    if ((wants_offset && select->offset) || (wants_limit && has_limit)) {
      return in_.Refuse(fmt::format("{} is given twice", in_.current().text));
    }
    if (in_.TakeWord("OFFSET")) {
      TRELLIS_RETURN_IF_ERROR(ParseRowCount(&select->offset));
      if (!in_.TakeWord("ROWS")) in_.TakeWord("ROW");
    } else if (in_.TakeWord("LIMIT")) {
      has_limit = true;
      if (in_.TakeWord("ALL")) continue;
      TRELLIS_RETURN_IF_ERROR(ParseRowCount(&select->limit));
      if (!in_.At(",")) continue;
      if (select->offset) return in_.Refuse("OFFSET is given twice");
      in_.Advance();
      select->offset = std::exchange(select->limit, std::nullopt);
      TRELLIS_RETURN_IF_ERROR(ParseRowCount(&select->limit));
    } else if (in_.TakeWord("FETCH")) {
      has_limit = true;
      if (!in_.TakeWord("FIRST") && !in_.TakeWord("NEXT")) return in_.Fail("FIRST or NEXT");
      TRELLIS_RETURN_IF_ERROR(ParseRowCount(&select->limit));
      TRELLIS_RETURN_IF_ERROR(TakeRowWord());
      TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("ONLY"));
    } else {
      return Status::Ok();
    }
  }
}

Status StatementParser::ParseRowCount(std::optional<int64_t>* count) {
  const Token& token = in_.current();
  if (token.kind != TokenKind::kInteger) return in_.Fail("a number of rows");
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
  if (error != std::errc()) return in_.Refuse("this number of rows is beyond 2^63 - 1");
  *count = value;
  in_.Advance();
  return Status::Ok();
}

Status StatementParser::TakeRowWord() {
  return in_.TakeWord("ROWS") || in_.TakeWord("ROW") ? Status::Ok() : in_.Fail("ROWS");
}

// What may stand behind the last clause: OPTION(...) or the end. Names what other SQL has there.
Status StatementParser::CheckClauseEnd() {
  while (in_.AtWord("OPTION")) {
    // The bracket is not peeked at: what follows it is no SQL.
    TRELLIS_RETURN_IF_ERROR(ParseOptionClause());
    while (in_.Take(";")) continue;
    if (!in_.AtEnd() && !in_.AtWord("OPTION")) {
      return in_.Fail("the end of the query behind OPTION(...)");
    }
  }
  if (AtEndOfStatement()) return Status::Ok();
  for (const std::string_view word : {"UNION", "INTERSECT", "EXCEPT", "MINUS"}) {
    if (in_.AtWord(word)) {
      return in_.Refuse(fmt::format("{} is only supported by the multi-stage engine", word));
    }
  }
  if (in_.AtWord("WINDOW") || in_.AtWord("QUALIFY")) {
    return in_.Refuse("window functions are only supported by the multi-stage engine");
  }
  if (AtJoin()) return in_.Refuse("joins are only supported by the multi-stage engine");
  return in_.Fail("another clause or the end of the query");
}

}  // namespace

Result<Statement> Parse(std::string_view text) {
  if (text.size() > kTextSizeBytesMax) {
    return Status::Query(PinotCode::kSqlParsing, "the query is longer than {} bytes: {}",
                         kTextSizeBytesMax, text.size());
  }
  if (const size_t invalid = FindInvalidUtf8(text); invalid < text.size()) {
    return Status::Query(PinotCode::kSqlParsing, "the query is not UTF-8 at byte {}", invalid);
  }
  return StatementParser(text).Parse();
}

}  // namespace trellis::sql
