#pragma once

#include <nlohmann/json.hpp>

#include "common/base/status.h"

// How the parts of a table config's JSON text are reached, for the parsers of this room alone.
namespace trellis::table_config {

// The member `key` of an object, or null. A JSON text in place of an object is parsed: the
// cluster's store keeps each part as one string.
inline nlohmann::json PartAt(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (!found->is_string()) return *found;
  return nlohmann::json::parse(found->get<std::string>(), nullptr, /*allow_exceptions=*/false);
}

// A table config out of its text, bare or wrapped by its type (`{"OFFLINE": {...}}`).
struct BareTableConfig {
  nlohmann::json root;
  const char* wrapped_type = "";
};
inline Result<BareTableConfig> ParseTableConfigText(std::string_view json_text) {
  nlohmann::json root = nlohmann::json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Status::InvalidArgument("table config: not a JSON object");
  nlohmann::json offline = PartAt(root, "OFFLINE");
  nlohmann::json realtime = PartAt(root, "REALTIME");
  if (offline.is_object() && realtime.is_object()) {
    return Status::InvalidArgument(
        "table config: both OFFLINE and REALTIME are given, expected one");
  }
  if (offline.is_object()) return BareTableConfig{std::move(offline), "OFFLINE"};
  if (realtime.is_object()) return BareTableConfig{std::move(realtime), "REALTIME"};
  return BareTableConfig{std::move(root), ""};
}

}  // namespace trellis::table_config
