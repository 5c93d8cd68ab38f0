#include "broker/sql/lexer.h"

#include <catch2/catch.hpp>

namespace trellis::sql {
namespace {

struct Cut {
  std::vector<Token> tokens;
  Status status;
};

Cut CutAll(std::string_view text) {
  Cut cut;
  Lexer lexer(text);
  while (true) {
    auto token = lexer.Next();
    if (!token.ok()) {
      cut.status = token.status();
      return cut;
    }
    if (token->kind == TokenKind::kEnd) return cut;
    cut.tokens.push_back(std::move(token).value());
  }
}

std::string Texts(std::string_view text) {
  std::string out;
  for (const Token& token : CutAll(text).tokens) out.append("<").append(token.text).append(">");
  return out;
}

std::string StringValue(std::string_view text) {
  const Cut cut = CutAll(text);
  INFO(text << ": " << cut.status.message());
  REQUIRE(cut.tokens.size() == 1);
  REQUIRE(cut.tokens[0].kind == TokenKind::kString);
  return cut.tokens[0].value;
}

TEST_CASE("a name may begin with a digit, and the longer reading wins over a number") {
  const Cut cut = CutAll("1abc 0x1F 1e5 1e5x 1e 12 1.5 .5 1. 1e-3 1.5e+2");
  REQUIRE(cut.status.ok());
  std::string kinds;
  for (const Token& token : cut.tokens) {
    kinds += token.kind == TokenKind::kWord      ? 'w'
             : token.kind == TokenKind::kInteger ? 'i'
             : token.kind == TokenKind::kDecimal ? 'd'
                                                 : '?';
  }
  CHECK(kinds == "wwdwwiddddd");
}

TEST_CASE("comments of all three kinds are blanks") {
  CHECK(Texts("a--b\nc//d\ne/*f\n*/g/*+ hint */") == "<a><c><e><g>");
  CHECK(Texts("'--' \"//\" '/*'") == "<'--'><\"//\"><'/*'>");
}

TEST_CASE("operators of two characters are one token") {
  CHECK(Texts("a<>b!=c<=d>=e||f<g") == "<a><<>><b><!=><c><<=><d><>=><e><||><f><<><g>");
}

TEST_CASE("a string's doubled quote is one quote, and a pair that is left is one again") {
  CHECK(StringValue("'it''s'") == "it's");
  CHECK(StringValue("''''''") == "'");
  CHECK(StringValue("''") == "");
  CHECK(StringValue("'a\\b'") == "a\\b");
}

TEST_CASE("a string's prefix says how its text is read") {
  CHECK(StringValue("N'x'") == "x");
  CHECK(StringValue("_utf8'x'") == "x");
  CHECK(StringValue("E'a\\n\\'b\\u00e9'") == "a\n'b\u00e9");
  CHECK(StringValue("U&'\\00e9\\\\'") == "\u00e9\\");
  // The bits as a number, which has no leading zeros.
  CHECK(StringValue("X'4f'") == "1001111");
  CHECK(StringValue("X'00'") == "0");
  CHECK(StringValue("X''") == "");
}

TEST_CASE("a string with a malformed escape is refused") {
  for (const std::string_view text : {"E'\\u12'", "U&'\\00'", "X'4g'", "E'\\ud800'"}) {
    CAPTURE(text);
    CHECK(CutAll(text).status.pinot_code() == PinotCode::kSqlParsing);
  }
}

TEST_CASE("letters beyond ASCII are part of names, curly quotes are not") {
  CHECK(Texts("\u00c4\u00d6 \u6570\u636e") == "<\u00c4\u00d6><\u6570\u636e>");
  CHECK(CutAll("\u201cabc\u201d").status.pinot_code() == PinotCode::kSqlParsing);
}

TEST_CASE("a position counts lines and code points") {
  const Cut cut = CutAll("a\n  '\u00e9\u00e9' b\r\nc");
  REQUIRE(cut.tokens.size() == 4);
  CHECK(cut.tokens[1].position.line == 2);
  CHECK(cut.tokens[1].position.column == 3);
  CHECK(cut.tokens[2].position.line == 2);
  CHECK(cut.tokens[2].position.column == 8);
  CHECK(cut.tokens[3].position.line == 3);
  CHECK(cut.tokens[3].position.column == 1);
  CHECK(cut.tokens[3].position.offset_bytes == 14);
}

TEST_CASE("what is not closed is refused where it begins") {
  for (const std::string_view text : {"a 'b", "a \"b", "a /* b", "a 'b''", "a E'b\\", "a ` b"}) {
    CAPTURE(text);
    const Status status = CutAll(text).status;
    CHECK(status.pinot_code() == PinotCode::kSqlParsing);
    CHECK(status.message().find("line 1, column 3\n") != std::string::npos);
  }
}

TEST_CASE("a name of 1024 bytes is accepted and a longer one refused") {
  CHECK(CutAll(std::string(1024, 'a')).status.ok());
  CHECK_FALSE(CutAll(std::string(1025, 'a')).status.ok());
  CHECK_FALSE(CutAll('"' + std::string(1025, 'a') + '"').status.ok());
  CHECK_FALSE(CutAll("\"\"").status.ok());
}

TEST_CASE("an error shows a window of a long line with the caret under the place") {
  const std::string text = std::string(500, 'x') + " ! " + std::string(500, 'y');
  const std::string message = CutAll(text).status.message();
  const size_t line = message.find('\n') + 1;
  const size_t caret_line = message.find('\n', line) + 1;
  CHECK(caret_line - line < 120);
  const size_t caret = message.find('^') - caret_line;
  CHECK(message[line + caret] == '!');
}

TEST_CASE("the first byte that is not UTF-8 is found") {
  CHECK(FindInvalidUtf8("a\u00e9\u6570\U0001F680") == 10);
  CHECK(FindInvalidUtf8("ab\xFFz") == 2);
  CHECK(FindInvalidUtf8("a\xC3") == 1);
  CHECK(FindInvalidUtf8("\xC0\x80") == 0);
  CHECK(FindInvalidUtf8("\xED\xA0\x80") == 0);
  CHECK(FindInvalidUtf8("\xF4\x90\x80\x80") == 0);
}

}  // namespace
}  // namespace trellis::sql
