#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "broker/bind/binder.h"
#include "broker/bind/expression_binder.h"
#include "broker/sql/parser.h"

namespace trellis::broker {

inline FieldSpec Field(std::string name, DataType type, bool multi_value = false) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = type;
  field.multi_value = multi_value;
  field.default_null = DefaultNullValue(type, false);
  return field;
}

// The columns of the table that these tests ask: `t`, OFFLINE.
inline Schema TestSchema() {
  FieldSpec map = Field("m", DataType::kMap);
  map.map_value_type = DataType::kLong;
  FieldSpec open = Field("o", DataType::kOpenStruct);
  open.struct_keys = {{"cpu", DataType::kDouble}};
  return Schema("t", {Field("i", DataType::kInt), Field("l", DataType::kLong),
                      Field("f", DataType::kFloat), Field("d", DataType::kDouble),
                      Field("s", DataType::kString), Field("b", DataType::kBoolean),
                      Field("ts", DataType::kTimestamp), Field("j", DataType::kJson),
                      Field("raw", DataType::kBytes), Field("CamelCase", DataType::kInt),
                      Field("mv", DataType::kInt, true), std::move(map), std::move(open)});
}

inline CatalogSnapshot TestCatalog() {
  Table table;
  table.name = "t_OFFLINE";
  table.raw_name = "t";
  table.type = "OFFLINE";
  table.schema = std::make_shared<const Schema>(TestSchema());
  CatalogSnapshot catalog;
  catalog.tables.emplace("t_OFFLINE", std::make_shared<const Table>(std::move(table)));
  return catalog;
}

inline Result<BoundQuery> TryBind(const std::string& text, const OptionList& options = {}) {
  auto statement = sql::Parse(text);
  if (!statement.ok()) return statement.status();
  return Bind(std::move(*statement), TestCatalog(), options);
}

inline BoundQuery MustBind(const std::string& text, const OptionList& options = {}) {
  auto query = TryBind(text, options);
  INFO(text << ": " << query.status().message());
  REQUIRE(query.ok());
  return std::move(*query);
}

// Requires that `text` is refused with that code and that the message contains `part`.
inline void RequireRefused(const std::string& text, PinotCode code, std::string_view part,
                           const OptionList& options = {}) {
  const auto query = TryBind(text, options);
  INFO(text << ": " << query.status().message());
  REQUIRE_FALSE(query.ok());
  CHECK(static_cast<int>(query.status().pinot_code()) == static_cast<int>(code));
  CHECK(query.status().message().find(part) != std::string::npos);
}

// The expression of `SELECT <text> FROM t`, parsed and not yet normalised.
inline sql::Expr ParseItem(const std::string& text) {
  auto statement = sql::Parse("SELECT " + text + " FROM t");
  INFO(text << ": " << statement.status().message());
  REQUIRE(statement.ok());
  return statement->select.items.at(0).expr;
}

// The same, with names resolved and constants folded.
inline sql::Expr NormalItem(const std::string& text, bool null_handling = false) {
  const Schema schema = TestSchema();
  sql::Expr expr = ParseItem(text);
  const Status status = Normalizer(schema, "t", null_handling).Normalize(expr);
  INFO(text << ": " << status.message());
  REQUIRE(status.ok());
  return expr;
}

}  // namespace trellis::broker
