#include "common/segment/column.h"

#include <catch2/catch.hpp>

#include "common/segment/segment.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

using Docs = std::vector<uint32_t>;

ColumnVector ReadRows(const Column& column, const Docs& docs) {
  ColumnVector out;
  const auto scratch = column.forward().NewScratch();
  REQUIRE(column.Read(docs, *scratch, out).message() == "");
  return out;
}

TEST_CASE("a column reads values through its dictionary, and nulls of the documents asked for") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const ColumnPointer column = segment->OpenColumn("i").value();
  const ColumnVector all = ReadRows(*column, {0, 1, 2});
  CHECK(all.Get(0) == Value::Int(9));
  CHECK(all.Get(1) == Value::Int(7));
  CHECK(all.is_null(2));
  CHECK(all.values<int32_t>() == std::vector<int32_t>{9, 7, 7});
  const ColumnVector some = ReadRows(*column, {1});
  CHECK_FALSE(some.has_nulls());
  CHECK(ReadRows(*column, {2}).is_null(0));
  CHECK(ReadRows(*column, {}).size() == 0);
}

TEST_CASE("a raw column with a dictionary reads its own values") {
  const ScratchFolder folder;
  TinySegment tiny;
  tiny.MakeRaw();
  tiny.Buffer("i", "dictionary") = BigEndian<int32_t>(1) + BigEndian<int32_t>(2);
  tiny.WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  const ColumnPointer column = segment->OpenColumn("i").value();
  REQUIRE(column->dictionary() != nullptr);
  CHECK(ReadRows(*column, {0, 1}).values<int32_t>() == std::vector<int32_t>{9, 7});
}

TEST_CASE("documents past the end are refused") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  for (const char* name : {"i", "s"}) {
    const ColumnPointer column = segment->OpenColumn(name).value();
    const auto scratch = column->forward().NewScratch();
    ColumnVector out;
    CHECK_FALSE(column->Read(Docs{2, 3}, *scratch, out).ok());
    CHECK_FALSE(column->Read(Docs{1, 0}, *scratch, out).ok());
  }
}

}  // namespace
}  // namespace trellis::segment
