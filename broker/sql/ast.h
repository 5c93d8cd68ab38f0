#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/types/value.h"

// The parsed form of one query. Names and shapes are already Pinot's canonical ones (pinot-sql.md
// section 1, pinot-functions.md section 1), so binding only has to add the catalog. Plain values:
// copy freely.
namespace trellis::sql {

// A place in the query text. Columns count code points.
struct Position {
  int line = 1;
  int column = 1;
  size_t offset_bytes = 0;
};

struct Expr {
  enum class Kind : uint8_t {
    kIdentifier,  // `name` as written: dots kept, quotes removed
    kLiteral,     // `literal`
    kFunction,    // `name` canonical, `args`
    kStar,        // `*`; `name` = t for `t.*`
  };
  Kind kind = Kind::kLiteral;
  bool quoted = false;  // kIdentifier: some part was written in double quotes
  // kFunction: lower case without '_' (`jsonextractscalar`), but these keep theirs, whether written
  // as an operator or as a call: not_equals greater_than greater_than_or_equal less_than
  // less_than_or_equal not_in is_null is_not_null is_true is_not_true is_false is_not_false
  // is_distinct_from is_not_distinct_from regexp_like text_match json_match vector_similarity
  // vector_similarity_radius semantic_match. Operators: plus minus times divide mod negate equals
  // and or not in between like item case cast extract, and `||` for concatenation, which Pinot's
  // single-stage engine has no function for. Shapes:
  //   and, or            flat, at least two arguments
  //   case               cond, value, cond, value, ..., else; a NULL literal when ELSE is absent
  //   cast               x, STRING literal: INTEGER LONG STRING BYTES for INT BIGINT VARCHAR
  //                      VARBINARY, other SQL types in upper case, Pinot's own (long) as written
  //   extract            STRING literal in upper case, x
  //   trim               STRING literal BOTH LEADING or TRAILING, characters, x; also for TRIM(x)
  //   timestampadd, timestampdiff, dateadd, datediff
  //                      a bare unit word becomes a STRING literal in upper case
  //   item               x, key
  //   distinctcount, distinctsum, distinctavg          COUNT, SUM, AVG of DISTINCT
  //   count              one kStar for COUNT(*)
  std::string name;
  Value literal;  // INT, LONG, DOUBLE, BOOLEAN, STRING or Value::Null()
  std::vector<Expr> args;
  std::shared_ptr<const Expr> filter;  // kFunction: `f(x) FILTER (WHERE filter)`, or null
  Position position;

  bool is_identifier() const { return kind == Kind::kIdentifier; }
  bool is_literal() const { return kind == Kind::kLiteral; }
  bool is_star() const { return kind == Kind::kStar; }
  bool is_function() const { return kind == Kind::kFunction; }
  bool is_function(std::string_view canonical) const { return is_function() && name == canonical; }

  static Expr Identifier(std::string name, Position position = {}) {
    Expr e;
    e.kind = Kind::kIdentifier;
    e.name = std::move(name);
    e.position = position;
    return e;
  }
  static Expr Literal(Value value, Position position = {}) {
    Expr e;
    e.literal = std::move(value);
    e.position = position;
    return e;
  }
  static Expr Function(std::string name, std::vector<Expr> args, Position position = {}) {
    Expr e;
    e.kind = Kind::kFunction;
    e.name = std::move(name);
    e.args = std::move(args);
    e.position = position;
    return e;
  }
  static Expr Star(Position position = {}) {
    Expr e;
    e.kind = Kind::kStar;
    e.position = position;
    return e;
  }

  // Equal up to positions and quoting; identifiers compare exactly.
  bool operator==(const Expr& other) const {
    return kind == other.kind && name == other.name && literal == other.literal &&
           args == other.args && (filter == nullptr) == (other.filter == nullptr) &&
           (filter == nullptr || *filter == *other.filter);
  }
};

struct SelectItem {
  Expr expr;
  std::string alias;
  bool has_alias = false;
};

struct OrderItem {
  Expr expr;
  bool ascending = true;
  std::optional<bool> nulls_first;
};

struct Select {
  bool explain = false;  // EXPLAIN PLAN FOR
  bool distinct = false;
  std::vector<SelectItem> items;
  std::string table;  // as written, dots kept, quotes removed; empty without FROM
  Position table_position;
  std::optional<Expr> where;
  std::vector<Expr> group_by;
  std::optional<Expr> having;
  std::vector<OrderItem> order_by;
  std::optional<int64_t> limit;  // >= 0
  std::optional<int64_t> offset;
};

struct Statement {
  // SET's, then OPTION's that SET does not name. Keys as written, unique but for case; values as
  // text without quotes. The caller appends the HTTP field and its own defaults, which fill gaps
  // only.
  std::vector<std::pair<std::string, std::string>> options;
  Select select;
};

}  // namespace trellis::sql
