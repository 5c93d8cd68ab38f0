#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/sql/ast.h"
#include "broker/sql/token_stream.h"
#include "common/base/status.h"

namespace trellis::sql {

// Parses expressions by precedence climbing. From weak to strong: OR; AND; NOT; IS; comparisons;
// IN, LIKE, BETWEEN; + -; * / % ||; unary minus; [ ]. One level is a loop, so `a AND b AND ...` and
// IN lists of any length need no stack; nesting and tree height are bounded by parser.h's limits.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream* tokens) : in_(*tokens) {}

  // Errors: kSqlParsing.
  Result<Expr> Parse();
  // A name: `a`, `"a b"`, `a.b`, or `a.*` as kStar. Errors: kSqlParsing, also for reserved words.
  Result<Expr> ParseName();

 private:
  enum Precedence : int {
    kOr = 1,
    kAnd,
    kNot,
    kIs,
    kComparison,
    kRange,
    kAdditive,
    kMultiplicative
  };
  struct Infix {
    std::string_view function;  // empty: a form of its own (IS, IN, LIKE, BETWEEN, AT TIME ZONE)
    int precedence = 0;         // 0: no infix operator
  };
  struct Node {
    Expr expr;
    int height = 1;
  };
  struct Arguments {
    std::vector<Expr> exprs;
    int height = 0;  // of the highest
    void Add(Node node);
  };

  static Infix SymbolInfix(std::string_view symbol);
  Infix FindInfix();
  Result<Node> ParseBinary(int precedence_min);
  Result<Node> ParseUnary();
  Result<Node> ParsePrefixed();
  Result<Node> ParsePrimary();
  Result<Node> ParsePostfix(Node node);
  Result<Node> ParseBracketed();
  Result<Node> ParseWord();
  Result<Node> ParseNumber();
  Result<Node> ParseInfix(Node left, std::string_view function, int precedence);
  Result<Node> ParseIs(Node left);
  Result<Node> ParseRange(Node left);
  Result<Node> ParseBetween(Node left, const Position& position);
  Result<Node> ParseIn(Node left, std::string_view function, const Position& position);
  Result<Node> ParseLike(Node left, std::string_view function, const Position& position);

  // special_form.cc: calls and literals with a syntax of their own.
  Result<Node> ParseCall(Expr name);
  Status ParseCallArguments(std::string* function, Arguments* arguments);
  Result<Node> ParseCallSuffix(Node call);
  Result<Node> ParseCase();
  Result<Node> ParseCast();
  Result<Node> ParseExtract();
  Result<Node> ParseTrim();
  Result<Node> ParseInterval();
  Result<Node> ParseArray();
  Result<std::string> ParseTypeName();
  Status ParseUnit(std::string* unit);

  // A function over `arguments`. Errors: the tree becomes too high.
  Result<Node> Make(std::string_view function, const Position& position, Arguments arguments);
  Result<Node> Make(std::string_view function, const Position& position, Node argument);
  Result<Node> Make(std::string_view function, const Position& position, Node left, Node right);
  Status CheckNoSubquery();
  // Counts one level of nesting; whoever leaves it decrements. An error ends the whole parse.
  Status EnterLevel();

  TokenStream& in_;
  int nesting_ = 0;
  size_t copied_size_bytes_ = 0;  // of the subjects of CASE x WHEN, over all their copies
};

}  // namespace trellis::sql
