// Turns a parsed but untrusted trellis.v1.LeafStage into a plan that is safe to run. Paths in
// errors are built on the way out, so a sound plan pays nothing for them.
#include <google/protobuf/io/coded_stream.h>

#include "common/types/big_decimal.h"
#include "common/wire/field_counter.h"
#include "common/wire/message_limits.h"
#include "common/wire/plan_codec.h"
#include "trellis/v1/plan.pb.h"

namespace trellis::wire {
namespace {

constexpr size_t kUuidSizeBytes = 16;

// The sizes of an expression and a filter in memory, in values: what one costs of plan_nodes_max.
constexpr size_t kExpressionCost = 4;
constexpr size_t kFilterCost = 8;

Result<DataType> DecodeType(int number) {
  if (number >= 0 && number <= static_cast<int>(DataType::kOpenStruct))
    return static_cast<DataType>(number);
  return Status::InvalidArgument("data type {} is not known to this build", number);
}

Result<ValueType> DecodeType(const v1::ValueType& from) {
  TRELLIS_ASSIGN_OR_RETURN(const DataType type, DecodeType(from.type()));
  return ValueType{type, from.multi_value()};
}

// Checks that `number` is one of 0..`last` and makes it an E.
template <class E>
Result<E> DecodeEnum(int number, E last, std::string_view what) {
  if (number >= 0 && number <= static_cast<int>(last)) return static_cast<E>(number);
  return Status::InvalidArgument("{} {} is not known to this build", what, number);
}

template <class... A>
Status In(Status status, fmt::format_string<A...> where, A&&... arguments) {
  return status.WithContext(fmt::format(where, std::forward<A>(arguments)...));
}

class PlanDecoder {
 public:
  Result<plan::LeafStage> Decode(const v1::LeafStage& from);

 private:
  // Counts nodes against the limit; every value, expression and filter comes by here before it is
  // made.
  Status Spend(size_t cost) {
    spent_ += cost;
    if (spent_ <= kMessageLimits.plan_nodes_max) return Status::Ok();
    return Status::ResourceExhausted("the plan has more than {} nodes",
                                     kMessageLimits.plan_nodes_max);
  }
  static Status CheckDepth(int depth) {
    if (depth <= kMessageLimits.plan_depth_max) return Status::Ok();
    return Status::ResourceExhausted("the plan is nested deeper than {}",
                                     kMessageLimits.plan_depth_max);
  }

  Result<Value> DecodeValue(const v1::Value& from);
  Result<Value> DecodeScalar(const v1::Value& from, DataType type);
  Result<Value> DecodeArray(const v1::Value& from, DataType type);
  Status DecodeExpression(const v1::Expression& from, plan::Expression& to, int depth = 1);
  template <class Repeated>
  Status DecodeExpressions(const Repeated& from, std::vector<plan::Expression>& to,
                           std::string_view where, int depth = 1);
  Result<Value> DecodeConstant(const v1::Value& from, const plan::Expression& subject);
  Status DecodePredicate(const v1::Predicate& from, plan::Predicate& to);
  Status DecodeFilter(const v1::Filter& from, plan::Filter& to, int depth = 1);
  Status DecodeAggregate(const v1::AggregateCall& from, plan::AggregateCall& to);

