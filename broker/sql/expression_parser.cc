#include "broker/sql/expression_parser.h"

#include <algorithm>
#include <utility>

#include "broker/sql/parser.h"
#include "broker/sql/words.h"
#include "common/types/java_text.h"

namespace trellis::sql {
namespace {

bool IsRangeWord(const Token& token) {
  for (const std::string_view word : {"IN", "LIKE", "BETWEEN", "SIMILAR", "ILIKE", "RLIKE"}) {
    if (token.IsWord(word)) return true;
  }
  return false;
}

Value IntegerValue(int64_t value) {
  if (static_cast<int32_t>(value) == value) return Value::Int(static_cast<int32_t>(value));
  return Value::Long(value);
}

// Replaces a numeric literal by its negative. False if it is no number.
bool Negate(Value* value) {
  if (value->is_null()) return false;
  switch (value->type()) {
    case DataType::kInt:
    case DataType::kLong:
      *value = IntegerValue(static_cast<int64_t>(-static_cast<uint64_t>(value->AsLong())));
      return true;
    case DataType::kDouble:
      *value = Value::Double(-value->float64());
      return true;
    default:
      return false;
  }
}

}  // namespace

ExpressionParser::Infix ExpressionParser::SymbolInfix(std::string_view symbol) {
  switch (symbol.front()) {
    case '=':
      return {"equals", kComparison};
    case '!':
      return {"not_equals", kComparison};
    case '<':
      if (symbol == "<>") return {"not_equals", kComparison};
      return {symbol == "<=" ? "less_than_or_equal" : "less_than", kComparison};
    case '>':
      return {symbol == ">=" ? "greater_than_or_equal" : "greater_than", kComparison};
    case '+':
      return {"plus", kAdditive};
    case '-':
      return {"minus", kAdditive};
    case '*':
      return {"times", kMultiplicative};
    case '/':
      return {"divide", kMultiplicative};
    case '%':
      return {"mod", kMultiplicative};
    case '|':
      return {"||", kMultiplicative};
    default:
      return {};
  }
}

ExpressionParser::Infix ExpressionParser::FindInfix() {
  const Token& token = in_.current();
  if (token.kind == TokenKind::kSymbol) return SymbolInfix(token.text);
  if (token.kind != TokenKind::kWord) return {};
  if (token.IsWord("AND")) return {"and", kAnd};
  if (token.IsWord("OR")) return {"or", kOr};
  if (token.IsWord("IS")) return {"", kIs};
  if (IsRangeWord(token)) return {"", kRange};
  if (token.IsWord("NOT") && IsRangeWord(in_.Peek())) return {"", kRange};
  if (in_.AtWords("AT", "TIME")) return {"", kMultiplicative};
  return {};
}

void ExpressionParser::Arguments::Add(Node node) {
  height = std::max(height, node.height);
  exprs.push_back(std::move(node.expr));
}

Result<ExpressionParser::Node> ExpressionParser::Make(std::string_view function,
                                                      const Position& position,
                                                      Arguments arguments) {
  if (arguments.height >= kTreeHeightMax) {
    return in_.RefuseAt(
        position, fmt::format("operators are stacked more than {} levels high", kTreeHeightMax));
  }
  return Node{Expr::Function(std::string(function), std::move(arguments.exprs), position),
              arguments.height + 1};
}

Result<ExpressionParser::Node> ExpressionParser::Make(std::string_view function,
                                                      const Position& position, Node argument) {
  Arguments arguments;
  arguments.Add(std::move(argument));
  return Make(function, position, std::move(arguments));
}

Result<ExpressionParser::Node> ExpressionParser::Make(std::string_view function,
                                                      const Position& position, Node left,
                                                      Node right) {
  Arguments arguments;
  arguments.exprs.reserve(2);
  arguments.Add(std::move(left));
  arguments.Add(std::move(right));
  return Make(function, position, std::move(arguments));
}

Result<Expr> ExpressionParser::Parse() {
  TRELLIS_ASSIGN_OR_RETURN(Node node, ParseBinary(kOr));
  return std::move(node.expr);
}

Result<ExpressionParser::Node> ExpressionParser::ParseBinary(int precedence_min) {
  auto left = ParseUnary();
  while (left.ok()) {
    const Infix infix = FindInfix();
    if (infix.precedence == 0 || infix.precedence < precedence_min) break;
    if (!infix.function.empty()) {
      left = ParseInfix(std::move(left).value(), infix.function, infix.precedence);
    } else if (infix.precedence == kIs) {
      left = ParseIs(std::move(left).value());
    } else {
      left = ParseRange(std::move(left).value());
    }
  }
  return left;
}

// One operator and its right side. AND and OR take all further operands of the level, and the
// arguments of operands that are AND or OR themselves.
Result<ExpressionParser::Node> ExpressionParser::ParseInfix(Node left, std::string_view function,
                                                            int precedence) {
  const Position position = in_.current().position;
  if (precedence != kAnd && precedence != kOr) {
    in_.Advance();
    TRELLIS_ASSIGN_OR_RETURN(Node right, ParseBinary(precedence + 1));
    return Make(function, position, std::move(left), std::move(right));
  }
  Arguments arguments;
  const auto add = [&](Node node) {
    if (!node.expr.is_function(function)) return arguments.Add(std::move(node));
    arguments.height = std::max(arguments.height, node.height - 1);
    std::move(node.expr.args.begin(), node.expr.args.end(), std::back_inserter(arguments.exprs));
  };
  add(std::move(left));
  while (in_.TakeWord(function)) {
    TRELLIS_ASSIGN_OR_RETURN(Node right, ParseBinary(precedence + 1));
    add(std::move(right));
  }
  return Make(function, position, std::move(arguments));
}

Result<ExpressionParser::Node> ExpressionParser::ParseIs(Node left) {
  const Position position = in_.Advance().position;
  const bool negated = in_.TakeWord("NOT");
  const auto is = [&](std::string_view what) {
    return fmt::format("is_{}{}", negated ? "not_" : "", what);
  };
  if (in_.TakeWord("NULL")) return Make(is("null"), position, std::move(left));
  if (in_.TakeWord("TRUE")) return Make(is("true"), position, std::move(left));
  if (in_.TakeWord("FALSE")) return Make(is("false"), position, std::move(left));
  if (!in_.TakeWord("DISTINCT")) return in_.Fail("NULL, TRUE, FALSE or DISTINCT FROM");
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("FROM"));
  TRELLIS_ASSIGN_OR_RETURN(Node right, ParseBinary(kComparison));
  return Make(is("distinct_from"), position, std::move(left), std::move(right));
}

