#include "common/eval/text_pattern.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "common/base/nearest_name.h"
#include "common/eval/java_regex.h"

namespace trellis::eval {
namespace {

// What LIKE patterns of plain ASCII without inner wildcards mean for ASCII text. Other text goes
// the long way: Unicode folds letters onto ASCII ones (the Kelvin sign, the long s).
enum class Shape : uint8_t { kRegex, kAll, kExact, kPrefix, kSuffix, kContains };

char LowerAscii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool IsAscii(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080) return false;
  }
  for (; i < text.size(); ++i) {
    if (text[i] & 0x80) return false;
  }
  return true;
}

// REQUIRES: `lower` is in lower case and as long as `text`.
bool EqualsLower(std::string_view text, std::string_view lower) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (LowerAscii(text[i]) != lower[i]) return false;
  }
  return true;
}

bool ContainsLower(std::string_view text, std::string_view lower) {
  if (lower.size() > text.size()) return false;
  for (size_t i = 0; i + lower.size() <= text.size(); ++i) {
    if (LowerAscii(text[i]) == lower[0] && EqualsLower(text.substr(i, lower.size()), lower))
      return true;
  }
  return false;
}

bool EndsInLineTerminator(std::string_view text) {
  return !text.empty() && (text.back() == '\n' || text.back() == '\r');
}

struct LikePattern {
  Shape shape = Shape::kRegex;
  std::string lower;  // the text between the outer wildcards
  std::string regex;  // Java's
};

// The characters of a LIKE pattern between its outer runs of `%`, as a Java regular expression: a
// backslash keeps `_` and `%` literal; before anything else it stands for itself (and the next
// character stays active).
std::string BodyToRegex(std::string_view body) {
  std::string regex;
  bool after_backslash = false;
  for (const char c : body) {
    if (c == '\\') {
      regex += after_backslash ? "\\\\" : "\\";
      after_backslash = true;
      continue;
    }
    if (c == '_' || c == '%') {
      regex += after_backslash ? std::string(1, c) : c == '_' ? "." : ".*";
    } else if (after_backslash) {
      regex += '\\';
      regex += c;
    } else {
      if (std::strchr("^$.{}[]()*+?|<>-&/", c) != nullptr && c != '\0') regex += '\\';
      regex += c;
    }
    after_backslash = false;
  }
  if (after_backslash) regex += '\\';
  return regex;
}

LikePattern ParseLike(std::string_view pattern) {
  if (pattern.empty()) return {Shape::kRegex, "", "^$"};
  const size_t begin = pattern.find_first_not_of('%');
  if (begin == std::string_view::npos) return {Shape::kAll, "", ""};
  const size_t end = pattern.find_last_not_of('%') + 1;
  const std::string_view body = pattern.substr(begin, end - begin);
  const bool open_start = begin > 0;
  const bool open_end = end < pattern.size();
  LikePattern like;
  like.regex = BodyToRegex(body);
  if (!open_start) like.regex.insert(0, 1, '^');
  if (!open_end) like.regex += '$';
  if (!IsAscii(body) || body.find_first_of("%_\\") != std::string_view::npos) return like;
  like.lower = ToLowerAscii(body);
  like.shape = open_start ? (open_end ? Shape::kContains : Shape::kSuffix)
                          : (open_end ? Shape::kPrefix : Shape::kExact);
  return like;
}

}  // namespace

struct TextPattern::Compiled {
  LikePattern like;
  std::optional<JavaRegex> regex;

  // nullopt: ask the regular expression.
  std::optional<bool> MatchesQuickly(std::string_view text) const {
    const std::string_view lower = like.lower;
    switch (like.shape) {
      case Shape::kRegex:
        return std::nullopt;
      case Shape::kAll:
        return true;
      case Shape::kPrefix:
        if (!IsAscii(text)) return std::nullopt;
        return text.size() >= lower.size() && EqualsLower(text.substr(0, lower.size()), lower);
      case Shape::kContains:
        if (!IsAscii(text)) return std::nullopt;
        return ContainsLower(text, lower);
      case Shape::kExact:
      case Shape::kSuffix:
        if (!IsAscii(text) || EndsInLineTerminator(text)) return std::nullopt;
        if (like.shape == Shape::kExact && text.size() != lower.size()) return false;
        return text.size() >= lower.size() &&
               EqualsLower(text.substr(text.size() - lower.size()), lower);
    }
    return std::nullopt;
  }
};

TextPattern::TextPattern(std::shared_ptr<const Compiled> compiled)
    : compiled_(std::move(compiled)) {}

Result<TextPattern> TextPattern::Like(std::string_view pattern) {
  auto compiled = std::make_shared<Compiled>();
  compiled->like = ParseLike(pattern);
  TRELLIS_ASSIGN_OR_RETURN(compiled->regex, JavaRegex::Compile(compiled->like.regex, true));
  return TextPattern(std::move(compiled));
}

Result<TextPattern> TextPattern::Regexp(std::string_view pattern, bool ignore_case) {
  auto compiled = std::make_shared<Compiled>();
  TRELLIS_ASSIGN_OR_RETURN(compiled->regex, JavaRegex::Compile(pattern, ignore_case));
  return TextPattern(std::move(compiled));
}

bool TextPattern::Matches(std::string_view text) const {
  if (const auto quick = compiled_->MatchesQuickly(text)) return *quick;
  return compiled_->regex->Find(text);
}

}  // namespace trellis::eval
