#include "common/eval/evaluator.h"

#include <catch2/catch.hpp>

namespace trellis::eval {
namespace {

using plan::Expression;

// Two rows of a column `a` = 3, NULL (stored as 0) and of a column `s` = "x", "y".
class TwoRows : public ColumnSource {
 public:
  TwoRows() : a_(DataType::kInt), s_(DataType::kString) {
    a_.Append(Value::Int(3));
    a_.Append(Value::Int(0));
    a_.SetNull(1);
    s_.Append(Value::String("x"));
    s_.Append(Value::String("y"));
  }
  size_t rows() const override { return 2; }
  Result<const ColumnVector*> Column(std::string_view name) override {
    ++reads;
    if (name == "a") return &a_;
    if (name == "s") return &s_;
    return Status::NotFound("no column {}", name);
  }
  Result<const ColumnVector*> MapKey(std::string_view, std::string_view, DataType) override {
    return Status::NotFound("no map");
  }
  int reads = 0;

 private:
  ColumnVector a_;
  ColumnVector s_;
};

const Expression kA = Expression::Column("a", {DataType::kInt, false});

Expression Plus(Expression left, Expression right) {
  return Expression::Function("plus", {}, {std::move(left), std::move(right)});
}

TEST_CASE("a column evaluates to the source's own vector") {
  TwoRows source;
  auto evaluator = Evaluator::Create(kA, Layer::kTransform, {});
  REQUIRE(evaluator.ok());
  const auto vector = evaluator->Evaluate(source);
  REQUIRE(vector.ok());
  CHECK(*vector == *source.Column("a"));
}

TEST_CASE("a null argument makes the row null, and the value under it is still computed") {
  TwoRows source;
  auto evaluator =
      Evaluator::Create(Plus(kA, Expression::Literal(Value::Int(1))), Layer::kTransform, {});
  REQUIRE(evaluator.ok());
  CHECK(evaluator->type() == ValueType{DataType::kDouble, false});
  const auto vector = evaluator->Evaluate(source);
  REQUIRE(vector.ok());
  CHECK((*vector)->Get(0) == Value::Double(4));
  CHECK((*vector)->is_null(1));
  CHECK((*vector)->values<double>()[1] == 1);
}

TEST_CASE("an unknown function, a missing column and a bad argument are errors, not answers") {
  TwoRows source;
  CHECK_FALSE(
      Evaluator::Create(Expression::Function("nosuch", {}, {kA}), Layer::kTransform, {}).ok());
  auto missing =
      Evaluator::Create(Expression::Column("z", {DataType::kInt, false}), Layer::kTransform, {});
  REQUIRE(missing.ok());
  CHECK_FALSE(missing->Evaluate(source).ok());
}

TEST_CASE("types are inferred bottom-up, per layer") {
  Expression sum = Plus(Expression::Literal(Value::Int(1)), Expression::Literal(Value::Int(1)));
  REQUIRE(InferTypes(sum, Layer::kScalar).ok());
  CHECK(sum.type == ValueType{DataType::kLong, false});
  const auto folded = EvaluateConstant(sum, Layer::kScalar);
  REQUIRE(folded.ok());
  CHECK(*folded == Value::Long(2));
}

}  // namespace
}  // namespace trellis::eval
