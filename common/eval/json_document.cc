#include "common/eval/json_document.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace trellis::eval {
namespace {

constexpr size_t kDepthMax = 500;

// Builds the nodes: open containers are a stack of owned nodes that are attached when they close.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Attach({}); }
  bool boolean(bool value) override {
    return Attach({.kind = JsonNode::Kind::kBoolean, .boolean = value});
  }
  bool number_integer(number_integer_t value) override {
    return Number(JsonNode::Kind::kInteger, std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(JsonNode::Kind::kInteger, std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    const bool integer = text.find_first_of(".eE") == std::string::npos;
    return Number(integer ? JsonNode::Kind::kInteger : JsonNode::Kind::kFraction, text);
  }
  bool string(string_t& value) override {
    return Attach({.kind = JsonNode::Kind::kText, .text = std::move(value)});
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(JsonNode::Kind::kObject); }
  bool start_array(std::size_t) override { return Open(JsonNode::Kind::kArray); }
  bool key(string_t& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  JsonNode root;

 private:
  bool Number(JsonNode::Kind kind, std::string text) {
    return Attach({.kind = kind, .text = std::move(text)});
  }
  bool Open(JsonNode::Kind kind) {
    if (open_.size() >= kDepthMax) return false;
    open_.push_back({.kind = kind});
    keys_.emplace_back();
    return true;
  }
  bool Close() {
    JsonNode node = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return Attach(std::move(node));
  }
  bool Attach(JsonNode node) {
    if (open_.empty()) {
      root = std::move(node);
      return true;
    }
    JsonNode& parent = open_.back();
    if (parent.kind == JsonNode::Kind::kObject) {
      for (size_t i = 0; i < parent.names.size(); ++i) {
        if (parent.names[i] != keys_.back()) continue;
        parent.elements[i] = std::move(node);
        return true;
      }
      parent.names.push_back(std::move(keys_.back()));
    }
    parent.elements.push_back(std::move(node));
    return true;
  }
  std::vector<JsonNode> open_;
  std::vector<std::string> keys_;
};

Status Unsupported(std::string_view path, std::string_view what) {
  return Status::Query(PinotCode::kQueryValidation, "Unsupported JSON path '{}': {}", path, what);
}

}  // namespace

const JsonNode* JsonNode::Member(std::string_view name) const {
  if (kind != Kind::kObject) return nullptr;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &elements[i];
  }
  return nullptr;
}

std::optional<JsonNode> ParseJson(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return std::move(builder.root);
}

void AppendJson(const JsonNode& node, std::string& out) {
  const auto quote = [&out](const std::string& text) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      out += "null";
      return;
    case JsonNode::Kind::kBoolean:
      out += node.boolean ? "true" : "false";
      return;
    case JsonNode::Kind::kInteger:
    case JsonNode::Kind::kFraction:
      out += node.text;
      return;
    case JsonNode::Kind::kText:
      return quote(node.text);
    default:
      break;
  }
  const bool object = node.kind == JsonNode::Kind::kObject;
  out += object ? '{' : '[';
  for (size_t i = 0; i < node.elements.size(); ++i) {
    if (i > 0) out += ',';
    if (object) {
      quote(node.names[i]);
      out += ':';
    }
    AppendJson(node.elements[i], out);
  }
  out += object ? '}' : ']';
}

Result<JsonPath> JsonPath::Compile(std::string_view path) {
  if (path.empty() || path[0] != '$') return Unsupported(path, "it must begin with '$'");
  JsonPath compiled;
  std::string_view rest = path.substr(1);
  while (!rest.empty()) {
    Step step;
    if (rest.starts_with("..")) return Unsupported(path, "'..'");
    if (rest[0] == '.') {
      rest.remove_prefix(1);
      const size_t end = std::min(rest.find_first_of(".["), rest.size());
      step.name = std::string(rest.substr(0, end));
      step.kind = step.name == "*" ? Step::Kind::kAll : Step::Kind::kName;
      if (step.name.empty()) return Unsupported(path, "an empty name");
      if (step.kind == Step::Kind::kName &&
          step.name.find_first_of("()?@*:,'\" ") != std::string::npos) {
        return Unsupported(path, "functions and special names");
      }
      rest.remove_prefix(end);
    } else if (rest.starts_with("['")) {
      const size_t end = rest.find("']");
      if (end == std::string_view::npos) return Unsupported(path, "an unclosed bracket");
      step.kind = Step::Kind::kName;
      step.name = std::string(rest.substr(2, end - 2));
      if (step.name.find_first_of("'\\") != std::string::npos)
        return Unsupported(path, "a union or an escaped name");
      rest.remove_prefix(end + 2);
    } else if (rest.starts_with("[*]")) {
      rest.remove_prefix(3);
    } else if (rest[0] == '[') {
      const size_t end = rest.find(']');
      if (end == std::string_view::npos) return Unsupported(path, "an unclosed bracket");
      const std::string_view inside = rest.substr(1, end - 1);
      const auto [stop, error] =
          std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
      if (error != std::errc() || stop != inside.data() + inside.size())
        return Unsupported(path, "a slice, union or filter");
      step.kind = Step::Kind::kIndex;
      rest.remove_prefix(end + 1);
    } else {
      return Unsupported(path, "what follows is no step");
    }
    compiled.has_wildcard_ |= step.kind == Step::Kind::kAll;
    compiled.steps_.push_back(std::move(step));
  }
  return compiled;
}

std::vector<JsonPath::Match> JsonPath::Find(const JsonNode& root, bool with_paths) const {
  std::vector<Match> matches = {{&root, with_paths ? "$" : ""}};
  for (const Step& step : steps_) {
    std::vector<Match> next;
    for (Match& match : matches) {
      const JsonNode& node = *match.node;
      const auto add = [&](size_t i) {
        std::string path;
        if (with_paths) {
          path = node.kind == JsonNode::Kind::kObject
                     ? fmt::format("{}['{}']", match.path, node.names[i])
                     : fmt::format("{}[{}]", match.path, i);
        }
        next.push_back({&node.elements[i], std::move(path)});
      };
      const auto size = static_cast<int64_t>(node.elements.size());
      if (step.kind == Step::Kind::kAll) {
        for (int64_t i = 0; i < size; ++i) add(static_cast<size_t>(i));
      } else if (step.kind == Step::Kind::kIndex) {
        const int64_t at = step.index < 0 ? size + step.index : step.index;
        if (node.kind == JsonNode::Kind::kArray && at >= 0 && at < size)
          add(static_cast<size_t>(at));
      } else if (const JsonNode* member = node.Member(step.name)) {
        add(static_cast<size_t>(member - node.elements.data()));
      }
    }
    matches = std::move(next);
  }
  return matches;
}

const JsonNode* JsonPath::FindOne(const JsonNode& root) const {
  const std::vector<Match> matches = Find(root, false);
  return matches.empty() ? nullptr : matches[0].node;
}

}  // namespace trellis::eval
