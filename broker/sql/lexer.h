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
  kString,            // any string literal
  kSymbol,            // operator or punctuation
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Position position;
  std::string_view text;  // as written; views the query text
  std::string value;      // kString, kQuotedIdentifier: without quotes and escapes

  bool Is(std::string_view symbol) const { return kind == TokenKind::kSymbol && text == symbol; }
  bool IsWord(std::string_view keyword) const;  // any case
};

// An error at `position`: "<what> at line L, column C", the line and a caret. Long lines are cut.
Status SyntaxError(std::string_view text, const Position& position, std::string_view what);

// The offset of the first byte of `text` that is not UTF-8; its size when all is.
size_t FindInvalidUtf8(std::string_view text);

// Cuts a query text into tokens, one a call, with lines and columns. Rules: pinot-sql.md 1.1.
// Linear in the text. The text must outlive the lexer and its tokens. Not thread-safe.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }

  // Errors: kSqlParsing for unclosed quotes and comments and characters SQL has no use for.
  Result<Token> Next();

  // Goes on reading at `offset_bytes`, which must not lie before the last token's start.
  void SkipTo(size_t offset_bytes) { at_ = offset_bytes; }

 private:
  char Char(size_t offset_bytes) const {
    return offset_bytes < text_.size() ? text_[offset_bytes] : '\0';
  }
  bool IsWordAt(size_t offset_bytes) const;
  size_t WordEnd(size_t offset_bytes) const;
  size_t DigitsEnd(size_t offset_bytes) const;
  // The end of `e+10` at `offset_bytes`, or `offset_bytes` when there is no exponent.
  size_t ExponentEnd(size_t offset_bytes) const;
  // The end of the number at `offset_bytes`; sets `decimal` when it has a point or an exponent.
  size_t NumberEnd(size_t offset_bytes, bool* decimal) const;

  Status SkipBlanks();
  Position PositionOf(size_t offset_bytes);
  // The size of the string prefix (N, E, X, U&, _charset) whose quote follows it; 0 for none.
  size_t StringPrefixSize() const;
  Result<Token> LexString(size_t prefix_size_bytes);
  Result<Token> LexQuotedIdentifier();
  Result<Token> LexSymbol();
  Token Take(TokenKind kind, size_t end);
  Status Error(size_t offset_bytes, std::string_view what) {
    return SyntaxError(text_, PositionOf(offset_bytes), what);
  }

  std::string_view text_;
  size_t at_ = 0;
  Position known_;  // the last position asked for; the next one is counted from here
};

}  // namespace trellis::sql
