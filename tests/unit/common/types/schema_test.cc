#include "common/types/schema.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

FieldSpec Field(std::string name) {
  FieldSpec field;
  field.name = std::move(name);
  field.type = DataType::kInt;
  return field;
}

TEST_CASE("fields stand in Java's order of their names") {
  const Schema schema("t", {Field("b"), Field("a"), Field("B"), Field("_")});
  CHECK(schema.names() == std::vector<std::string>{"B", "_", "a", "b"});
}

TEST_CASE("an exact name wins over one that differs in case") {
  const Schema schema("t", {Field("Fare"), Field("fare"), Field("minutes")});
  REQUIRE(schema.Find("fare") != nullptr);
  CHECK(schema.Find("fare")->name == "fare");
  CHECK(schema.Find("Fare")->name == "Fare");
  REQUIRE(schema.Find("MINUTES") != nullptr);
  CHECK(schema.Find("MINUTES")->name == "minutes");
}

TEST_CASE("an unknown name finds no field") {
  const Schema schema("t", {Field("fare")});
  CHECK(schema.Find("") == nullptr);
  CHECK(schema.Find("far") == nullptr);
  CHECK(Schema().Find("fare") == nullptr);
}

}  // namespace
}  // namespace trellis
