#pragma once

#include <string>
#include <vector>

#include "common/types/value.h"

namespace trellis::plan {

// A bound, typed expression: names are resolved, types are known. A value type; immutable by
// convention.
struct Expression {
  enum class Kind : uint8_t {
    kColumn,    // `name` = the column as the schema spells it; `$docId` and the like too
    kLiteral,   // `literal`
    kFunction,  // `name` = canonical function name (lower case, no underscores:
                // "jsonextractscalar"; comparison names keep theirs: "greater_than"), `arguments`
    kMapKey,  // item(`name`, `key`): one key of a MAP or OPEN_STRUCT column
  };
  Kind kind = Kind::kLiteral;
  ValueType type;
  std::string name;
  std::string key;
  Value literal;
  std::vector<Expression> arguments;

  static Expression Column(std::string name, ValueType type) {
    return {Kind::kColumn, type, std::move(name), {}, {}, {}};
  }
  static Expression Literal(Value value) {
    const ValueType type = value.value_type();
    return {Kind::kLiteral, type, {}, {}, std::move(value), {}};
  }
  static Expression Function(std::string name, ValueType type, std::vector<Expression> arguments) {
    return {Kind::kFunction, type, std::move(name), {}, {}, std::move(arguments)};
  }
  static Expression MapKey(std::string column, std::string key, ValueType type) {
    return {Kind::kMapKey, type, std::move(column), std::move(key), {}, {}};
  }
  bool is_literal() const { return kind == Kind::kLiteral; }
  bool is_column() const { return kind == Kind::kColumn; }
  bool operator==(const Expression&) const = default;
};

// Pinot's printed form, which names result columns: `sum(plus(times(intCol,'2'),rangeCol))`;
// literals are always single-quoted (pinot-wire.md section 9).
std::string PrintExpression(const Expression& expression);

}  // namespace trellis::plan
