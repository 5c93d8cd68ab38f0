#include "broker/sql/lexer.h"

#include <algorithm>

#include "broker/sql/string_literal.h"
#include "common/base/nearest_name.h"

namespace trellis::sql {
namespace {

constexpr size_t kIdentifierSizeMax = 1024;
// Code points of a line shown before and after the place of an error.
constexpr size_t kShownBefore = 60;
constexpr size_t kShownAfter = 40;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }
bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// The blanks and punctuation beyond ASCII that word processors put into copied text: U+00A0, U+2000
// to U+206F (curly quotes among them), U+3000, U+FEFF. Every other character beyond ASCII counts as
// a letter.
bool IsForeignPunctuation(std::string_view rest) {
  const auto byte = [&](size_t i) { return i < rest.size() ? static_cast<uint8_t>(rest[i]) : 0; };
  if (byte(0) == 0xC2) return byte(1) == 0xA0;
  if (byte(0) == 0xE2) return byte(1) == 0x80 || (byte(1) == 0x81 && byte(2) <= 0xAF);
  if (byte(0) == 0xE3) return byte(1) == 0x80 && byte(2) == 0x80;
  if (byte(0) == 0xEF) return byte(1) == 0xBB && byte(2) == 0xBF;
  return false;
}

// Moves `offset_bytes` back (forward) by up to `count` code points, not beyond `limit`.
size_t Back(std::string_view text, size_t offset_bytes, size_t limit, size_t count) {
  while (offset_bytes > limit && count > 0) {
    if (!IsContinuation(text[--offset_bytes])) --count;
  }
  return offset_bytes;
}
size_t Forward(std::string_view text, size_t offset_bytes, size_t limit, size_t count) {
  while (offset_bytes < limit && count > 0) {
    ++offset_bytes;
    while (offset_bytes < limit && IsContinuation(text[offset_bytes])) ++offset_bytes;
    --count;
  }
  return offset_bytes;
}

}  // namespace

size_t FindInvalidUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<uint8_t>(text[at]);
    if (lead < 0x80) {
      ++at;
      continue;
    }
    const size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - at < size) return at;
    for (size_t i = 1; i < size; ++i) {
      if (!IsContinuation(text[at + i])) return at;
    }
    // Overlong forms, surrogates and what lies beyond U+10FFFF show in the second byte.
    const auto second = static_cast<uint8_t>(text[at + 1]);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return at;
    }
    at += size;
  }
  return at;
}

bool Token::IsWord(std::string_view keyword) const {
  return kind == TokenKind::kWord && EqualsIgnoreCase(text, keyword);
}

Status SyntaxError(std::string_view text, const Position& position, std::string_view what) {
  const size_t at = std::min(position.offset_bytes, text.size());
  const size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const size_t line_end = std::min(text.find_first_of("\r\n", at), text.size());
  const size_t begin = Back(text, at, line_begin, kShownBefore);
  const size_t end = Forward(text, at, line_end, kShownAfter);
  std::string pad;
  for (const char c : text.substr(begin, at - begin)) {
    if (!IsContinuation(c)) pad.push_back(c == '\t' ? '\t' : ' ');
  }
  const std::string_view before = begin > line_begin ? "..." : "";
  const std::string_view after = end < line_end ? "..." : "";
  return Status::Query(PinotCode::kSqlParsing, "{} at line {}, column {}\n{}{}{}\n{:{}}{}^", what,
                       position.line, position.column, before, text.substr(begin, end - begin),
                       after, "", before.size(), pad);
}

Position Lexer::PositionOf(size_t offset_bytes) {
  offset_bytes = std::min(offset_bytes, text_.size());
  if (offset_bytes < known_.offset_bytes) known_ = {};
  for (size_t at = known_.offset_bytes; at < offset_bytes; ++at) {
    if (text_[at] == '\n') {
      ++known_.line;
      known_.column = 1;
    } else if (!IsContinuation(text_[at])) {
      ++known_.column;
    }
  }
  known_.offset_bytes = offset_bytes;
  return known_;
}

bool Lexer::IsWordAt(size_t offset_bytes) const {
  if (offset_bytes >= text_.size()) return false;
  const char c = text_[offset_bytes];
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '$') {
    return true;
  }
  return static_cast<uint8_t>(c) >= 0x80 && !IsForeignPunctuation(text_.substr(offset_bytes));
}

size_t Lexer::WordEnd(size_t offset_bytes) const {
  while (IsWordAt(offset_bytes)) {
    do {
      ++offset_bytes;
    } while (offset_bytes < text_.size() && IsContinuation(text_[offset_bytes]));
  }
  return offset_bytes;
}

size_t Lexer::DigitsEnd(size_t offset_bytes) const {
  while (IsDigit(Char(offset_bytes))) ++offset_bytes;
  return offset_bytes;
}

size_t Lexer::ExponentEnd(size_t offset_bytes) const {
  if (Char(offset_bytes) != 'e' && Char(offset_bytes) != 'E') return offset_bytes;
  const char sign = Char(offset_bytes + 1);
  const size_t digits = offset_bytes + (sign == '+' || sign == '-' ? 2 : 1);
  const size_t end = DigitsEnd(digits);
  return end > digits ? end : offset_bytes;
}

