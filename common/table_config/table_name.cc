#include "common/table_config/table_name.h"

namespace trellis::table_config {
namespace {

constexpr std::string_view kOffline = "_OFFLINE";
constexpr std::string_view kRealtime = "_REALTIME";

}  // namespace

std::string_view TableTypeOf(std::string_view name) {
  return (name.ends_with(kRealtime) ? kRealtime : kOffline).substr(1);
}

std::string RawTableName(std::string_view name) {
  for (const std::string_view suffix : {kOffline, kRealtime}) {
    if (name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
  }
  return std::string(name);
}

std::string TypedTableName(const std::string& name) {
  return name.ends_with(kOffline) || name.ends_with(kRealtime) ? name
                                                               : name + std::string(kOffline);
}

}  // namespace trellis::table_config
