#include "common/format/row_payload.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::format {
namespace {

using namespace std::string_literals;

TEST_CASE("a fixed-width row is taken with and without its number of values") {
  const std::string row = "\0\0\0\2aaaabbbb"s;
  CHECK(AsText(FixedRowValues(AsBytes(row), 4, RowCount::kStored).value()) == "aaaabbbb");
  CHECK(FixedRowValues(AsBytes(row), 4, RowCount::kImplied).value().size() == 12);
  CHECK(FixedRowValues({}, 4, RowCount::kImplied).value().empty());
}

TEST_CASE("a fixed-width row whose number and length disagree is refused") {
  CHECK(FixedRowValues(AsBytes("\0\0\0\3aaaabbbb"s), 4, RowCount::kStored).status().IsCorrupt());
  CHECK(FixedRowValues(AsBytes("\xff\xff\xff\xff"s), 4, RowCount::kStored).status().IsCorrupt());
  CHECK(FixedRowValues(AsBytes("\0\0"s), 4, RowCount::kStored).status().IsCorrupt());
  CHECK(FixedRowValues(AsBytes("aaaab"s), 4, RowCount::kImplied).status().IsCorrupt());
}

TEST_CASE("a variable-width row gives its values in order") {
  const std::string row = "\0\0\0\3\0\0\0\1\0\0\0\0\0\0\0\2abc"s;
  VariableRow values = VariableRow::Open(AsBytes(row)).value();
  REQUIRE(values.size() == 3);
  CHECK(AsText(values.Next()) == "a");
  CHECK(AsText(values.Next()).empty());
  CHECK(AsText(values.Next()) == "bc");
}

TEST_CASE("a variable-width row cut short or too long is refused") {
  const std::string row = "\0\0\0\2\0\0\0\1\0\0\0\2abc"s;
  for (size_t size = 0; size < row.size(); ++size) {
    CAPTURE(size);
    CHECK(VariableRow::Open(AsBytes(row).first(size)).status().IsCorrupt());
  }
  CHECK(VariableRow::Open(AsBytes(row + "x")).status().IsCorrupt());
  CHECK(VariableRow::Open(AsBytes("\xff\xff\xff\xff\0\0\0\0"s)).status().IsCorrupt());
}

TEST_CASE("a length that changes after opening takes no more than the row") {
  std::string row = "\0\0\0\2\0\0\0\1\0\0\0\1ab"s;
  VariableRow values = VariableRow::Open(AsBytes(row)).value();
  row.replace(4, 4, "\xff\xff\xff\xff");
  CHECK(AsText(values.Next()) == "ab");
  CHECK(values.Next().empty());
}

}  // namespace
}  // namespace trellis::format
