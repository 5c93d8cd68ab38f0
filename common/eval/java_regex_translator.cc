#include <array>
#include <utility>

#include "common/base/nearest_name.h"
#include "common/eval/java_regex.h"

namespace trellis::eval {
namespace {

constexpr std::string_view kAnyButLineEnd = "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";
constexpr std::string_view kLineEnd = "(\\r\\n|[\\n\\r\\x{85}\\x{2028}\\x{2029}])?";
constexpr std::string_view kSpaces = "\\t\\n\\x0B\\f\\r ";
constexpr std::string_view kHorizontalSpaces =
    "\\t \\x{A0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}";
constexpr std::string_view kVerticalSpaces = "\\n\\x0B\\f\\r\\x{85}\\x{2028}\\x{2029}";

// Java's ASCII classes and RE2's names for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kAsciiClasses{{
    {"Lower", "lower"},
    {"Upper", "upper"},
    {"ASCII", "ascii"},
    {"Alpha", "alpha"},
    {"Digit", "digit"},
    {"Alnum", "alnum"},
    {"Punct", "punct"},
    {"Graph", "graph"},
    {"Print", "print"},
    {"Blank", "blank"},
    {"Cntrl", "cntrl"},
    {"XDigit", "xdigit"},
    {"Space", "space"},
}};

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Translator {
 public:
  Translator(std::string_view pattern, bool ignore_case) : text_(pattern) {
    out_.groups.push_back(0);
    if (ignore_case) out_.re2 = "(?i)";
  }

  Result<TranslatedRegex> Run() {
    while (!at_end()) TRELLIS_RETURN_IF_ERROR(Item());
    return std::move(out_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void Emit(std::string_view what) { out_.re2 += what; }
  Status Refuse(std::string_view construct) const {
    return Status::Query(PinotCode::kQueryValidation,
                         "Unsupported regular expression '{}': {} at offset {}", text_, construct,
                         at_);
  }

  void EmitLiteral(char c) {
    if (static_cast<unsigned char>(c) < 0x80 && !IsAsciiLetter(c) && !IsDigit(c) && c != '_' &&
        c != ' ') {
      if (c < ' ' || c == 0x7f) {
        Emit(fmt::format("\\x{:02x}", static_cast<int>(c)));
        return;
      }
      out_.re2 += '\\';
    }
    out_.re2 += c;
  }

  Status Item() {
    const char c = peek();
    switch (c) {
      case '\\':
        return Escape(false);
      case '[':
        return Class();
      case '(':
        return Group();
      case ')':
        if (dot_all_.size() > 1) dot_all_.pop_back();
        break;
      case '.':
        ++at_;
        Emit(dot_all_.back() ? "(?s:.)" : kAnyButLineEnd);
        return Quantifier();
      case '$':
        ++at_;
        return Dollar();
      case '*':
      case '+':
      case '?':
        return Refuse("a quantifier without something to repeat");
      case '{':
        return Refuse("an unescaped '{'");
      default:
        break;
    }
    ++at_;
    if (c == '|' || c == '^' || c == ')') {
      out_.re2 += c;
      return c == ')' ? Quantifier() : Status::Ok();
    }
    EmitLiteral(c);
    // A quantifier repeats the whole code point; its later bytes follow as they are.
    while (!at_end() && (static_cast<unsigned char>(peek()) & 0xC0) == 0x80)
      out_.re2 += text_[at_++];
    return Quantifier();
  }

  Status Dollar() {
    if (!at_end() && peek() != '|' && peek() != ')')
      return Refuse("'$' before the end of an alternative");
    Emit("(?:");
    Emit(kLineEnd);
    Emit("\\z)");
    out_.terminators.push_back(++groups_);
    return Status::Ok();
  }

  Status Quantifier() {
    if (at_end()) return Status::Ok();
    const char c = peek();
    if (c == '*' || c == '+' || c == '?') {
      out_.re2 += c;
      ++at_;
    } else if (c == '{') {
      const size_t close = text_.find('}', at_);
      const std::string_view counts =
          close == std::string_view::npos ? "" : text_.substr(at_ + 1, close - at_ - 1);
      if (counts.empty() || !IsDigit(counts[0]) ||
          counts.find_first_not_of("0123456789,") != std::string_view::npos) {
        return Refuse("a malformed repetition count");
      }
      Emit(text_.substr(at_, close - at_ + 1));
      at_ = close + 1;
    } else {
      return Status::Ok();
    }
    if (peek() == '+') return Refuse("a possessive quantifier");
    if (peek() == '?') {
      out_.re2 += '?';
      ++at_;
    }
    if (!at_end() && (peek() == '*' || peek() == '+' || peek() == '?'))
      return Refuse("a repeated quantifier");
    return Status::Ok();
  }

  Status Group() {
    if (!looking_at("(?")) {
      ++at_;
      Emit("(");
      out_.groups.push_back(++groups_);
      dot_all_.push_back(dot_all_.back());
      return Status::Ok();
    }
    if (looking_at("(?=") || looking_at("(?!")) return Refuse("look-ahead");
    if (looking_at("(?<=") || looking_at("(?<!")) return Refuse("look-behind");
    if (looking_at("(?>")) return Refuse("an atomic group");
    if (looking_at("(?<")) {
      const size_t close = text_.find('>', at_);
      if (close == std::string_view::npos) return Refuse("a group name without '>'");
      Emit("(?P<");
      Emit(text_.substr(at_ + 3, close - at_ - 2));
      at_ = close + 1;
      out_.groups.push_back(++groups_);
      dot_all_.push_back(dot_all_.back());
      return Status::Ok();
    }
    return Flags();
  }

  // (?i) (?s) (?i:...) (?-s) and (?:...).
  Status Flags() {
    size_t at = at_ + 2;
    bool on = true;
    bool dot_all = dot_all_.back();
    std::string kept;
    for (; at < text_.size() && text_[at] != ')' && text_[at] != ':'; ++at) {
      const char flag = text_[at];
      if (flag == '-' && on) {
        on = false;
        kept += '-';
      } else if (flag == 's') {
        dot_all = on;
      } else if (flag == 'i') {
        for (const char c : text_) {
          // Java folds ASCII only here, RE2 everything.
          if (static_cast<unsigned char>(c) >= 0x80)
            return Refuse("flag (?i) with letters outside ASCII");
        }
        kept += 'i';
      } else {
        return Refuse("a flag other than i and s");
      }
    }
    if (at >= text_.size()) return Refuse("an unclosed group");
    if (kept == "-") kept.clear();
    const bool scoped = text_[at] == ':';
    at_ = at + 1;
    if (scoped) {
      Emit("(?" + kept + ":");
      dot_all_.push_back(dot_all);
    } else {
      if (!kept.empty()) Emit("(?" + kept + ")");
      dot_all_.back() = dot_all;
    }
    return Status::Ok();
  }

  Status Class() {
    out_.re2 += text_[at_++];
    if (peek() == '^') out_.re2 += text_[at_++];
    if (peek() == ']') return Refuse("']' at the beginning of a class");
    while (!at_end() && peek() != ']') {
      if (peek() == '[') return Refuse("a class within a class");
      if (looking_at("&&")) return Refuse("a class intersection");
      if (peek() == '\\') {
        TRELLIS_RETURN_IF_ERROR(Escape(true));
      } else if (peek() == '-') {
        out_.re2 += text_[at_++];
      } else {
        EmitLiteral(text_[at_++]);
      }
    }
    if (at_end()) return Refuse("an unclosed class");
    ++at_;
    Emit("]");
    return Quantifier();
  }

  // A set of characters, inside a class or as one.
  Status EmitSet(std::string_view members, bool negated, bool in_class) {
    if (in_class && negated) return Refuse("a negated escape within a class");
    if (in_class) {
      Emit(members);
      return Status::Ok();
    }
    Emit(negated ? "[^" : "[");
    Emit(members);
    Emit("]");
    return Quantifier();
  }

  Status EmitPlain(std::string_view what, bool in_class) {
    Emit(what);
    return in_class ? Status::Ok() : Quantifier();
  }

  Status Escape(bool in_class) {
    if (at_ + 1 >= text_.size()) return Refuse("a backslash at the end");
    const char c = text_[at_ + 1];
    if (!IsAsciiLetter(c) && !IsDigit(c)) {
      ++at_;
      EmitLiteral(text_[at_++]);
      while (!at_end() && (static_cast<unsigned char>(peek()) & 0xC0) == 0x80)
        out_.re2 += text_[at_++];
      return in_class ? Status::Ok() : Quantifier();
    }
    if (c == 'Q') return Quoted(in_class);
    if (c == 'p' || c == 'P') return Property(in_class);
    if (c == 'x' || c == 'u') return CodePoint(in_class);
    if (IsDigit(c) && c != '0') return Refuse("a back-reference");
    at_ += 2;
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
      case 't':
      case 'n':
      case 'r':
      case 'f':
      case 'a':
        return EmitPlain(std::string{'\\', c}, in_class);
      case 'e':
        return EmitPlain("\\x1B", in_class);
      case 's':
      case 'S':
        return EmitSet(kSpaces, c == 'S', in_class);
      case 'h':
      case 'H':
        return EmitSet(kHorizontalSpaces, c == 'H', in_class);
      case 'v':
      case 'V':
        return EmitSet(kVerticalSpaces, c == 'V', in_class);
      default:
        break;
    }
    if (!in_class && (c == 'b' || c == 'B' || c == 'A' || c == 'z')) {
      Emit(std::string{'\\', c});
      return Status::Ok();
    }
    if (!in_class && c == 'Z') return Dollar();
    at_ -= 2;
    return Refuse(c == 'k' ? std::string("a back-reference") : fmt::format("escape \\{}", c));
  }

  Status Quoted(bool in_class) {
    at_ += 2;
    const size_t end = text_.find("\\E", at_);
    const size_t stop = end == std::string_view::npos ? text_.size() : end;
    while (at_ < stop) EmitLiteral(text_[at_++]);
    at_ = end == std::string_view::npos ? stop : end + 2;
    return in_class ? Status::Ok() : Quantifier();
  }

  Status Property(bool in_class) {
    const bool negated = text_[at_ + 1] == 'P';
    std::string_view name = text_.substr(at_ + 2, 1);
    size_t next = at_ + 3;
    if (name == "{") {
      const size_t close = text_.find('}', at_);
      if (close == std::string_view::npos) return Refuse("an unclosed property");
      name = text_.substr(at_ + 3, close - at_ - 3);
      next = close + 1;
    }
    for (const auto& [java, re2] : kAsciiClasses) {
      if (name != java) continue;
      at_ = next;
      const std::string members = fmt::format("[:{}{}:]", negated ? "^" : "", re2);
      return in_class ? EmitPlain(members, true) : EmitPlain("[" + members + "]", false);
    }
    if (name.empty() || name.size() > 2 || name == "LC")
      return Refuse(fmt::format("property {}", name));
    at_ = next;
    return EmitPlain(fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', name), in_class);
  }

  // \xhh, \x{h...}, \uhhhh.
  Status CodePoint(bool in_class) {
    const bool unicode = text_[at_ + 1] == 'u';
    std::string_view digits = text_.substr(at_ + 2, unicode ? 4 : 2);
    size_t next = at_ + 2 + digits.size();
    if (!unicode && peek(2) == '{') {
      const size_t close = text_.find('}', at_);
      if (close == std::string_view::npos) return Refuse("an unclosed \\x{");
      digits = text_.substr(at_ + 3, close - at_ - 3);
      next = close + 1;
    } else if (digits.size() != (unicode ? 4U : 2U)) {
      return Refuse("a short escape");
    }
    if (digits.empty() || digits.size() > 6) return Refuse("a malformed code point");
    for (const char c : digits) {
      if (!IsHexDigit(c)) return Refuse("a malformed code point");
    }
    if (digits.size() == 4 && (digits[0] | 0x20) == 'd' && digits[1] >= '8')
      return Refuse("a surrogate escape");
    at_ = next;
    return EmitPlain(fmt::format("\\x{{{}}}", digits), in_class);
  }

  std::string_view text_;
  size_t at_ = 0;
  int groups_ = 0;
  std::vector<bool> dot_all_{false};
  TranslatedRegex out_;
};

}  // namespace

Result<TranslatedRegex> TranslateJavaRegex(std::string_view pattern, bool ignore_case) {
  constexpr size_t kPatternSizeMax = 64 * 1024;
  if (pattern.size() > kPatternSizeMax) {
    return Status::Query(PinotCode::kQueryValidation,
                         "A regular expression of {} bytes, at most {} are allowed", pattern.size(),
                         kPatternSizeMax);
  }
  return Translator(pattern, ignore_case).Run();
}

}  // namespace trellis::eval
