#include "common/types/virtual_column.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

TEST_CASE("virtual columns are known by their exact names and have Pinot's types") {
  CHECK(VirtualColumns().size() == 9);
  CHECK(FindVirtualColumn("$docId")->type == ValueType{DataType::kInt, false});
  CHECK(FindVirtualColumn("$partitionId")->type == ValueType{DataType::kString, true});
  CHECK(FindVirtualColumn("$startTime")->type == ValueType{DataType::kTimestamp, false});
  CHECK(FindVirtualColumn("$totalDocs")->type == ValueType{DataType::kInt, false});
  CHECK(FindVirtualColumn("$crc")->type == ValueType{DataType::kLong, false});
  CHECK(FindVirtualColumn("$docid") == nullptr);
  CHECK(FindVirtualColumn("$ts$DAY") == nullptr);
  CHECK(FindVirtualColumn("") == nullptr);
}

}  // namespace
}  // namespace trellis
