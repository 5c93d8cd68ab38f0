#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/eval/evaluator.h"

namespace trellis::eval {

// Builders for expressions and a table of columns to evaluate them over.

inline plan::Expression Lit(Value value) { return plan::Expression::Literal(std::move(value)); }
inline plan::Expression Lit(const char* text) { return Lit(Value::String(text)); }
inline plan::Expression Lit(int value) { return Lit(Value::Int(value)); }
inline plan::Expression Lit(double value) { return Lit(Value::Double(value)); }
inline plan::Expression Null() { return Lit(Value::Null()); }

inline plan::Expression Fn(std::string name, std::vector<plan::Expression> arguments) {
  return plan::Expression::Function(std::move(name), {}, std::move(arguments));
}

class Table final : public ColumnSource {
 public:
  // The type of a column is that of its first value that is not null.
  Table& With(const std::string& name, const std::vector<Value>& values, bool multi_value = false) {
    DataType type = DataType::kUnknown;
    for (const Value& value : values) {
      if (type == DataType::kUnknown) type = value.type();
    }
    ColumnVector vector(ValueType{type, multi_value});
    for (const Value& value : values) vector.Append(value);
    rows_ = values.size();
    columns_[name] = std::move(vector);
    return *this;
  }
  plan::Expression Col(const std::string& name) const {
    return plan::Expression::Column(name, columns_.at(name).value_type());
  }
  size_t rows() const override { return rows_; }
  Result<const ColumnVector*> Column(std::string_view name) override {
    return &columns_.at(std::string(name));
  }
  Result<const ColumnVector*> MapKey(std::string_view column, std::string_view, DataType) override {
    return Status::NotFound("no map {}", column);
  }

  // The rows of an expression, typed.
  Result<std::vector<Value>> Rows(const plan::Expression& expression, bool null_handling = false,
                                  Layer layer = Layer::kTransform) {
    TRELLIS_ASSIGN_OR_RETURN(Evaluator evaluator,
                             Evaluator::Create(expression, layer, {null_handling}));
    TRELLIS_ASSIGN_OR_RETURN(const ColumnVector* result, evaluator.Evaluate(*this));
    if (result->size() != rows_) return Status::Internal("{} rows of {}", result->size(), rows_);
    std::vector<Value> rows;
    for (size_t row = 0; row < rows_; ++row) rows.push_back(result->Get(row));
    return rows;
  }
  // The rows as "TYPE: text, text, ...", or "error CODE".
  std::string Show(const plan::Expression& expression, bool null_handling = false,
                   Layer layer = Layer::kTransform) {
    const auto evaluator = Evaluator::Create(expression, layer, {null_handling});
    if (!evaluator.ok())
      return "error " + std::to_string(static_cast<int>(evaluator.status().pinot_code()));
    const auto rows = Rows(expression, null_handling, layer);
    if (!rows.ok()) return "error " + std::to_string(static_cast<int>(rows.status().pinot_code()));
    std::string text = ValueTypeName(evaluator->type()) + ":";
    for (const Value& value : *rows) text += (text.back() == ':' ? " " : ", ") + ValueToText(value);
    return text;
  }

 private:
  std::map<std::string, ColumnVector> columns_;
  size_t rows_ = 0;
};

// A call of literals over one row, as Table::Show.
inline std::string ShowCall(std::string name, std::vector<plan::Expression> arguments) {
  Table table;
  table.With("row", {Value::Int(0)});
  return table.Show(Fn(std::move(name), std::move(arguments)));
}

// The same folded at the broker.
inline std::string Fold(std::string name, std::vector<plan::Expression> arguments) {
  const auto value = EvaluateConstant(Fn(std::move(name), std::move(arguments)), Layer::kScalar);
  if (!value.ok()) return "error " + std::to_string(static_cast<int>(value.status().pinot_code()));
  return ValueTypeName(value->value_type()) + ": " + ValueToText(*value);
}

}  // namespace trellis::eval