Result<ExpressionParser::Node> ExpressionParser::ParseRange(Node left) {
  const Position position = in_.current().position;
  if (in_.TakeWord("AT")) {
    in_.Advance();  // TIME
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("ZONE"));
    TRELLIS_ASSIGN_OR_RETURN(Node zone, ParseUnary());
    return Make("attimezone", position, std::move(left), std::move(zone));
  }
  const bool negated = in_.TakeWord("NOT");
  if (in_.TakeWord("IN")) return ParseIn(std::move(left), negated ? "not_in" : "in", position);
  auto range = [&]() -> Result<Node> {
    if (in_.TakeWord("BETWEEN")) return ParseBetween(std::move(left), position);
    if (in_.TakeWord("LIKE")) return ParseLike(std::move(left), "like", position);
    if (in_.TakeWord("ILIKE")) return ParseLike(std::move(left), "ilike", position);
    if (in_.TakeWord("RLIKE")) return ParseLike(std::move(left), "rlike", position);
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("SIMILAR"));
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("TO"));
    return ParseLike(std::move(left), "similarto", position);
  }();
  if (!negated || !range.ok()) return range;
  return Make("not", position, std::move(range).value());
}

Result<ExpressionParser::Node> ExpressionParser::ParseBetween(Node left, const Position& position) {
  Arguments arguments;
  arguments.exprs.reserve(3);
  arguments.Add(std::move(left));
  TRELLIS_ASSIGN_OR_RETURN(Node low, ParseBinary(kAdditive));
  arguments.Add(std::move(low));
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("AND"));
  TRELLIS_ASSIGN_OR_RETURN(Node high, ParseBinary(kAdditive));
  arguments.Add(std::move(high));
  return Make("between", position, std::move(arguments));
}

