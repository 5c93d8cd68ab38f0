#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace trellis::eval {

// A parsed JSON text that keeps members in order and numbers as written. Private to this room.
struct JsonNode {
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kFraction, kText, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // of a text, or a number's digits as written
  std::vector<JsonNode> elements;
  std::vector<std::string> names;  // of an object's elements, in parallel

  const JsonNode* Member(std::string_view name) const;
};

// nullopt when the text is not JSON or nests deeper than 500 levels. Of repeated keys the last
// wins.
std::optional<JsonNode> ParseJson(std::string_view text);
// Compact JSON text.
void AppendJson(const JsonNode& node, std::string& out);

// A path of `$`, `.name`, `['name']`, `[n]`, `[-n]`, `[*]`, `.*`.
class JsonPath {
 public:
  // Errors: Query(kQueryValidation), naming a form that is not supported: `..`, filters, slices,
  // unions, functions.
  static Result<JsonPath> Compile(std::string_view path);

  bool has_wildcard() const { return has_wildcard_; }
  struct Match {
    const JsonNode* node;
    std::string path;  // `$['a'][0]`
  };
  // In document order. Nodes live in `root`.
  std::vector<Match> Find(const JsonNode& root, bool with_paths) const;
  // The one node of a path without wildcards, nullptr when it is missing.
  const JsonNode* FindOne(const JsonNode& root) const;

 private:
  struct Step {
    enum class Kind : uint8_t { kName, kIndex, kAll };
    Kind kind = Kind::kAll;
    std::string name;
    int64_t index = 0;
  };
  std::vector<Step> steps_;
  bool has_wildcard_ = false;
};

}  // namespace trellis::eval
