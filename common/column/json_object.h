#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace trellis::column {

// One member of a JSON object, as it stands in the text.
struct JsonMember {
  std::string_view key;      // between the quotes
  bool key_escaped = false;  // `key` holds escapes: JsonMemberKey reads it
  std::string_view json;     // the value's text, without blanks around it
};

// Walks the members of a JSON object in place: nothing is copied, and what lies inside values is
// skipped over, not judged. A value that is no valid JSON is for its reader to find out. Memory and
// stack use do not depend on the text.
class JsonObjectWalk {
 public:
  explicit JsonObjectWalk(std::string_view text) : text_(text) {}
  // Takes the next member; false behind the last. Errors: Corrupt where the text is no object.
  Result<bool> Next(JsonMember& member);

 private:
  void SkipBlanks();
  bool Take(char c);
  // Takes what stands up to the end of the string whose first quote was taken.
  bool TakeStringRest(std::string_view& content, bool& escaped);
  bool TakeValue(std::string_view& json);
  bool SkipNested();
  Status Damaged() const;

  std::string_view text_;
  size_t at_ = 0;
  enum class State : uint8_t { kBefore, kInside, kAfter } state_ = State::kBefore;
};

// The key itself: `member.key`, or its content unescaped into `storage`. nullopt when an escape is
// broken.
std::optional<std::string_view> JsonMemberKey(const JsonMember& member, std::string& storage);

// Writes the JSON text of keys[k]'s value in objects[row] to values[row * keys.size() + k]: a view
// into the object, with a null data() where the object, or an empty text in its place, lacks the
// key. The first of equal members counts, and an object is walked until the last of the keys is
// found. Rows that `nulls` (a byte a row, or null) marks are not looked at. REQUIRES: no two keys
// equal. Errors: Corrupt, for the first row that is damaged as far as it is walked; `failed_row`
// receives it.
Status FindJsonMembers(std::span<const std::string_view> objects, const uint8_t* nulls,
                       std::span<const std::string_view> keys, std::string_view* values,
                       size_t& failed_row);

}  // namespace trellis::column