size_t Lexer::NumberEnd(size_t offset_bytes, bool* decimal) const {
  size_t end = DigitsEnd(offset_bytes);
  *decimal = Char(end) == '.';
  if (*decimal) end = DigitsEnd(end + 1);
  const size_t exponent_end = ExponentEnd(end);
  *decimal |= exponent_end > end;
  return exponent_end;
}

Status Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const char next = Char(at_ + 1);
    if (IsBlank(c)) {
      ++at_;
    } else if ((c == '-' || c == '/') && next == c) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && next == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return Error(at_, "this comment is not closed by */");
      at_ = end + 2;
    } else {
      break;
    }
  }
  return Status::Ok();
}

Token Lexer::Take(TokenKind kind, size_t end) {
  Token token{kind, PositionOf(at_), text_.substr(at_, end - at_), {}};
  at_ = end;
  return token;
}

Result<Token> Lexer::Next() {
  TRELLIS_RETURN_IF_ERROR(SkipBlanks());
  if (at_ >= text_.size()) return Take(TokenKind::kEnd, at_);
  const char c = text_[at_];
  if (c == '\'') return LexString(0);
  if (c == '"') return LexQuotedIdentifier();
  if (c == '.' && IsDigit(Char(at_ + 1))) {
    bool decimal = false;
    return Take(TokenKind::kDecimal, NumberEnd(at_, &decimal));
  }
  if (!IsWordAt(at_)) return LexSymbol();
  if (const size_t size_bytes = StringPrefixSize(); size_bytes > 0) return LexString(size_bytes);
  const size_t word_end = WordEnd(at_);
  if (IsDigit(c)) {
    // The longer reading wins, and the number when both are equal: 1e5 is a number, 1e5x a word.
    bool decimal = false;
    const size_t number_end = NumberEnd(at_, &decimal);
    if (number_end >= word_end) {
      return Take(decimal ? TokenKind::kDecimal : TokenKind::kInteger, number_end);
    }
  }
  if (word_end - at_ > kIdentifierSizeMax) return Error(at_, "this name is longer than 1024 bytes");
  return Take(TokenKind::kWord, word_end);
}

size_t Lexer::StringPrefixSize() const {
  const char c = text_[at_];
  if (c == '_') {
    const size_t end = WordEnd(at_);
    return Char(end) == '\'' && end - at_ > 1 ? end - at_ : 0;
  }
  if ((c == 'u' || c == 'U') && Char(at_ + 1) == '&' && Char(at_ + 2) == '\'') return 2;
  const bool one_letter = std::string_view("nNeExX").find(c) != std::string_view::npos;
  return one_letter && Char(at_ + 1) == '\'' ? 1 : 0;
}

Result<Token> Lexer::LexString(size_t prefix_size_bytes) {
  const std::string_view prefix = text_.substr(at_, prefix_size_bytes);
  const bool backslash_escapes = prefix == "e" || prefix == "E";
  const size_t begin = at_ + prefix_size_bytes + 1;
  size_t end = begin;
  while (end < text_.size()) {
    if (backslash_escapes && text_[end] == '\\') {
      end += 2;
    } else if (text_[end] != '\'') {
      ++end;
    } else if (Char(end + 1) == '\'') {
      end += 2;
    } else {
      break;
    }
  }
  if (end >= text_.size()) return Error(at_, "this string is not closed by a single quote");
  auto value = DecodeString(prefix, text_.substr(begin, end - begin));
  if (!value) return Error(at_, "this string has a malformed escape or hex digit");
  Token token = Take(TokenKind::kString, end + 1);
  token.value = std::move(*value);
  return token;
}

Result<Token> Lexer::LexQuotedIdentifier() {
  const size_t begin = at_ + 1;
  size_t end = begin;
  while (end < text_.size() && (text_[end] != '"' || Char(end + 1) == '"')) {
    end += text_[end] == '"' ? 2 : 1;
  }
  if (end >= text_.size()) return Error(at_, "this name is not closed by a double quote");
  if (end == begin) return Error(at_, "a name in double quotes must not be empty");
  if (end - begin > kIdentifierSizeMax) return Error(at_, "this name is longer than 1024 bytes");
  std::string value = UndoubleQuotes(text_.substr(begin, end - begin), '"');
  Token token = Take(TokenKind::kQuotedIdentifier, end + 1);
  token.value = std::move(value);
  return token;
}

Result<Token> Lexer::LexSymbol() {
  for (const std::string_view symbol : {"<>", "<=", ">=", "!=", "||"}) {
    if (text_.substr(at_, 2) == symbol) return Take(TokenKind::kSymbol, at_ + 2);
  }
  const char c = text_[at_];
  if (std::string_view("=<>+-*/%()[],.;?").find(c) != std::string_view::npos) {
    return Take(TokenKind::kSymbol, at_ + 1);
  }
  if (c == '`') return Error(at_, "back-ticks do not quote names, double quotes do");
  return Error(at_, fmt::format("unexpected character '{}'",
                                text_.substr(at_, Forward(text_, at_, text_.size(), 1) - at_)));
}

}  // namespace trellis::sql
