#include <optional>

#include "common/base/nearest_name.h"
#include "common/eval/cast.h"
#include "common/eval/json_document.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/types/java_text.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

Status Inconvertible(const JsonNode& node, DataType type) {
  std::string text;
  AppendJson(node, text);
  return Status::Query(PinotCode::kQueryExecution, "JSON value {} is no {}", text.substr(0, 256),
                       DataTypeName(type));
}

bool IsNumber(const JsonNode& node) {
  return node.kind == JsonNode::Kind::kInteger || node.kind == JsonNode::Kind::kFraction;
}

// LONG of a number or text: integers as they are, fractions truncated.
std::optional<int64_t> ToLong(const JsonNode& node) {
  if (node.kind == JsonNode::Kind::kBoolean) return node.boolean;
  if (!IsNumber(node) && node.kind != JsonNode::Kind::kText) return std::nullopt;
  if (const auto exact = ParseJavaLong(node.text)) return exact;
  const auto number = ParseJavaDouble(node.text);
  return number ? std::optional(JavaDoubleToLong(*number)) : std::nullopt;
}

std::optional<int32_t> ToInt(const JsonNode& node) {
  if (node.kind == JsonNode::Kind::kText) return ParseJavaInt(node.text);
  if (node.kind == JsonNode::Kind::kFraction)
    return JavaDoubleToInt(ParseJavaDouble(node.text).value_or(0));
  const auto value = ToLong(node);
  return value ? std::optional(static_cast<int32_t>(*value)) : std::nullopt;
}

std::optional<double> ToDouble(const JsonNode& node) {
  if (node.kind == JsonNode::Kind::kBoolean) return node.boolean ? 1 : 0;
  if (!IsNumber(node) && node.kind != JsonNode::Kind::kText) return std::nullopt;
  return ParseJavaDouble(node.text);
}

std::string ToText(const JsonNode& node) {
  if (node.kind == JsonNode::Kind::kText) return node.text;
  std::string text;
  AppendJson(node, text);
  return text;
}

// Converts one resolved value (pinot-functions.md section 6); bad ones are faults even with a
// default.
Result<Value> Convert(const JsonNode& node, DataType type) {
  switch (type) {
    case DataType::kInt:
      if (const auto v = ToInt(node)) return Value::Int(*v);
      break;
    case DataType::kLong:
      if (const auto v = ToLong(node)) return Value::Long(*v);
      break;
    case DataType::kFloat:
      if (const auto v = ToDouble(node)) {
        const auto nearest = ParseJavaFloat(node.text);
        return Value::Float(nearest.value_or(static_cast<float>(*v)));
      }
      break;
    case DataType::kDouble:
      if (const auto v = ToDouble(node)) return Value::Double(*v);
      break;
    case DataType::kBigDecimal: {
      const auto decimal =
          BigDecimal::FromText(node.kind == JsonNode::Kind::kBoolean ? (node.boolean ? "1" : "0")
                                                                     : std::string_view(node.text));
      if (decimal.ok()) return Value::Bytes(type, decimal->ToBytes());
      break;
    }
    case DataType::kBoolean:
      if (node.kind == JsonNode::Kind::kBoolean) return Value::Boolean(node.boolean);
      if (IsNumber(node)) return Value::Boolean(ToDouble(node).value_or(0) != 0);
      if (node.kind == JsonNode::Kind::kText) {
        return Value::Boolean(node.text == "1" || EqualsIgnoreCase(node.text, "true"));
      }
      break;
    case DataType::kTimestamp:
      if (IsNumber(node)) return Value::Timestamp(ToLong(node).value_or(0));
      if (node.kind == JsonNode::Kind::kText) {
        if (const auto v = ParseTimestampText(node.text)) return Value::Timestamp(*v);
      }
      break;
    default:
      return Value::Bytes(type, ToText(node));
  }
  return Inconvertible(node, type);
}

struct Extraction {
  JsonPath path;
  ValueType type;
  bool has_default = false;
  Value default_value;  // NULL: the row is null

  // The value of one row; nullopt when the path leads nowhere.
  Result<std::optional<Value>> Extract(std::string_view text) const {
    const std::optional<JsonNode> root = ParseJson(text);
    if (!root) return std::optional<Value>();
    JsonNode list{.kind = JsonNode::Kind::kArray};
    const JsonNode* node = nullptr;
    if (path.has_wildcard()) {
      for (const JsonPath::Match& match : path.Find(*root, false))
        list.elements.push_back(*match.node);
      node = &list;
    } else {
      node = path.FindOne(*root);
    }
    if (node == nullptr || node->kind == JsonNode::Kind::kNull) return std::optional<Value>();
    if (!type.multi_value) {
      TRELLIS_ASSIGN_OR_RETURN(Value value, Convert(*node, type.type));
      return std::optional<Value>(std::move(value));
    }
    std::vector<Value> elements;
    if (node->kind == JsonNode::Kind::kArray) {
      for (const JsonNode& element : node->elements) {
        TRELLIS_ASSIGN_OR_RETURN(Value value, Element(element));
        elements.push_back(std::move(value));
      }
    }
    return std::optional<Value>(Value::Array(type.type, std::move(elements)));
  }

