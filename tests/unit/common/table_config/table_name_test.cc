#include "common/table_config/table_name.h"

#include <catch2/catch.hpp>

namespace trellis::table_config {

TEST_CASE("a table's name says its type, or is OFFLINE") {
  CHECK(TableTypeOf("t_OFFLINE") == "OFFLINE");
  CHECK(TableTypeOf("t_REALTIME") == "REALTIME");
  CHECK(TableTypeOf("t") == "OFFLINE");
  CHECK(TableTypeOf("REALTIME") == "OFFLINE");
}

TEST_CASE("a raw name has one type less") {
  CHECK(RawTableName("t_OFFLINE") == "t");
  CHECK(RawTableName("t_REALTIME") == "t");
  CHECK(RawTableName("t") == "t");
  CHECK(RawTableName("t_OFFLINE_REALTIME") == "t_OFFLINE");
  CHECK(RawTableName("_OFFLINE") == "");
}

TEST_CASE("a typed name has a type") {
  CHECK(TypedTableName("t") == "t_OFFLINE");
  CHECK(TypedTableName("t_REALTIME") == "t_REALTIME");
  CHECK(TypedTableName("t_OFFLINE") == "t_OFFLINE");
}

}  // namespace trellis::table_config
