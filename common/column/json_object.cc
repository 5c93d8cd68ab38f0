#include "common/column/json_object.h"

#include "common/column/json_value.h"

namespace trellis::column {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void JsonObjectWalk::SkipBlanks() {
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
}

bool JsonObjectWalk::Take(char c) {
  SkipBlanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonObjectWalk::TakeStringRest(std::string_view& content, bool& escaped) {
  const size_t first = at_;
  escaped = false;
  for (; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      content = text_.substr(first, at_ - first);
      ++at_;
      return true;
    }
    if (text_[at_] != '\\') continue;
    escaped = true;
    ++at_;  // whatever is escaped does not end the string
  }
  return false;
}

// Brackets are only counted: which closes which does not move the end of a valid value.
bool JsonObjectWalk::SkipNested() {
  uint64_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return true;
    } else if (c == '"') {
      std::string_view content;
      bool escaped = false;
      if (!TakeStringRest(content, escaped)) return false;
    }
  }
  return false;
}

bool JsonObjectWalk::TakeValue(std::string_view& json) {
  SkipBlanks();
  const size_t first = at_;
  if (at_ == text_.size()) return false;
  const char c = text_[at_];
  if (c == '"') {
    ++at_;
    std::string_view content;
    bool escaped = false;
    if (!TakeStringRest(content, escaped)) return false;
  } else if (c == '{' || c == '[') {
    if (!SkipNested()) return false;
  } else {
    const size_t end = text_.find_first_of(",} \t\r\n", at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
  }
  json = text_.substr(first, at_ - first);
  return !json.empty();
}

Status JsonObjectWalk::Damaged() const {
  return Status::Corrupt("JSON object of {} bytes is damaged at {}", text_.size(), at_);
}

Result<bool> JsonObjectWalk::Next(JsonMember& member) {
  if (state_ == State::kAfter) return false;
  const bool first = state_ == State::kBefore;
  if (first && !Take('{')) return Damaged();
  state_ = State::kInside;
  if (Take('}')) {
    SkipBlanks();
    if (at_ != text_.size()) return Damaged();
    state_ = State::kAfter;
    return false;
  }
  if (!first && !Take(',')) return Damaged();
  if (!Take('"') || !TakeStringRest(member.key, member.key_escaped) || !Take(':') ||
      !TakeValue(member.json)) {
    return Damaged();
  }
  return true;
}

std::optional<std::string_view> JsonMemberKey(const JsonMember& member, std::string& storage) {
  if (!member.key_escaped) return member.key;
  auto text = UnescapeJson('"' + std::string(member.key) + '"');
  if (!text.has_value()) return std::nullopt;
  storage = std::move(*text);
  return storage;
}

Result<std::optional<std::string_view>> FindJsonMember(std::string_view object,
                                                       std::string_view key) {
  if (object.empty()) return std::optional<std::string_view>();
  JsonObjectWalk walk(object);
  JsonMember member;
  std::string storage;
  while (true) {
    TRELLIS_ASSIGN_OR_RETURN(const bool more, walk.Next(member));
    if (!more) return std::optional<std::string_view>();
    if (JsonMemberKey(member, storage) == key) return std::optional(member.json);
  }
}

}  // namespace trellis::column
