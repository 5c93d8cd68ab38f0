#include "common/wire/segment_list_json.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "common/base/utf8.h"
#include "common/wire/message_limits.h"
#include "common/wire/utf8.h"

namespace trellis::wire {
namespace {

// The letter of a two-character escape, 'u' for a \u00XX one, 0 for none.
constexpr char EscapeOf(char c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\f':
      return 'f';
    case '\r':
      return 'r';
    default:
      return static_cast<unsigned char>(c) < 0x20 ? 'u' : '\0';
  }
}

// True when a string of these bytes is written as it is.
bool IsPlain(std::string_view text) {
  bool plain = true;
  for (const char c : text) plain &= static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  return plain;
}

// Recursive descent over one fixed shape, so without recursion.
class SegmentsJsonReader {
 public:
  explicit SegmentsJsonReader(std::string_view json) : json_(json) {}

  Status Read(std::vector<SegmentListGroup>& groups);
  std::shared_ptr<const void> unescaped() const { return unescaped_; }

 private:
  Status Fail(std::string_view what) const {
    return Status::InvalidArgument("the JSON segment list is malformed: {} at offset {}", what,
                                   at_);
  }
  void SkipSpace() {
    while (at_ < json_.size() && std::strchr(" \t\n\r", json_[at_]) != nullptr &&
           json_[at_] != '\0')
      ++at_;
  }
  // Steps over white space and `c` where it is next.
  bool Take(char c) {
    SkipSpace();
    if (at_ == json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status ReadNames(std::vector<std::string_view>& names);
  Status ReadString(std::string_view& text);
  Status ReadEscapedTail(std::string& text);
  Status ReadEscape(std::string& text);
  Status ReadHex4(uint32_t& unit);

  std::string_view json_;
  size_t at_ = 0;
  size_t names_left_ = kMessageLimits.segment_names_max;
  std::shared_ptr<std::deque<std::string>> unescaped_;
};

Status SegmentsJsonReader::Read(std::vector<SegmentListGroup>& groups) {
  if (!Take('{')) return Fail("'{' expected");
  bool more = !Take('}');
  while (more) {
    if (groups.size() == kMessageLimits.segment_groups_max) {
      return Status::ResourceExhausted("the JSON segment list has more than {} tables",
                                       kMessageLimits.segment_groups_max);
    }
    std::string_view key;
    TRELLIS_RETURN_IF_ERROR(ReadString(key));
    if (!IsUtf8(key)) return Fail("a table key that is not UTF-8");
    if (std::any_of(groups.begin(), groups.end(), [&](const auto& g) { return g.key == key; })) {
      return Fail("a table key that occurs twice");
    }
    if (!Take(':')) return Fail("':' expected");
    SegmentListGroup group{std::string(key), {}};
    TRELLIS_RETURN_IF_ERROR(ReadNames(group.names));
    groups.push_back(std::move(group));
    more = Take(',');
    if (!more && !Take('}')) return Fail("',' or '}' expected");
  }
  SkipSpace();
  return at_ == json_.size() ? Status::Ok() : Fail("text behind the object");
}

Status SegmentsJsonReader::ReadNames(std::vector<std::string_view>& names) {
  if (!Take('[')) return Fail("'[' expected");
  if (Take(']')) return Status::Ok();
  do {
    std::string_view name;
    TRELLIS_RETURN_IF_ERROR(ReadString(name));
    if (names_left_-- == 0) {
      return Status::ResourceExhausted("the JSON segment list has more than {} names",
                                       kMessageLimits.segment_names_max);
    }
    names.push_back(name);
  } while (Take(','));
  return Take(']') ? Status::Ok() : Fail("',' or ']' expected");
}

Status SegmentsJsonReader::ReadString(std::string_view& text) {
  if (!Take('"')) return Fail("a string expected");
  const std::string_view rest = json_.substr(at_);
  const size_t quote = rest.find('"');
  if (quote == std::string_view::npos) return Fail("a string without an end");
  if (IsPlain(rest.substr(0, quote))) [[likely]] {
    text = rest.substr(0, quote);
    at_ += quote + 1;
    return Status::Ok();
  }
  std::string owned;
  TRELLIS_RETURN_IF_ERROR(ReadEscapedTail(owned));
  if (!unescaped_) unescaped_ = std::make_shared<std::deque<std::string>>();
  text = unescaped_->emplace_back(std::move(owned));
  return Status::Ok();
}

Status SegmentsJsonReader::ReadEscapedTail(std::string& text) {
  while (at_ < json_.size()) {
    const char c = json_[at_];
    if (c == '"') {
      ++at_;
      return Status::Ok();
    }
    if (static_cast<unsigned char>(c) < 0x20) return Fail("a control character in a string");
    ++at_;
    if (c != '\\') {
      text += c;
      continue;
    }
    TRELLIS_RETURN_IF_ERROR(ReadEscape(text));
  }
  return Fail("a string without an end");
}

Status SegmentsJsonReader::ReadEscape(std::string& text) {
  if (at_ == json_.size()) return Fail("a cut-off escape");
  const char c = json_[at_++];
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const size_t i = kLetters.find(c); i != std::string_view::npos) {
    text += kMeanings[i];
    return Status::Ok();
  }
  if (c != 'u') return Fail("an unknown escape");
  uint32_t unit = 0;
  TRELLIS_RETURN_IF_ERROR(ReadHex4(unit));
  if (IsHighSurrogate(unit)) {
    if (json_.substr(at_, 2) != "\\u") return Fail("half a surrogate pair");
    at_ += 2;
    uint32_t low = 0;
    TRELLIS_RETURN_IF_ERROR(ReadHex4(low));
    if (!IsLowSurrogate(low)) return Fail("half a surrogate pair");
    unit = JoinSurrogates(unit, low);
  } else if (IsLowSurrogate(unit)) {
    return Fail("half a surrogate pair");
  }
  AppendUtf8(unit, text);
  return Status::Ok();
}

Status SegmentsJsonReader::ReadHex4(uint32_t& unit) {
  if (json_.size() - at_ < 4) return Fail("a cut-off escape");
  unit = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = json_[at_];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Fail("a hexadecimal digit expected");
    unit = unit << 4 | static_cast<uint32_t>(digit);
  }
  return Status::Ok();
}

}  // namespace

size_t JsonEscapedSize(std::string_view text) {
  if (IsPlain(text)) [[likely]]
    return text.size();
  size_t size = text.size();
  for (const char c : text) {
    const char escape = EscapeOf(c);
    if (escape != '\0') size += escape == 'u' ? 5 : 1;
  }
  return size;
}

char* PutJsonEscaped(std::string_view text, char* to) {
  constexpr char kHex[] = "0123456789ABCDEF";
  for (const char c : text) {
    const char escape = EscapeOf(c);
    if (escape == '\0') {
      *to++ = c;
      continue;
    }
    *to++ = '\\';
    *to++ = escape;
    if (escape != 'u') continue;
    *to++ = '0';
    *to++ = '0';
    *to++ = kHex[static_cast<unsigned char>(c) >> 4];
    *to++ = kHex[c & 0xf];
  }
  return to;
}

Status ReadSegmentsJson(std::string_view json, std::vector<SegmentListGroup>& groups,
                        std::shared_ptr<const void>& unescaped) {
  SegmentsJsonReader reader(json);
  TRELLIS_RETURN_IF_ERROR(reader.Read(groups));
  unescaped = reader.unescaped();
  return Status::Ok();
}

}  // namespace trellis::wire
