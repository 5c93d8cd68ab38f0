#include "common/plan/expression.h"

#include <catch2/catch.hpp>

namespace trellis::plan {
namespace {

TEST_CASE("an expression prints as Pinot names its column") {
  const Expression column = Expression::Column("intCol", {DataType::kInt, false});
  const Expression times = Expression::Function("times", {DataType::kDouble, false},
                                                {column, Expression::Literal(Value::Int(2))});
  CHECK(PrintExpression(times) == "times(intCol,'2')");
  CHECK(PrintExpression(Expression::Function("now", {DataType::kLong, false}, {})) == "now()");
  CHECK(PrintExpression(Expression::MapKey("m", "k1", {DataType::kString, false})) ==
        "item(m,'k1')");
  CHECK(PrintExpression(Expression::Literal(Value::Double(1e5))) == "'100000.0'");
  CHECK(PrintExpression(Expression::Literal(Value::Null())) == "'null'");
}

TEST_CASE("expressions differ by name, key, type and arguments") {
  const Expression a = Expression::Column("a", {DataType::kInt, false});
  CHECK(a == Expression::Column("a", {DataType::kInt, false}));
  CHECK_FALSE(a == Expression::Column("b", {DataType::kInt, false}));
  CHECK_FALSE(a == Expression::Column("a", {DataType::kInt, true}));
  CHECK_FALSE(Expression::MapKey("m", "x", {}) == Expression::MapKey("m", "y", {}));
}

}  // namespace
}  // namespace trellis::plan
