#pragma once

#include <string>
#include <string_view>

// A table's name with its type ("rides_OFFLINE"), and what it is made of (pinot-wire.md section 5).
namespace trellis::table_config {

// "OFFLINE" or "REALTIME"; a name that says neither is OFFLINE.
std::string_view TableTypeOf(std::string_view name);
// "rides" of "rides_OFFLINE"; a name without a type is raw already.
std::string RawTableName(std::string_view name);
// "t_OFFLINE" of "t"; a name that says its type stays as it is.
std::string TypedTableName(const std::string& name);

}  // namespace trellis::table_config
