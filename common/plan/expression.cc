#include "common/plan/expression.h"

namespace trellis::plan {

std::string PrintExpression(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kColumn:
      return expression.name;
    case Expression::Kind::kLiteral:
      return "'" + ValueToText(expression.literal) + "'";
    case Expression::Kind::kMapKey:
      return "item(" + expression.name + ",'" + expression.key + "')";
    case Expression::Kind::kFunction:
      break;
  }
  std::string text = expression.name + "(";
  for (size_t i = 0; i < expression.arguments.size(); ++i) {
    if (i > 0) text += ",";
    text += PrintExpression(expression.arguments[i]);
  }
  return text + ")";
}

}  // namespace trellis::plan