Result<ExpressionParser::Node> ExpressionParser::ParseIn(Node left, std::string_view function,
                                                         const Position& position) {
  TRELLIS_RETURN_IF_ERROR(in_.Expect("("));
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  Arguments arguments;
  arguments.Add(std::move(left));
  // The elements are no operand of a unary, so their level is counted here.
  TRELLIS_RETURN_IF_ERROR(EnterLevel());
  do {
    TRELLIS_ASSIGN_OR_RETURN(Node element, ParseBinary(kOr));
    arguments.Add(std::move(element));
  } while (in_.Take(","));
  --nesting_;
  if (!in_.Take(")")) return in_.Fail("',' or ')'");
  return Make(function, position, std::move(arguments));
}

// The character behind ESCAPE is read and dropped: Pinot ignores it.
Result<ExpressionParser::Node> ExpressionParser::ParseLike(Node left, std::string_view function,
                                                           const Position& position) {
  TRELLIS_ASSIGN_OR_RETURN(Node pattern, ParseBinary(kAdditive));
  if (in_.TakeWord("ESCAPE")) TRELLIS_RETURN_IF_ERROR(ParseBinary(kAdditive).status());
  return Make(function, position, std::move(left), std::move(pattern));
}

Status ExpressionParser::EnterLevel() {
  if (nesting_ >= kNestingMax) {
    return in_.Refuse(fmt::format("expressions are nested more than {} levels deep", kNestingMax));
  }
  ++nesting_;
  return Status::Ok();
}

Result<ExpressionParser::Node> ExpressionParser::ParseUnary() {
  TRELLIS_RETURN_IF_ERROR(EnterLevel());
  auto node = ParsePrefixed();
  --nesting_;
  return node;
}

Result<ExpressionParser::Node> ExpressionParser::ParsePrefixed() {
  const Position position = in_.current().position;
  if (in_.TakeWord("NOT")) {
    TRELLIS_ASSIGN_OR_RETURN(Node operand, ParseBinary(kIs));
    return Make("not", position, std::move(operand));
  }
  if (in_.Take("+")) return ParseUnary();
  if (!in_.Take("-")) {
    TRELLIS_ASSIGN_OR_RETURN(Node primary, ParsePrimary());
    return ParsePostfix(std::move(primary));
  }
  TRELLIS_ASSIGN_OR_RETURN(Node operand, ParseUnary());
  if (operand.expr.is_literal() && Negate(&operand.expr.literal)) {
    operand.expr.position = position;
    return operand;
  }
  return Make("negate", position, std::move(operand));
}

Result<ExpressionParser::Node> ExpressionParser::ParsePostfix(Node node) {
  while (in_.At("[")) {
    const Position position = in_.Advance().position;
    TRELLIS_ASSIGN_OR_RETURN(Node key, ParseBinary(kOr));
    TRELLIS_RETURN_IF_ERROR(in_.Expect("]"));
    auto item = Make("item", position, std::move(node), std::move(key));
    if (!item.ok()) return item;
    node = std::move(item).value();
  }
  return node;
}

Result<ExpressionParser::Node> ExpressionParser::ParsePrimary() {
  switch (in_.current().kind) {
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
      return ParseNumber();
    case TokenKind::kString: {
      Token token = in_.Advance();
      return Node{Expr::Literal(Value::String(std::move(token.value)), token.position)};
    }
    case TokenKind::kQuotedIdentifier: {
      TRELLIS_ASSIGN_OR_RETURN(Expr name, ParseName());
      if (in_.At("(") && name.is_identifier()) return ParseCall(std::move(name));
      return Node{std::move(name)};
    }
    case TokenKind::kWord:
      return ParseWord();
    case TokenKind::kSymbol:
      if (in_.At("(")) return ParseBracketed();
      if (in_.At("?")) return in_.Refuse("query parameters are not supported");
      break;
    case TokenKind::kEnd:
      break;
  }
  return in_.Fail("an expression");
}

