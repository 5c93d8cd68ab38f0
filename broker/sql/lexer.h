#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "broker/sql/ast.h"
#include "common/base/status.h"

namespace trellis::sql {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,              // bare identifier or keyword
  kQuotedIdentifier,  // "..."
  kInteger,           // digits
  kDecimal,           // digits with '.' or exponent
  kString,            // any string literal, unescaped
  kSymbol,            // operator or punctuation
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Position position;
  // As written; views the query text, for kWord, kInteger, kDecimal, kSymbol also the whole
  // meaning.
  std::string_view text;
  // kString, kQuotedIdentifier: the value without quotes and escapes.
  std::string value;
};

// An error at `position`: "<what> at line L, column C" and the line with a caret. Very long lines
// are cut.
Status SyntaxError(std::string_view text, Position position, std::string_view what);

// Cuts a query text into tokens, one a call; remembers lines and columns. Rules: pinot-sql.md 1.1.
// The text must outlive the lexer and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // Errors: PinotCode::kSqlParsing for unclosed quotes and comments and for characters SQL has no
  // use for.
  Result<Token> Next();

  // Goes on reading at `offset_bytes`, which must not lie before the last token's start.
  void SkipTo(size_t offset_bytes) { at_ = offset_bytes; }

 private:
  Status SkipBlanks();
  Position PositionOf(size_t offset_bytes);
  Result<Token> LexQuoted(size_t prefix_size_bytes, char quote, Token token);
  Result<Token> LexWordOrNumber(Token token);
  Token LexNumber(Token token, size_t end);
  Result<Token> LexSymbol(Token token);
  Status Error(size_t offset_bytes, std::string_view what);

  std::string_view text_;
  size_t at_ = 0;
  // The last position asked for; the next one is counted from here.
  Position known_;
};

// True for the words that must be quoted to be identifiers (pinot-sql.md 1.2). Any case.
bool IsReserved(std::string_view word);

// Equality without regard to ASCII case.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

}  // namespace trellis::sql
