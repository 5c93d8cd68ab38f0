#include "common/wire/plan_codec.h"
#include "trellis/v1/plan.pb.h"

namespace trellis::wire {
namespace {

void Encode(ValueType from, v1::ValueType& to) {
  to.set_type(static_cast<v1::DataType>(from.type));
  to.set_multi_value(from.multi_value);
}

void Encode(const Value& from, v1::Value& to) {
  to.set_type(static_cast<v1::DataType>(from.type()));
  if (from.is_null()) return;
  if (from.is_array()) {
    v1::Values& array = *to.mutable_array();
    for (const Value& element : from.elements()) Encode(element, *array.add_values());
    return;
  }
  switch (PhysicalOf(from.type())) {
    case Physical::kInt32:
      return to.set_int32(from.int32());
    case Physical::kInt64:
      return to.set_int64(from.int64());
    case Physical::kFloat:
      return to.set_float32(from.float32());
    case Physical::kDouble:
      return to.set_float64(from.float64());
    case Physical::kBytes:
      return to.set_raw(from.bytes());
  }
}

void Encode(const plan::Expression& from, v1::Expression& to) {
  to.set_kind(static_cast<v1::Expression::Kind>(from.kind));
  Encode(from.type, *to.mutable_type());
  to.set_name(from.name);
  to.set_key(from.key);
  if (from.kind == plan::Expression::Kind::kLiteral) Encode(from.literal, *to.mutable_literal());
  for (const plan::Expression& argument : from.arguments) Encode(argument, *to.add_arguments());
}

void Encode(const plan::Predicate& from, v1::Predicate& to) {
  to.set_kind(static_cast<v1::Predicate::Kind>(from.kind));
  Encode(from.subject, *to.mutable_subject());
  for (const Value& value : from.values) Encode(value, *to.add_values());
  if (from.lower) Encode(*from.lower, *to.mutable_lower());
  if (from.upper) Encode(*from.upper, *to.mutable_upper());
  to.set_lower_inclusive(from.lower_inclusive);
  to.set_upper_inclusive(from.upper_inclusive);
  to.set_pattern(from.pattern);
  to.set_ignore_case(from.ignore_case);
}

void Encode(const plan::Filter& from, v1::Filter& to) {
  to.set_kind(static_cast<v1::Filter::Kind>(from.kind));
  for (const plan::Filter& child : from.children) Encode(child, *to.add_children());
  if (from.kind == plan::Filter::Kind::kPredicate) Encode(from.predicate, *to.mutable_predicate());
}

void Encode(const plan::AggregateCall& from, v1::AggregateCall& to) {
  to.set_function(from.function);
  for (const plan::Expression& argument : from.arguments) Encode(argument, *to.add_arguments());
  for (const Value& parameter : from.parameters) Encode(parameter, *to.add_parameters());
  if (from.filter) Encode(*from.filter, *to.mutable_filter());
}

}  // namespace

std::string EncodeLeafStage(const plan::LeafStage& stage) {
  v1::LeafStage to;
  to.set_table(stage.table);
  to.set_shape(static_cast<v1::LeafStage::Shape>(stage.shape));
  Encode(stage.filter, *to.mutable_filter());
  for (const plan::Expression& expression : stage.select) Encode(expression, *to.add_select());
  for (const plan::SortItem& item : stage.order_by) {
    v1::SortItem& to_item = *to.add_order_by();
    Encode(item.expression, *to_item.mutable_expression());
    to_item.set_ascending(item.ascending);
    to_item.set_nulls_first(item.nulls_first);
  }
  for (const plan::Expression& key : stage.keys) Encode(key, *to.add_keys());
  for (const plan::AggregateCall& call : stage.aggregates) Encode(call, *to.add_aggregates());
  to.set_limit(stage.limit);
  to.set_null_handling(stage.null_handling);
  to.set_groups_max(stage.groups_max);
  to.set_explain(stage.explain);
  return to.SerializeAsString();
}

}  // namespace trellis::wire