  Result<Value> Element(const JsonNode& element) const {
    if (element.kind != JsonNode::Kind::kNull) return Convert(element, type.type);
    if (has_default && !default_value.is_null()) return default_value;
    return Inconvertible(element, type.type);
  }
};

Result<Extraction> ParseExtraction(const Call& call) {
  TRELLIS_ASSIGN_OR_RETURN(const std::string path, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(const std::string type_name, call.LiteralText(2));
  Extraction extraction;
  TRELLIS_ASSIGN_OR_RETURN(extraction.path, JsonPath::Compile(path));
  const auto type = ParseCastTarget(type_name);
  if (!type || type->type == DataType::kBytes || type->type == DataType::kUuid) {
    return Status::Query(PinotCode::kQueryValidation, "Unsupported results type of {}: {}",
                         call.name, type_name);
  }
  extraction.type = *type;
  if (call.size() > 3) {
    if (call.arguments[3].literal == nullptr) return call.Unsuitable();
    extraction.has_default = true;
    extraction.default_value = Value::Null(type->type);
    if (call.literal(3) != nullptr) {
      TRELLIS_ASSIGN_OR_RETURN(extraction.default_value,
                               ParseValue(ValueToText(*call.literal(3)), type->type));
    }
  }
  return extraction;
}

// Appends one row of the answer.
Status AppendRow(const Extraction& extraction, std::string_view text, bool is_null,
                 ColumnVector& out) {
  Result<std::optional<Value>> value = extraction.Extract(text);
  if (is_null) {
    out.Append(Value::Null(extraction.type.type));
    return Status::Ok();
  }
  if (!value.ok()) return value.status();
  if (*value) {
    out.Append(**value);
  } else if (extraction.type.multi_value) {
    out.Append(Value::Array(extraction.type.type, {}));
  } else if (extraction.has_default) {
    out.Append(extraction.default_value);
  } else {
    return Status::Query(
        PinotCode::kQueryExecution,
        "Cannot resolve JSON path on some records. Consider setting a default value.");
  }
  return Status::Ok();
}

Result<FunctionPtr> ResolveExtractScalar(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 4));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  if (call.arguments[0].literal != nullptr ||
      !(IsText(call.type(0)) || call.type(0) == DataType::kBytes)) {
    return call.Unsuitable();
  }
  TRELLIS_ASSIGN_OR_RETURN(Extraction extraction, ParseExtraction(call));
  const ValueType type = extraction.type;
  return MakeNullHandlingFunction(
      type,
      [extraction = std::move(extraction), type](Vectors arguments, size_t rows,
                                                 const EvaluationContext& context,
                                                 ColumnVector& out) -> Status {
        out.Reset(type);  // rows are appended
        const RowReader<std::string_view> json(*arguments[0]);
        for (size_t row = 0; row < rows; ++row) {
          TRELLIS_RETURN_IF_ERROR(
              AppendRow(extraction, json[row], IsNullRow(arguments.first(1), row, context), out));
        }
        return Status::Ok();
      });
}

Result<FunctionPtr> ResolveExtractKey(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 3));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  if (call.size() == 3) {
    return Status::Query(PinotCode::kQueryValidation, "Unsupported function: {} with parameters",
                         call.name);
  }
  if (!IsText(call.type(0))) return call.Unsuitable();
  TRELLIS_ASSIGN_OR_RETURN(const std::string text, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(JsonPath path, JsonPath::Compile(text));
  return MakeFunction(
      ValueType{DataType::kString, true},
      [path = std::move(path)](Vectors arguments, size_t rows, const EvaluationContext& context,
                               ColumnVector& out) -> Status {
        const RowReader<std::string_view> json(*arguments[0]);
        std::vector<std::string_view>& to = out.values<std::string_view>();
        for (size_t row = 0; row < rows; ++row) {
          const std::optional<JsonNode> root = ParseJson(json[row]);
          if (!root && !IsNullRow(arguments, row, context)) {
            return Status::Query(PinotCode::kQueryExecution, "Not JSON: '{}'",
                                 json[row].substr(0, 256));
          }
          if (root) {
            for (const JsonPath::Match& match : path.Find(*root, true))
              to.push_back(out.arena().Copy(match.path));
          }
          out.offsets().push_back(static_cast<uint32_t>(to.size()));
        }
        out.SetSize(rows);
        return Status::Ok();
      });
}

}  // namespace

void RegisterJson(Registry& registry) {
  registry.Add({"json_extract_scalar"}, Folding::kNever, ResolveExtractScalar);
  registry.Add({"json_extract_key"}, Folding::kNever, ResolveExtractKey);
}

}  // namespace trellis::eval
