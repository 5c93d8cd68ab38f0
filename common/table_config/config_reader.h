#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace trellis::table_config {

// One object of a configuration, read key by key: every value has a kind, a wrong one is an error
// with the key's path, and what nobody asked for is a warning. JSON null is absence; a number or a
// flag may be written as text, as Jackson takes them. Borrows the object. Not thread-safe.
class ConfigReader {
 public:
  // `object` that is no object is an error of the first read. `path` is empty for the root. `of`
  // names the file in errors; it must outlive this.
  ConfigReader(const nlohmann::json& object, std::string path, std::vector<std::string>* warnings,
               std::string_view of = "table config")
      : object_(&object), path_(std::move(path)), warnings_(warnings), of_(of) {}

  // InvalidArgument unless the thing is an object.
  Status CheckObject() const;
  // Absent keys give nullopt. Errors: InvalidArgument naming the key's path and the value.
  Result<std::optional<std::string>> Text(const std::string& key);
  Result<std::optional<bool>> Flag(const std::string& key);
  Result<std::optional<int32_t>> Integer(const std::string& key);
  Result<std::optional<double>> Number(const std::string& key);
  // "8K", "1.5M", "4096": bytes.
  Result<std::optional<int64_t>> DataSize(const std::string& key);
  // A list of texts; `or_text`: one text stands for a list of one.
  Result<std::vector<std::string>> Names(const std::string& key, bool or_text = false);
  // An object or list, or null when the key is absent. Errors: InvalidArgument for other kinds.
  Result<const nlohmann::json*> Object(const std::string& key);
  Result<const nlohmann::json*> List(const std::string& key);

  // Warns when `key` asks for something: it is there and neither null, false nor empty.
  void WarnIfAsked(const std::string& key, std::string_view what);
  void Warn(const std::string& key, std::string_view what);
  // Warns of each key that was never asked for and is not among `silent`.
  void WarnOfUnknown(std::span<const std::string> silent);

  std::string PathOf(const std::string& key) const;

 private:
  const nlohmann::json* Find(const std::string& key);
  Status Wrong(const std::string& key, const nlohmann::json& value, std::string_view kind) const;

  const nlohmann::json* object_;
  std::string path_;
  std::vector<std::string>* warnings_;
  std::string_view of_;
  std::set<std::string> asked_;
};

}  // namespace trellis::table_config
