#include "common/wire/plan_codec.h"

#include <google/protobuf/stubs/logging.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <random>

#include "common/types/big_decimal.h"
#include "common/wire/message_limits.h"
#include "trellis/v1/plan.pb.h"

namespace trellis::wire {
namespace {

using plan::Expression;
using plan::Filter;
using plan::Predicate;

std::vector<Value> OneOfEachType() {
  return {Value::Int(-7),
          Value::Long(int64_t{1} << 60),
          Value::Float(1.5f),
          Value::Double(-0.0),
          Value::Bytes(DataType::kBigDecimal, BigDecimal::FromLong(-12345).ToBytes()),
          Value::Boolean(true),
          Value::Timestamp(-1),
          Value::String(std::string("a\0\xff", 3)),
          Value::Bytes(DataType::kJson, "{}"),
          Value::Bytes(DataType::kBytes, "\x01"),
          Value::Bytes(DataType::kUuid, std::string(16, 'u')),
          Value::Bytes(DataType::kMap, "frame"),
          Value::Null(DataType::kInt),
          Value::Null(),
          Value::Array(DataType::kLong, {Value::Long(1), Value::Long(2)}),
          Value::Array(DataType::kString, {})};
}

plan::LeafStage RichStage() {
  const Expression year = Expression::Column("year", {DataType::kInt, false});
  const Expression tag = Expression::MapKey("tags", "city", {DataType::kString, false});
  Predicate range;
  range.kind = Predicate::Kind::kRange;
  range.subject = year;
  range.lower = Value::Int(1990);
  range.lower_inclusive = true;
  Predicate in;
  in.kind = Predicate::Kind::kNotIn;
  in.subject = tag;
  in.values = {Value::String("a"), Value::String("b")};
  Predicate like;
  like.kind = Predicate::Kind::kLike;
  like.subject = tag;
  like.pattern = "x%";
  like.ignore_case = true;
  plan::LeafStage stage;
  stage.table = "baseballStats_OFFLINE";
  stage.shape = plan::QueryShape::kGroupBy;
  stage.filter =
      Filter::And({Filter::Of(range), Filter::Not(Filter::Or({Filter::Of(in), Filter::False()})),
                   Filter::Of(like)});
  for (const Value& value : OneOfEachType()) stage.select.push_back(Expression::Literal(value));
  stage.order_by = {{year, false, true}};
  stage.keys = {Expression::Function("plus", {DataType::kDouble, false},
                                     {year, Expression::Literal(Value::Int(1))})};
  stage.aggregates = {{"percentile", {year}, {Value::Double(95)}, Filter::Of(range)},
                      {"count", {}, {}, {}}};
  stage.limit = 1'000'000;
  stage.null_handling = true;
  stage.groups_max = 77;
  stage.explain = true;
  return stage;
}

// The rich stage's message after `change`, decoded.
Status DecodeChanged(const std::function<void(v1::LeafStage&)>& change) {
  v1::LeafStage message;
  REQUIRE(message.ParseFromString(EncodeLeafStage(RichStage())));
  change(message);
  const std::string bytes = message.SerializeAsString();
  return DecodeLeafStage(AsBytes(bytes)).status();
}

Filter Nested(int depth) {
  Filter filter;
  for (int i = 1; i < depth; ++i) filter = Filter::Not(std::move(filter));
  return filter;
}

}  // namespace

TEST_CASE("a stage with every kind of node comes back equal") {
  const plan::LeafStage stage = RichStage();
  const std::string bytes = EncodeLeafStage(stage);
  const auto decoded = DecodeLeafStage(AsBytes(bytes));
  INFO(decoded.status().message());
  REQUIRE(decoded.ok());
  CHECK(*decoded == stage);
  CHECK(EncodeLeafStage(*decoded) == bytes);
}

TEST_CASE("a plan as deep as the limit passes and one level more is refused") {
  plan::LeafStage stage;
  stage.table = "t_OFFLINE";
  stage.filter = Nested(kMessageLimits.plan_depth_max);
  std::string bytes = EncodeLeafStage(stage);
  REQUIRE(DecodeLeafStage(AsBytes(bytes)).ok());
  stage.filter = Nested(kMessageLimits.plan_depth_max + 1);
  bytes = EncodeLeafStage(stage);
  CHECK(DecodeLeafStage(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);
  stage.filter = Nested(1'500);  // beyond what the decoder lets protobuf recurse into
  bytes = EncodeLeafStage(stage);
  CHECK(DecodeLeafStage(AsBytes(bytes)).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("a plan of more nodes than the limit is refused") {
  plan::LeafStage stage;
  stage.table = "t_OFFLINE";
  stage.filter = Filter::Or(std::vector<Filter>(kMessageLimits.plan_nodes_max / 8));
  const std::string bytes = EncodeLeafStage(stage);
  REQUIRE(bytes.size() < kMessageLimits.stage_bytes_max);
  CHECK(DecodeLeafStage(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("a plan that would mislead the leaf is refused with the place named") {
  using Change = std::function<void(v1::LeafStage&)>;
  const auto predicate = [](v1::LeafStage& s) {
    return s.mutable_filter()->mutable_children(0)->mutable_predicate();
  };
  const std::vector<std::pair<std::string, Change>> cases{
      {"table", [](auto& s) { s.clear_table(); }},
      {"shape", [](auto& s) { s.set_shape(static_cast<v1::LeafStage::Shape>(9)); }},
      {"limit is -1", [](auto& s) { s.set_limit(-1); }},
      {"groups_max is -1", [](auto& s) { s.set_groups_max(-1); }},
      {"filter: filter kind 6",
       [](auto& s) { s.mutable_filter()->set_kind(static_cast<v1::Filter::Kind>(6)); }},
      {"select[0]: expression kind -1",
       [](auto& s) { s.mutable_select(0)->set_kind(static_cast<v1::Expression::Kind>(-1)); }},
      {"data type 14",
       [](auto& s) {
         s.mutable_select(0)->mutable_type()->set_type(static_cast<v1::DataType>(14));
       }},
      {"payload of another type",
       [](auto& s) { s.mutable_select(0)->mutable_literal()->set_int64(3); }},
      {"holds a value of type",
       [](auto& s) { s.mutable_select(0)->mutable_type()->set_type(v1::DATA_TYPE_STRING); }},
      {"BOOLEAN value is 2", [](auto& s) { s.mutable_select(5)->mutable_literal()->set_int32(2); }},
      {"BIG_DECIMAL", [](auto& s) { s.mutable_select(4)->mutable_literal()->set_raw(""); }},
      {"UUID", [](auto& s) { s.mutable_select(10)->mutable_literal()->set_raw("short"); }},
      {"unknown type", [](auto& s) { s.mutable_select(13)->mutable_literal()->set_raw("x"); }},
      {"element 0",
       [](auto& s) {
         auto* element =
             s.mutable_select(14)->mutable_literal()->mutable_array()->mutable_values(0);
         *element->mutable_array()->add_values() = v1::Value();
       }},
      {"is NULL",
       [](auto& s) {
         s.mutable_select(14)
             ->mutable_literal()
             ->mutable_array()
             ->mutable_values(0)
             ->clear_payload();
       }},
      {"has arguments", [](auto& s) { s.mutable_select(0)->add_arguments(); }},
      {"no name", [](auto& s) { s.mutable_keys(0)->clear_name(); }},
      {"children[0]: predicate: a constant is NULL",
       [&](auto& s) { predicate(s)->mutable_lower()->clear_payload(); }},
      {"compared with",
       [&](auto& s) {
         predicate(s)->mutable_lower()->set_type(v1::DATA_TYPE_LONG);
         predicate(s)->mutable_lower()->set_int64(1);
       }},
      {"has bounds", [&](auto& s) { predicate(s)->set_kind(v1::Predicate::IS_NULL); }},
      {"0 constants",
       [&](auto& s) {
         predicate(s)->clear_lower();
         predicate(s)->set_kind(v1::Predicate::EQUAL);
       }},
      {"pattern",
       [&](auto& s) {
         predicate(s)->clear_lower();
         predicate(s)->set_kind(v1::Predicate::REGEXP_LIKE);
       }},
      {"lacks a predicate",
       [](auto& s) { s.mutable_filter()->mutable_children(0)->clear_predicate(); }},
      {"0 children", [](auto& s) { s.mutable_filter()->mutable_children(1)->clear_children(); }},
      {"names no function", [](auto& s) { s.mutable_aggregates(1)->clear_function(); }},
  };
  for (const auto& [words, change] : cases) {
    const Status status = DecodeChanged(change);
    CAPTURE(words, status.message());
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find(words) != std::string::npos);
  }
}

TEST_CASE("a stage cut short or altered never comes back malformed") {
  const google::protobuf::LogSilencer quiet;  // it logs each string that is not UTF-8
  const std::string bytes = EncodeLeafStage(RichStage());
  std::mt19937_64 random(3);
  int refused = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string altered = bytes;
    altered[random() % altered.size()] = static_cast<char>(random());
    if (round % 3 == 0) altered.resize(random() % altered.size());
    const auto decoded = DecodeLeafStage(AsBytes(altered));
    if (!decoded.ok()) {
      ++refused;
      continue;
    }
    const std::string again = EncodeLeafStage(*decoded);
    const auto twice = DecodeLeafStage(AsBytes(again));
    REQUIRE(twice.ok());
    CHECK(EncodeLeafStage(*twice) == again);
  }
  CHECK(refused > 1'000);
}

TEST_CASE("an IN list of 22 MB of literals is read whole") {
  Predicate in;
  in.kind = Predicate::Kind::kIn;
  in.subject = Expression::Column("name", {DataType::kString, false});
  size_t text_bytes = 0;
  for (int i = 0; text_bytes < size_t{22} << 20; ++i) {
    std::string literal = std::to_string(i) + std::string(60, 'x');
    text_bytes += literal.size();
    in.values.push_back(Value::String(std::move(literal)));
  }
  plan::LeafStage stage;
  stage.table = "t_OFFLINE";
  stage.filter = Filter::Of(in);
  const std::string bytes = EncodeLeafStage(stage);
  CHECK(bytes.size() > size_t{22} << 20);
  const auto decoded = DecodeLeafStage(AsBytes(bytes));
  REQUIRE(decoded.ok());
  CHECK(*decoded == stage);
}

TEST_CASE("a plan of as many nodes as there may be is not one of too many fields") {
  Predicate in;
  in.kind = Predicate::Kind::kIn;
  in.subject = Expression::Column("number", {DataType::kString, false});
  in.values.assign(kMessageLimits.plan_nodes_max - 100, Value::String("x"));
  plan::LeafStage stage;
  stage.table = "t_OFFLINE";
  stage.filter = Filter::Of(in);
  CHECK(DecodeLeafStage(AsBytes(EncodeLeafStage(stage))).ok());
  // Expressions with everything they can have: name, type, key, arguments.
  stage = {};
  stage.table = "t_OFFLINE";
  stage.select.assign(kMessageLimits.plan_nodes_max / 4 - 100,
                      Expression::MapKey("tags", "city", {DataType::kString, false}));
  CHECK(DecodeLeafStage(AsBytes(EncodeLeafStage(stage))).ok());
}

TEST_CASE("a stage over the byte limit is refused unread") {
  const std::string bytes(kMessageLimits.stage_bytes_max + 1, '\0');
  const Status status = DecodeLeafStage(AsBytes(bytes)).status();
  CHECK(status.code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::wire