  size_t spent_ = 0;
};

Result<Value> PayloadMismatch(DataType type) {
  return Status::InvalidArgument("a value of type {} has a payload of another type",
                                 DataTypeName(type));
}

Result<Value> DecodeRaw(const v1::Value& from, DataType type) {
  if (type == DataType::kUnknown)
    return Status::InvalidArgument("a value of unknown type has a payload");
  if (type == DataType::kUuid && from.raw().size() != kUuidSizeBytes) {
    return Status::InvalidArgument("a UUID value has {} bytes, wanted {}", from.raw().size(),
                                   kUuidSizeBytes);
  }
  if (type == DataType::kBigDecimal) {
    const auto decimal = BigDecimal::FromBytes(from.raw());
    if (!decimal.ok())
      return Status::InvalidArgument("a BIG_DECIMAL value: {}", decimal.status().message());
  }
  return Value::Bytes(type, from.raw());
}

Result<Value> PlanDecoder::DecodeScalar(const v1::Value& from, DataType type) {
  switch (PhysicalOf(type)) {
    case Physical::kInt32:
      if (!from.has_int32()) return PayloadMismatch(type);
      if (type == DataType::kInt) return Value::Int(from.int32());
      if (from.int32() == 0 || from.int32() == 1) return Value::Boolean(from.int32() == 1);
      return Status::InvalidArgument("a BOOLEAN value is {}, wanted 0 or 1", from.int32());
    case Physical::kInt64:
      if (!from.has_int64()) return PayloadMismatch(type);
      return type == DataType::kLong ? Value::Long(from.int64()) : Value::Timestamp(from.int64());
    case Physical::kFloat:
      if (!from.has_float32()) return PayloadMismatch(type);
      return Value::Float(from.float32());
    case Physical::kDouble:
      if (!from.has_float64()) return PayloadMismatch(type);
      return Value::Double(from.float64());
    case Physical::kBytes:
      break;
  }
  if (!from.has_raw()) return PayloadMismatch(type);
  return DecodeRaw(from, type);
}

Result<Value> PlanDecoder::DecodeArray(const v1::Value& from, DataType type) {
  std::vector<Value> elements;
  for (const v1::Value& element : from.array().values()) {
    TRELLIS_RETURN_IF_ERROR(Spend(1));
    if (static_cast<int>(element.type()) != static_cast<int>(type) || element.has_array()) {
      return Status::InvalidArgument("element {} of an array of {} has another type",
                                     elements.size(), DataTypeName(type));
    }
    if (element.payload_case() == v1::Value::PAYLOAD_NOT_SET) {
      return Status::InvalidArgument("element {} of an array of {} is NULL", elements.size(),
                                     DataTypeName(type));
    }
    TRELLIS_ASSIGN_OR_RETURN(Value decoded, DecodeScalar(element, type));
    elements.push_back(std::move(decoded));
  }
  return Value::Array(type, std::move(elements));
}

Result<Value> PlanDecoder::DecodeValue(const v1::Value& from) {
  TRELLIS_RETURN_IF_ERROR(Spend(1));
  TRELLIS_ASSIGN_OR_RETURN(const DataType type, DecodeType(from.type()));
  if (from.payload_case() == v1::Value::PAYLOAD_NOT_SET) return Value::Null(type);
  return from.has_array() ? DecodeArray(from, type) : DecodeScalar(from, type);
}

template <class Repeated>
Status PlanDecoder::DecodeExpressions(const Repeated& from, std::vector<plan::Expression>& to,
                                      std::string_view where, int depth) {
  for (const v1::Expression& expression : from) {
    plan::Expression decoded;
    Status status = DecodeExpression(expression, decoded, depth);
    if (!status.ok()) return In(std::move(status), "{}[{}]", where, to.size());
    to.push_back(std::move(decoded));
  }
  return Status::Ok();
}

Status PlanDecoder::DecodeExpression(const v1::Expression& from, plan::Expression& to, int depth) {
  using Kind = plan::Expression::Kind;
  TRELLIS_RETURN_IF_ERROR(CheckDepth(depth));
  TRELLIS_RETURN_IF_ERROR(Spend(kExpressionCost));
  TRELLIS_ASSIGN_OR_RETURN(to.kind, DecodeEnum(from.kind(), Kind::kMapKey, "expression kind"));
  TRELLIS_ASSIGN_OR_RETURN(to.type, DecodeType(from.type()));
  if (to.kind == Kind::kLiteral) {
    TRELLIS_ASSIGN_OR_RETURN(to.literal, DecodeValue(from.literal()));
    if (!to.literal.is_null() && (PhysicalOf(to.literal.type()) != PhysicalOf(to.type.type) ||
                                  to.literal.is_array() != to.type.multi_value)) {
      return Status::InvalidArgument("a literal of type {} holds a value of type {}",
                                     ValueTypeName(to.type),
                                     ValueTypeName(to.literal.value_type()));
    }
  } else if (from.has_literal()) {
    return Status::InvalidArgument("an expression of kind {} has a literal",
                                   static_cast<int>(to.kind));
  } else if (from.name().empty()) {
    return Status::InvalidArgument("an expression of kind {} has no name",
                                   static_cast<int>(to.kind));
  }
  if (to.kind != Kind::kFunction && from.arguments_size() != 0) {
    return Status::InvalidArgument("an expression of kind {} has arguments",
                                   static_cast<int>(to.kind));
  }
  to.name = from.name();
  to.key = from.key();
  return DecodeExpressions(from.arguments(), to.arguments, "arguments", depth + 1);
}

Result<Value> PlanDecoder::DecodeConstant(const v1::Value& from, const plan::Expression& subject) {
  TRELLIS_ASSIGN_OR_RETURN(Value value, DecodeValue(from));
  if (value.is_null()) return Status::InvalidArgument("a constant is NULL");
  if (value.is_array() || PhysicalOf(value.type()) != PhysicalOf(subject.type.type)) {
    return Status::InvalidArgument("a subject of type {} is compared with a constant of type {}",
                                   ValueTypeName(subject.type), ValueTypeName(value.value_type()));
  }
  return value;
}

// How many constants a kind of predicate takes.
Status CheckConstants(const plan::Predicate& predicate) {
  using Kind = plan::Predicate::Kind;
  const bool one = predicate.kind == Kind::kEqual || predicate.kind == Kind::kNotEqual;
  const bool many = predicate.kind == Kind::kIn || predicate.kind == Kind::kNotIn;
  if (one && predicate.values.size() != 1) {
    return Status::InvalidArgument("an equality has {} constants, wanted 1",
                                   predicate.values.size());
  }
  if (!one && !many && !predicate.values.empty()) {
    return Status::InvalidArgument("a predicate of kind {} has constants",
                                   static_cast<int>(predicate.kind));
  }
  if (predicate.kind != Kind::kRange && (predicate.lower || predicate.upper)) {
    return Status::InvalidArgument("a predicate of kind {} has bounds",
                                   static_cast<int>(predicate.kind));
  }
  const bool pattern = predicate.kind == Kind::kLike || predicate.kind == Kind::kRegexpLike;
  if (pattern && !IsText(predicate.subject.type.type)) {
    return Status::InvalidArgument("a pattern is matched with a subject of type {}",
                                   ValueTypeName(predicate.subject.type));
  }
  return Status::Ok();
}

Status PlanDecoder::DecodePredicate(const v1::Predicate& from, plan::Predicate& to) {
  TRELLIS_ASSIGN_OR_RETURN(
      to.kind, DecodeEnum(from.kind(), plan::Predicate::Kind::kIsNotNull, "predicate kind"));
  Status subject = DecodeExpression(from.subject(), to.subject);
  if (!subject.ok()) return subject.WithContext("subject");
  for (const v1::Value& constant : from.values()) {
    auto value = DecodeConstant(constant, to.subject);
    if (!value.ok()) return In(value.status(), "values[{}]", to.values.size());
    to.values.push_back(std::move(value).value());
  }
  if (from.has_lower()) {
    TRELLIS_ASSIGN_OR_RETURN(to.lower, DecodeConstant(from.lower(), to.subject));
  }
  if (from.has_upper()) {
    TRELLIS_ASSIGN_OR_RETURN(to.upper, DecodeConstant(from.upper(), to.subject));
  }
  to.lower_inclusive = from.lower_inclusive();
  to.upper_inclusive = from.upper_inclusive();
  to.pattern = from.pattern();
  to.ignore_case = from.ignore_case();
  return CheckConstants(to);
}

Status PlanDecoder::DecodeFilter(const v1::Filter& from, plan::Filter& to, int depth) {
  using Kind = plan::Filter::Kind;
  TRELLIS_RETURN_IF_ERROR(CheckDepth(depth));
  TRELLIS_RETURN_IF_ERROR(Spend(kFilterCost));
  TRELLIS_ASSIGN_OR_RETURN(to.kind, DecodeEnum(from.kind(), Kind::kPredicate, "filter kind"));
  if (from.has_predicate() != (to.kind == Kind::kPredicate)) {
    return Status::InvalidArgument("a filter of kind {} {} a predicate", static_cast<int>(to.kind),
                                   from.has_predicate() ? "has" : "lacks");
  }
  const bool combines = to.kind == Kind::kAnd || to.kind == Kind::kOr;
  const int wanted = to.kind == Kind::kNot ? 1 : 0;
  if (!combines && from.children_size() != wanted) {
    return Status::InvalidArgument("a filter of kind {} has {} children, wanted {}",
                                   static_cast<int>(to.kind), from.children_size(), wanted);
  }
  if (to.kind == Kind::kPredicate) {
    Status status = DecodePredicate(from.predicate(), to.predicate);
    return status.ok() ? status : status.WithContext("predicate");
  }
  for (const v1::Filter& child : from.children()) {
    plan::Filter decoded;
    Status status = DecodeFilter(child, decoded, depth + 1);
    if (!status.ok()) return In(std::move(status), "children[{}]", to.children.size());
    to.children.push_back(std::move(decoded));
  }
  return Status::Ok();
}

Status PlanDecoder::DecodeAggregate(const v1::AggregateCall& from, plan::AggregateCall& to) {
  TRELLIS_RETURN_IF_ERROR(Spend(kExpressionCost));
  if (from.function().empty())
    return Status::InvalidArgument("an aggregate call names no function");
  to.function = from.function();
  TRELLIS_RETURN_IF_ERROR(DecodeExpressions(from.arguments(), to.arguments, "arguments"));
  for (const v1::Value& parameter : from.parameters()) {
    auto value = DecodeValue(parameter);
    if (!value.ok()) return In(value.status(), "parameters[{}]", to.parameters.size());
    to.parameters.push_back(std::move(value).value());
  }
  if (!from.has_filter()) return Status::Ok();
  Status status = DecodeFilter(from.filter(), to.filter.emplace());
  return status.ok() ? status : status.WithContext("filter");
}

Result<plan::LeafStage> PlanDecoder::Decode(const v1::LeafStage& from) {
  plan::LeafStage to;
  if (from.table().empty()) return Status::InvalidArgument("it names no table");
  to.table = from.table();
  TRELLIS_ASSIGN_OR_RETURN(to.shape,
                           DecodeEnum(from.shape(), plan::QueryShape::kDistinct, "query shape"));
  Status filter = DecodeFilter(from.filter(), to.filter);
  if (!filter.ok()) return filter.WithContext("filter");
  TRELLIS_RETURN_IF_ERROR(DecodeExpressions(from.select(), to.select, "select"));
  for (const v1::SortItem& item : from.order_by()) {
    plan::SortItem decoded;
    decoded.ascending = item.ascending();
    decoded.nulls_first = item.nulls_first();
    Status status = DecodeExpression(item.expression(), decoded.expression);
    if (!status.ok()) return In(std::move(status), "order_by[{}]", to.order_by.size());
    to.order_by.push_back(std::move(decoded));
  }
  TRELLIS_RETURN_IF_ERROR(DecodeExpressions(from.keys(), to.keys, "keys"));
  for (const v1::AggregateCall& call : from.aggregates()) {
    plan::AggregateCall decoded;
    Status status = DecodeAggregate(call, decoded);
    if (!status.ok()) return In(std::move(status), "aggregates[{}]", to.aggregates.size());
    to.aggregates.push_back(std::move(decoded));
  }
  if (from.limit() < 0) return Status::InvalidArgument("its limit is {}", from.limit());
  if (from.groups_max() < 0)
    return Status::InvalidArgument("its groups_max is {}", from.groups_max());
  to.limit = from.limit();
  to.null_handling = from.null_handling();
  to.groups_max = from.groups_max();
  to.explain = from.explain();
  return to;
}

}  // namespace

Result<plan::LeafStage> DecodeLeafStage(ByteView bytes) {
  if (bytes.size() > kMessageLimits.stage_bytes_max) {
    return Status::ResourceExhausted("the leaf stage is too large: {} bytes, at most {}",
                                     bytes.size(), kMessageLimits.stage_bytes_max);
  }
  // Filters, then expressions, one message a level, and a few around them.
  constexpr int kMessageDepthMax = 2 * kMessageLimits.plan_depth_max + 16;
  static const FieldCounter counter(*v1::LeafStage::descriptor());
  TRELLIS_RETURN_IF_ERROR(
      counter.Check(bytes, kMessageLimits.plan_fields_max, kMessageDepthMax, "LeafStage"));
  google::protobuf::io::CodedInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMessageDepthMax);
  v1::LeafStage stage;
  if (!stage.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage()) {
    return Status::InvalidArgument("{} bytes are not a LeafStage message nested at most {} deep",
                                   bytes.size(), kMessageDepthMax);
  }
  PlanDecoder decoder;
  auto decoded = decoder.Decode(stage);
  if (!decoded.ok()) return decoded.status().WithContext("the leaf stage is refused");
  return decoded;
}

}  // namespace trellis::wire
