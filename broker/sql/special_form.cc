// Calls and the forms that SQL writes with words instead of commas.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "broker/sql/expression_parser.h"
#include "broker/sql/parser.h"
#include "broker/sql/words.h"

namespace trellis::sql {
namespace {

// Bounds what CASE x WHEN ... makes of one text: x stands in each of its comparisons, and a CASE
// inside that x, and so on, would double it at every level.
constexpr size_t kCopiedSizeBytesMax = size_t{16} << 20;

std::string ToUpperAscii(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return upper;
}

// The memory that a copy of `expr` takes, roughly.
size_t CopySizeBytes(const Expr& expr) {
  size_t size_bytes = sizeof(Expr) + expr.name.size();
  const Value& value = expr.literal;
  if (value.type() == DataType::kString && !value.is_null()) size_bytes += value.bytes().size();
  for (const Expr& arg : expr.args) size_bytes += CopySizeBytes(arg);
  return size_bytes + (expr.filter != nullptr ? CopySizeBytes(*expr.filter) : 0);
}

bool TakesUnitFirst(std::string_view function) {
  return function == "timestampadd" || function == "timestampdiff" || function == "dateadd" ||
         function == "datediff";
}

// What COUNT(DISTINCT x) and its two siblings stand for; empty for the others.
std::string_view DistinctForm(std::string_view function) {
  if (function == "count") return "distinctcount";
  if (function == "sum") return "distinctsum";
  if (function == "avg") return "distinctavg";
  return {};
}

// The name Pinot prints for a CAST target that SQL itself names; empty for any other word.
std::string_view BuiltInType(std::string_view upper) {
  static const std::unordered_map<std::string_view, std::string_view> kNames{
      {"INT", "INTEGER"},     {"INTEGER", "INTEGER"},     {"BIGINT", "LONG"},
      {"VARCHAR", "STRING"},  {"VARBINARY", "BYTES"},     {"BOOLEAN", "BOOLEAN"},
      {"FLOAT", "FLOAT"},     {"DOUBLE", "DOUBLE"},       {"REAL", "REAL"},
      {"DECIMAL", "DECIMAL"}, {"NUMERIC", "DECIMAL"},     {"SMALLINT", "SMALLINT"},
      {"TINYINT", "TINYINT"}, {"CHAR", "CHAR"},           {"CHARACTER", "CHAR"},
      {"BINARY", "BINARY"},   {"TIMESTAMP", "TIMESTAMP"}, {"DATE", "DATE"},
      {"TIME", "TIME"},       {"UUID", "UUID"},
  };
  const auto it = kNames.find(upper);
  return it == kNames.end() ? std::string_view() : it->second;
}

// Returns true if the word ALL with `behind` after it is the opposite of DISTINCT, not a name.
bool IsQuantifier(const Token& behind) {
  switch (behind.kind) {
    case TokenKind::kWord:
      return !EndsSelectItem(behind.text) || behind.IsWord("CASE");
    case TokenKind::kQuotedIdentifier:
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kString:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<ExpressionParser::Node> ExpressionParser::ParseCall(Expr name) {
  std::string function = CanonicalFunctionName(name.name);
  Arguments arguments;
  in_.Advance();  // (
  TRELLIS_RETURN_IF_ERROR(ParseCallArguments(&function, &arguments));
  if (!in_.Take(")")) return in_.Fail("',' or ')'");
  TRELLIS_ASSIGN_OR_RETURN(Node call, Make(function, name.position, std::move(arguments)));
  return ParseCallSuffix(std::move(call));
}

// Everything between the brackets of a call. Changes `function` for COUNT(DISTINCT x).
Status ExpressionParser::ParseCallArguments(std::string* function, Arguments* arguments) {
  if (in_.At(")")) return Status::Ok();
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  if (in_.At("*")) {
    arguments->Add({Expr::Star(in_.Advance().position)});
    return Status::Ok();
  }
  const Position position = in_.current().position;
  if (in_.TakeWord("DISTINCT")) {
    const std::string_view distinct = DistinctForm(*function);
    if (distinct.empty()) {
      return in_.RefuseAt(position, fmt::format("DISTINCT is only supported in COUNT, SUM and AVG, "
                                                "not in {}",
                                                *function));
    }
    *function = distinct;
  } else if (in_.AtWord("ALL") && IsQuantifier(in_.Peek())) {
    in_.Advance();
  }
  const auto add = [&](Result<Node> node) {
    if (node.ok()) arguments->Add(std::move(node).value());
    return node.status();
  };
  if (TakesUnitFirst(*function) && in_.current().kind == TokenKind::kWord && in_.Peek().Is(",")) {
    std::string unit;
    TRELLIS_RETURN_IF_ERROR(ParseUnit(&unit));
    arguments->Add({Expr::Literal(Value::String(std::move(unit)), position)});
  } else if (*function == "position") {
    TRELLIS_RETURN_IF_ERROR(add(ParseBinary(kAdditive)));
    if (in_.TakeWord("IN")) return add(ParseBinary(kAdditive));
  } else {
    TRELLIS_RETURN_IF_ERROR(add(ParseBinary(kOr)));
  }
  const bool is_substring = *function == "substring" && in_.AtWord("FROM");
  const bool is_rounding = *function == "floor" || *function == "ceil" || *function == "ceiling";
  if (is_rounding && in_.TakeWord("TO")) {
    const Position unit_position = in_.current().position;
    std::string unit;
    TRELLIS_RETURN_IF_ERROR(ParseUnit(&unit));
    arguments->Add({Expr::Literal(Value::String(std::move(unit)), unit_position)});
    return Status::Ok();
  }
  while (in_.Take(",") || (is_substring && (in_.TakeWord("FROM") || in_.TakeWord("FOR")))) {
    TRELLIS_RETURN_IF_ERROR(add(ParseBinary(kOr)));
  }
  return Status::Ok();
}

// FILTER behind a call, and the refusal of what only the multi-stage engine has there.
Result<ExpressionParser::Node> ExpressionParser::ParseCallSuffix(Node call) {
  if (in_.AtWordThen("FILTER", "(")) {
    in_.Advance();
    in_.Advance();
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("WHERE"));
    TRELLIS_ASSIGN_OR_RETURN(Node condition, ParseBinary(kOr));
    TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
    if (condition.height >= kTreeHeightMax) return in_.Refuse("this filter is nested too deeply");
    call.height = std::max(call.height, condition.height + 1);
    call.expr.filter = std::make_shared<const Expr>(std::move(condition.expr));
  }
  if (in_.AtWord("OVER") || in_.AtWords("IGNORE", "NULLS") || in_.AtWords("RESPECT", "NULLS")) {
    return in_.Refuse("window functions (OVER) are only supported by the multi-stage engine");
  }
  if (in_.AtWords("WITHIN", "GROUP")) return in_.Refuse("WITHIN GROUP is not supported");
  return call;
}

Result<ExpressionParser::Node> ExpressionParser::ParseCase() {
  const Position position = in_.Advance().position;
  std::optional<Node> subject;
  if (!in_.AtWord("WHEN")) {
    TRELLIS_ASSIGN_OR_RETURN(subject, ParseBinary(kOr));
  }
  Arguments arguments;
  if (!in_.AtWord("WHEN")) return in_.Fail("WHEN");
  const size_t subject_size_bytes = subject ? CopySizeBytes(subject->expr) : 0;
  while (in_.AtWord("WHEN")) {
    const Position when_position = in_.Advance().position;
    TRELLIS_ASSIGN_OR_RETURN(Node condition, ParseBinary(kOr));
    if (subject) {
      // CASE x WHEN a, b is CASE WHEN x IN (a, b).
      copied_size_bytes_ += subject_size_bytes;
      if (copied_size_bytes_ > kCopiedSizeBytesMax) {
        return in_.RefuseAt(when_position, "CASE x WHEN ... repeats too large an x too often");
      }
      Arguments values;
      values.Add(*subject);
      values.Add(std::move(condition));
      while (in_.Take(",")) {
        TRELLIS_ASSIGN_OR_RETURN(Node value, ParseBinary(kOr));
        values.Add(std::move(value));
      }
      const std::string_view function = values.exprs.size() == 2 ? "equals" : "in";
      TRELLIS_ASSIGN_OR_RETURN(condition, Make(function, when_position, std::move(values)));
    }
    arguments.Add(std::move(condition));
    TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("THEN"));
    TRELLIS_ASSIGN_OR_RETURN(Node value, ParseBinary(kOr));
    arguments.Add(std::move(value));
  }
  Node otherwise{Expr::Literal(Value::Null(), in_.current().position)};
  if (in_.TakeWord("ELSE")) {
    TRELLIS_ASSIGN_OR_RETURN(otherwise, ParseBinary(kOr));
  }
  if (!in_.TakeWord("END")) return in_.Fail("WHEN, ELSE or END");
  arguments.Add(std::move(otherwise));
  return Make("case", position, std::move(arguments));
}

Result<ExpressionParser::Node> ExpressionParser::ParseCast() {
  const Position position = in_.Advance().position;
  in_.Advance();  // (
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  TRELLIS_ASSIGN_OR_RETURN(Node operand, ParseBinary(kOr));
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("AS"));
  const Position type_position = in_.current().position;
  TRELLIS_ASSIGN_OR_RETURN(std::string type, ParseTypeName());
  TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
  return Make("cast", position, std::move(operand),
              Node{Expr::Literal(Value::String(std::move(type)), type_position)});
}

// Precision and scale are read and dropped, as Pinot does.
Result<std::string> ExpressionParser::ParseTypeName() {
  const bool is_name = in_.current().kind == TokenKind::kQuotedIdentifier;
  if (!is_name && in_.current().kind != TokenKind::kWord) return in_.Fail("a type");
  Token token = in_.Advance();
  if (is_name) return std::move(token.value);
  const std::string upper = ToUpperAscii(token.text);
  if (upper == "DOUBLE") in_.TakeWord("PRECISION");
  if (upper == "CHARACTER" && in_.TakeWord("VARYING")) return std::string("STRING");
  if (in_.Take("(")) {
    do {
      if (in_.current().kind != TokenKind::kInteger) return in_.Fail("a number of digits");
      in_.Advance();
    } while (in_.Take(","));
    TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
  }
  const std::string_view built_in = BuiltInType(upper);
  return std::string(built_in.empty() ? token.text : built_in);
}

Status ExpressionParser::ParseUnit(std::string* unit) {
  if (in_.current().kind != TokenKind::kWord) return in_.Fail("a unit of time such as DAY");
  *unit = ToUpperAscii(in_.Advance().text);
  if (constexpr std::string_view kOdbc = "SQL_TSI_"; unit->starts_with(kOdbc)) {
    unit->erase(0, kOdbc.size());
  }
  return Status::Ok();
}

Result<ExpressionParser::Node> ExpressionParser::ParseExtract() {
  const Position position = in_.Advance().position;
  in_.Advance();  // (
  const Position unit_position = in_.current().position;
  std::string unit;
  TRELLIS_RETURN_IF_ERROR(ParseUnit(&unit));
  TRELLIS_RETURN_IF_ERROR(in_.ExpectWord("FROM"));
  TRELLIS_ASSIGN_OR_RETURN(Node operand, ParseBinary(kOr));
  TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
  return Make("extract", position,
              Node{Expr::Literal(Value::String(std::move(unit)), unit_position)},
              std::move(operand));
}

// TRIM(x), TRIM(chars FROM x), TRIM(LEADING FROM x), TRIM(LEADING chars FROM x).
Result<ExpressionParser::Node> ExpressionParser::ParseTrim() {
  const Position position = in_.Advance().position;
  in_.Advance();  // (
  TRELLIS_RETURN_IF_ERROR(CheckNoSubquery());
  std::string side = "BOTH";
  bool has_side = false;
  for (const std::string_view word : {"BOTH", "LEADING", "TRAILING"}) {
    const Token& behind = in_.Peek();
    if (!in_.AtWord(word) || behind.kind == TokenKind::kSymbol) continue;
    in_.Advance();
    side = word;
    has_side = true;
    break;
  }
  Node characters{Expr::Literal(Value::String(" "), position)};
  std::optional<Node> operand;
  if (!has_side || !in_.AtWord("FROM")) {
    TRELLIS_ASSIGN_OR_RETURN(operand, ParseBinary(kOr));
  }
  if (has_side && !in_.AtWord("FROM")) return in_.Fail("FROM");
  if (in_.TakeWord("FROM")) {
    if (operand) characters = std::move(*operand);
    TRELLIS_ASSIGN_OR_RETURN(operand, ParseBinary(kOr));
  }
  TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
  Arguments arguments;
  arguments.Add({Expr::Literal(Value::String(std::move(side)), position)});
  arguments.Add(std::move(characters));
  arguments.Add(std::move(*operand));
  return Make("trim", position, std::move(arguments));
}

// INTERVAL '5' DAY, INTERVAL -'1-2' YEAR(2) TO MONTH: a STRING with the quoted text.
Result<ExpressionParser::Node> ExpressionParser::ParseInterval() {
  const Position position = in_.Advance().position;
  std::string value = in_.Take("-") ? "-" : "";
  in_.Take("+");
  if (in_.current().kind != TokenKind::kString) return in_.Fail("a string such as '1'");
  value += in_.Advance().value;
  do {
    if (in_.current().kind != TokenKind::kWord || !IsTimeUnit(in_.current().text)) {
      return in_.Fail("a unit of time such as DAY");
    }
    in_.Advance();
    if (in_.Take("(")) {
      do {
        if (in_.current().kind != TokenKind::kInteger) return in_.Fail("a number of digits");
        in_.Advance();
      } while (in_.Take(","));
      TRELLIS_RETURN_IF_ERROR(in_.Expect(")"));
    }
  } while (in_.TakeWord("TO"));
  return Node{Expr::Literal(Value::String(std::move(value)), position)};
}

Result<ExpressionParser::Node> ExpressionParser::ParseArray() {
  const Position position = in_.Advance().position;
  in_.Advance();  // [
  Arguments arguments;
  if (!in_.At("]")) {
    do {
      TRELLIS_ASSIGN_OR_RETURN(Node element, ParseBinary(kOr));
      arguments.Add(std::move(element));
    } while (in_.Take(","));
  }
  if (!in_.Take("]")) return in_.Fail("',' or ']'");
  return Make("arrayvalueconstructor", position, std::move(arguments));
}

}  // namespace trellis::sql
