#include "broker/sql/token_stream.h"

#include <utility>

namespace trellis::sql {
namespace {

constexpr size_t kShownTokenSizeBytes = 40;

}  // namespace

Token TokenStream::Lex() {
  if (lexer_status_.ok()) {
    auto token = lexer_.Next();
    if (token.ok()) return std::move(token).value();
    lexer_status_ = token.status();
  }
  Token end;
  end.position = current_.position;
  return end;
}

const Token& TokenStream::Peek() {
  if (!next_) next_ = Lex();
  return *next_;
}

Token TokenStream::Advance() {
  if (next_) {
    Token token = std::exchange(current_, std::move(*next_));
    next_.reset();
    return token;
  }
  return std::exchange(current_, Lex());
}

bool TokenStream::Take(std::string_view symbol) {
  if (!At(symbol)) return false;
  Advance();
  return true;
}

bool TokenStream::TakeWord(std::string_view keyword) {
  if (!AtWord(keyword)) return false;
  Advance();
  return true;
}

Status TokenStream::Expect(std::string_view symbol) {
  return Take(symbol) ? Status::Ok() : Fail(fmt::format("'{}'", symbol));
}

Status TokenStream::ExpectWord(std::string_view keyword) {
  return TakeWord(keyword) ? Status::Ok() : Fail(keyword);
}

std::optional<std::string_view> TokenStream::TakeRawUntil(char stop) {
  TRELLIS_CHECK(!next_);
  const std::string_view text = lexer_.text();
  const size_t begin = current_.position.offset_bytes + current_.text.size();
  const size_t end = text.find(stop, begin);
  if (end == std::string_view::npos) return std::nullopt;
  lexer_.SkipTo(end + 1);
  Advance();
  return text.substr(begin, end - begin);
}

Status TokenStream::Fail(std::string_view expected) const {
  if (AtEnd()) return Refuse(fmt::format("expected {} but the query ends", expected));
  if (current_.text.size() > kShownTokenSizeBytes) {
    return Refuse(fmt::format("expected {} here", expected));
  }
  return Refuse(fmt::format("expected {} but found {}", expected, current_.text));
}

Status TokenStream::FailReserved() const {
  return Refuse(fmt::format(
      "expected a name but found the reserved word {} (in double quotes, \"{}\", it is a name)",
      current_.text, current_.text));
}

Status TokenStream::RefuseAt(const Position& position, std::string_view what) const {
  if (!lexer_status_.ok()) return lexer_status_;
  return SyntaxError(lexer_.text(), position, what);
}

}  // namespace trellis::sql
