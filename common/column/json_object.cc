#include "common/column/json_object.h"

#include <algorithm>

#include "common/column/json_value.h"

namespace trellis::column {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A row of FindJsonMembers; `storage` is for keys with escapes.
Status FindIn(std::string_view object, std::span<const std::string_view> keys,
              std::string_view* values, std::string& storage) {
  JsonObjectWalk walk(object);
  JsonMember member;
  for (size_t wanted = keys.size(); wanted > 0;) {
    TRELLIS_ASSIGN_OR_RETURN(const bool more, walk.Next(member));
    if (!more) break;
    const auto name = JsonMemberKey(member, storage);
    if (!name.has_value()) continue;  // a broken escape makes it no key at all
    const auto at = std::find(keys.begin(), keys.end(), *name);
    if (at == keys.end()) continue;
    std::string_view& value = values[at - keys.begin()];
    if (value.data() != nullptr) continue;
    value = member.json;
    --wanted;
  }
  return {};
}

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

Status FindJsonMembers(std::span<const std::string_view> objects, const uint8_t* nulls,
                       std::span<const std::string_view> keys, std::string_view* values,
                       size_t& failed_row) {
  std::fill_n(values, objects.size() * keys.size(), std::string_view());
  std::string storage;
  for (size_t row = 0; row < objects.size(); ++row) {
    if ((nulls && nulls[row]) || objects[row].empty()) continue;
    const Status status = FindIn(objects[row], keys, values + row * keys.size(), storage);
    if (status.ok()) continue;
    failed_row = row;
    return status;
  }
  return {};
}

}  // namespace trellis::column
