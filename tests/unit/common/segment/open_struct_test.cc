#include "common/segment/open_struct.h"

#include <catch2/catch.hpp>

#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "tests/unit/common/segment/open_struct_segment.h"

namespace trellis::segment {
namespace {

std::vector<std::string> Dump(const Segment& segment) {
  std::vector<std::string> lines;
  const Status status = DumpRows(segment, {}, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  if (!status.ok()) return {status.message()};
  return lines;
}

TEST_CASE("an OPEN_STRUCT reads as one object of its dense and its sparse keys") {
  const ScratchFolder folder;
  OpenStructSegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  CHECK(Dump(*segment) == std::vector<std::string>{R"({"i":9,"o":{"n":9},"s":"a\"b"})",
                                                   R"({"i":7,"o":{"n":7,"x y":[1, 2]},"s":"xyz"})",
                                                   R"({"i":null,"o":{"e":"\"q\""},"s":"xyz"})"});
}

TEST_CASE("a derived schema has the parent with the types of its dense keys") {
  const ScratchFolder folder;
  OpenStructSegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const Schema schema = DeriveSchema("t", segment->metadata());
  CHECK(schema.names() == std::vector<std::string>{"i", "o", "s"});
  CHECK(schema.Find("o")->KeyType("n") == DataType::kInt);
  CHECK(schema.Find("o")->KeyType("x y") == DataType::kString);
}

TEST_CASE("a key is dense, possibly sparse, or nowhere") {
  const ScratchFolder folder;
  OpenStructSegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const SegmentMetadata& metadata = segment->metadata();
  const auto place = [&](const char* key) {
    return FindStructKey(metadata, *metadata.Find("o"), key);
  };
  CHECK(place("n").dense == metadata.Find("o$n"));
  CHECK(place("n").sparse == nullptr);
  CHECK(place("e").sparse == metadata.Find("o$__sparse__"));
  CHECK(place("zz").dense == nullptr);
  CHECK(place("zz").sparse == nullptr);
  CHECK(place("__sparse__").dense == nullptr);
}

TEST_CASE("a sparse text that is no object is corrupt and names its document") {
  const ScratchFolder folder;
  TinySegment tiny = OpenStructSegment();
  tiny.Buffer("o$__sparse__", "forward_index").back() = 'x';
  tiny.WriteV3(folder.path());
  const auto lines = Dump(*Segment::Open(folder.path()).value());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].find("column 'o$__sparse__', document 2") != std::string::npos);
  CHECK(lines[0].find("is damaged at") != std::string::npos);
}

TEST_CASE("a dense value is read as another type through its JSON text") {
  ColumnVector ints(DataType::kInt);
  ints.Append(Value::Int(9));
  ints.Append(Value::Null(DataType::kInt));
  ColumnVector flags = ints;
  REQUIRE(ConvertStructKey("k", DataType::kString, ints).ok());
  CHECK(ints.Get(0) == Value::String("9"));
  CHECK(ints.is_null(1));
  REQUIRE(ConvertStructKey("k", DataType::kBoolean, flags).ok());
  CHECK(flags.type() == DataType::kBoolean);

  ColumnVector bytes(DataType::kBytes);
  bytes.Append(Value::Bytes(DataType::kBytes, "abcd"));
  REQUIRE(ConvertStructKey("k", DataType::kString, bytes).ok());
  CHECK(bytes.Get(0) == Value::String("YWJjZA=="));

  ColumnVector text(DataType::kString);
  text.Append(Value::String("5"));
  text.Append(Value::String("x"));
  size_t row = 0;
  CHECK(ConvertStructKey("k", DataType::kInt, text, &row).pinot_code() ==
        PinotCode::kQueryExecution);
  CHECK(row == 1);
}

}  // namespace
}  // namespace trellis::segment
