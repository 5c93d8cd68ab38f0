#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "broker/sql/lexer.h"
#include "common/base/status.h"

namespace trellis::sql {

// The tokens of one text with one token of lookahead. A character the lexer refuses reads as the
// end of the text; Fail() and the parser's last check then answer with the lexer's error. The text
// must outlive the stream. Not thread-safe.
class TokenStream {
 public:
  explicit TokenStream(std::string_view text) : lexer_(text) { Advance(); }

  const Token& current() const { return current_; }
  const Token& Peek();
  // Moves on and returns the token that was current.
  Token Advance();

  bool At(std::string_view symbol) const { return current_.Is(symbol); }
  bool AtWord(std::string_view keyword) const { return current_.IsWord(keyword); }
  bool AtEnd() const { return current_.kind == TokenKind::kEnd; }
  // `keyword` with `symbol` behind it: CAST (.
  bool AtWordThen(std::string_view keyword, std::string_view symbol) {
    return AtWord(keyword) && Peek().Is(symbol);
  }
  bool AtWords(std::string_view first, std::string_view second) {
    return AtWord(first) && Peek().IsWord(second);
  }
  // Moves on if the current token is that one.
  bool Take(std::string_view symbol);
  bool TakeWord(std::string_view keyword);
  Status Expect(std::string_view symbol);
  Status ExpectWord(std::string_view keyword);

  // The raw text from the current token's end to the next `stop`, which is read too.
  // nullopt without a `stop`; nothing is read then. REQUIRES: Peek() was not called since.
  std::optional<std::string_view> TakeRawUntil(char stop);

  // "expected <expected> but found <current token>".
  Status Fail(std::string_view expected) const;
  // The current token is a reserved word where a name was expected.
  Status FailReserved() const;
  // "<what>" at the current token or elsewhere.
  Status Refuse(std::string_view what) const { return RefuseAt(current_.position, what); }
  Status RefuseAt(const Position& position, std::string_view what) const;
  const Status& lexer_status() const { return lexer_status_; }

 private:
  Token Lex();

  Lexer lexer_;
  Status lexer_status_;
  Token current_;
  std::optional<Token> next_;
};

}  // namespace trellis::sql
