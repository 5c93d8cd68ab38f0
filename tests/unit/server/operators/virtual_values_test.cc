#include "server/operators/virtual_values.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::server {
namespace {

struct Filled {
  ColumnVector vector;
  bool always_null;
};

Filled Fill(const segment::Segment& segment, std::string_view name) {
  const VirtualColumn& column = *FindVirtualColumn(name);
  const std::vector<uint32_t> docs = {0, 2};
  Filled filled;
  FillVirtualColumn(segment, column, docs, filled.vector);
  filled.always_null = IsVirtualNull(segment, column);
  CHECK(filled.vector.value_type() == column.type);
  CHECK(filled.vector.size() == 2);
  return filled;
}

TEST_CASE("virtual columns tell what a segment's metadata says") {
  const segment::ScratchFolder folder;
  segment::TinySegment tiny;
  tiny.Metadata(
      "segment.start.time = 19000\nsegment.end.time = 19001\nsegment.time.unit = DAYS\n"
      "column.i.partitionFunction = Modulo\ncolumn.i.numPartitions = 8\n"
      "column.i.partitionValues = 3,5\n");
  tiny.WriteV3(folder.path());
  segment::WriteFile(
      folder.path() / "v3" / "creation.meta",
      segment::BigEndian<int64_t>(4'000'000'000) + segment::BigEndian<int64_t>(1'700'000'000'123));
  const auto segment = segment::Segment::Open(folder.path()).value();
  CHECK(Fill(*segment, "$docId").vector.values<int32_t>() == std::vector<int32_t>{0, 2});
  CHECK(Fill(*segment, "$segmentName").vector.Get(1) == Value::String("tiny"));
  CHECK(Fill(*segment, "$totalDocs").vector.Get(1) == Value::Int(3));
  CHECK(Fill(*segment, "$crc").vector.Get(1) == Value::Long(4'000'000'000));
  CHECK(Fill(*segment, "$creationTime").vector.Get(0) == Value::Timestamp(1'700'000'000'123));
  CHECK(Fill(*segment, "$startTime").vector.Get(0) == Value::Timestamp(1'641'600'000'000));
  CHECK(Fill(*segment, "$endTime").vector.Get(0) == Value::Timestamp(1'641'686'400'000));
  CHECK_FALSE(Fill(*segment, "$endTime").always_null);
  CHECK(Fill(*segment, "$partitionId").vector.Get(1) ==
        Value::Array(DataType::kString, {Value::String("i_3"), Value::String("i_5")}));
}

TEST_CASE("what a segment does not tell is null over the type's default") {
  const segment::ScratchFolder folder;
  segment::TinySegment().WriteV3(folder.path());
  const auto segment = segment::Segment::Open(folder.path()).value();
  for (const char* name : {"$startTime", "$endTime", "$creationTime", "$crc"}) {
    INFO(name);
    const Filled filled = Fill(*segment, name);
    CHECK(filled.always_null);
    CHECK(filled.vector.is_null(1));
  }
  ColumnVector stored = Fill(*segment, "$startTime").vector;
  stored.ClearNulls();
  CHECK(stored.Get(0) == Value::Timestamp(0));
  CHECK(Fill(*segment, "$partitionId").vector.Get(0) ==
        Value::Array(DataType::kString, {Value::String("")}));
  CHECK_FALSE(Fill(*segment, "$partitionId").always_null);
}

}  // namespace
}  // namespace trellis::server