Result<ExpressionParser::Node> ExpressionParser::ParseNumber() {
  const Token token = in_.Advance();
  if (token.kind == TokenKind::kInteger) {
    uint64_t value = 0;  // Pinot keeps the low 64 bits
    for (const char digit : token.text) value = value * 10 + static_cast<uint64_t>(digit - '0');
    return Node{Expr::Literal(IntegerValue(static_cast<int64_t>(value)), token.position)};
  }
  const auto value = ParseJavaDouble(token.text);
  if (!value) return in_.RefuseAt(token.position, fmt::format("{} is no number", token.text));
  return Node{Expr::Literal(Value::Double(*value), token.position)};
}

Status ExpressionParser::CheckNoSubquery() {
  if (in_.AtWord("SELECT") || in_.AtWord("WITH") || in_.AtWord("VALUES")) {
    return in_.Refuse("sub-queries are only supported by the multi-stage engine");
  }
  return Status::Ok();
}

Result<ExpressionParser::Node> ExpressionParser::ParseBracketed() {
  in_.Advance();
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  auto node = ParseBinary(kOr);
  if (!node.ok()) return node;
  if (in_.At(",")) return in_.Refuse("row values (a, b) are not supported");
  TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
  return node;
}

Result<ExpressionParser::Node> ExpressionParser::ParseWord() {
  const Position position = in_.current().position;
  if (in_.TakeWord("TRUE")) return Node{Expr::Literal(Value::Boolean(true), position)};
  if (in_.TakeWord("FALSE")) return Node{Expr::Literal(Value::Boolean(false), position)};
  if (in_.TakeWord("NULL")) return Node{Expr::Literal(Value::Null(), position)};
  if (in_.AtWord("CASE")) return ParseCase();
  if (in_.AtWord("INTERVAL")) return ParseInterval();
  if (in_.Peek().kind == TokenKind::kString) {
    for (const std::string_view type : {"DATE", "TIME", "TIMESTAMP"}) {
      if (!in_.TakeWord(type)) continue;
      return Node{Expr::Literal(Value::String(in_.Advance().value), position)};
    }
  }
  if (in_.AtWordThen("ARRAY", "[")) return ParseArray();
  if (in_.Peek().Is("(")) {
    if (in_.AtWord("CAST")) return ParseCast();
    if (in_.AtWord("EXTRACT")) return ParseExtract();
    if (in_.AtWord("TRIM")) return ParseTrim();
    if (IsReservedFunction(in_.current().text)) {
      Token token = in_.Advance();
      return ParseCall(Expr::Identifier(std::string(token.text), position));
    }
  }
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  TRELLIS_ASSIGN_OR_RETURN(Expr name, ParseName());
  if (in_.At("(") && name.is_identifier()) return ParseCall(std::move(name));
  return Node{std::move(name)};
}

Result<Expr> ExpressionParser::ParseName() {
  Expr name = Expr::Identifier("", in_.current().position);
  while (true) {
    const Token& token = in_.current();
    if (token.kind == TokenKind::kQuotedIdentifier) {
      name.quoted = true;
      name.name += token.value;
    } else if (token.kind != TokenKind::kWord) {
      return in_.Fail("a name");
    } else if (IsReserved(token.text)) {
      return in_.FailReserved();
    } else {
      name.name += token.text;
    }
    in_.Advance();
    if (!in_.Take(".")) return name;
    if (in_.Take("*")) {
      name.kind = Expr::Kind::kStar;
      return name;
    }
    name.name += '.';
  }
}

}  // namespace trellis::sql
