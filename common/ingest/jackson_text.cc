#include "common/ingest/jackson_text.h"

#include <algorithm>
#include <charconv>

#include "common/base/hex_digit.h"
#include "common/base/utf8.h"
#include "common/types/java_text.h"
#include "common/types/text_order.h"

namespace trellis::ingest {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

void AppendUnicodeEscape(uint32_t unit, std::string& out) {
  constexpr char kHex[] = "0123456789ABCDEF";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[unit >> shift & 0xF];
}

// The four hex digits at `at`, or -1.
int UnicodeUnit(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int unit = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const int digit = HexDigit(text[i]);
    if (digit < 0) return -1;
    unit = unit << 4 | digit;
  }
  return unit;
}

// Walks JSON text and writes it anew.
class JsonRewriter {
 public:
  JsonRewriter(std::string_view text, const JsonForm& form, std::string& out)
      : text_(text), form_(form), out_(out) {}

  JsonVerdict One(bool whole) {
    Blanks();
    if (!Value(0)) return verdict();
    Blanks();
    return whole && at_ != text_.size() ? JsonVerdict::kInvalid : JsonVerdict::kOk;
  }

  JsonVerdict Members(std::vector<JsonMember>& members) {
    Blanks();
    if (!Accept('{')) return JsonVerdict::kInvalid;
    Blanks();
    if (!Accept('}')) {
      do {
        JsonMember member;
        std::string_view content;
        Blanks();
        if (!StringContent(content) || !AppendUnescaped(content, member.key)) return verdict();
        Blanks();
        if (!Accept(':')) return JsonVerdict::kInvalid;
        out_.clear();
        if (!Value(1)) return verdict();
        member.value = out_;
        members.push_back(std::move(member));
        Blanks();
      } while (Accept(','));
      if (!Accept('}')) return verdict();
    }
    Blanks();
    return at_ == text_.size() ? JsonVerdict::kOk : JsonVerdict::kInvalid;
  }

 private:
  // A member of an object as it was written to `out_`: `"key":value`.
  struct Span {
    size_t begin;
    size_t end;
    std::string key;  // without escapes
  };

  JsonVerdict verdict() const { return too_deep_ ? JsonVerdict::kTooDeep : JsonVerdict::kInvalid; }

  void Blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool Accept(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    out_ += word;
    return true;
  }

  bool Value(int depth) {
    Blanks();
    if (at_ >= text_.size()) return false;
    switch (text_[at_]) {
      case '{':
        return Object(depth + 1);
      case '[':
        return Array(depth + 1);
      case '"':
        return String();
      case 't':
        return Word("true");
      case 'f':
        return Word("false");
      case 'n':
        return Word("null");
      default:
        return Number();
    }
  }

  bool Deeper(int depth) {
    if (depth > kJsonDepthMax) too_deep_ = true;
    return !too_deep_;
  }

  bool Array(int depth) {
    ++at_;
    if (!Deeper(depth)) return false;
    out_ += '[';
    Blanks();
    if (!Accept(']')) {
      while (true) {
        if (!Value(depth)) return false;
        Blanks();
        if (!Accept(',')) break;
        out_ += ',';
      }
      if (!Accept(']')) return false;
    }
    out_ += ']';
    return true;
  }

  bool Object(int depth) {
    ++at_;
    if (!Deeper(depth)) return false;
    const size_t begin = out_.size();
    std::vector<Span> spans;
    out_ += '{';
    Blanks();
    if (!Accept('}')) {
      while (true) {
        Blanks();
        if (!Member(depth, spans)) return false;
        Blanks();
        if (!Accept(',')) break;
        out_ += ',';
      }
      if (!Accept('}')) return false;
    }
    out_ += '}';
    Arrange(begin, spans);
    return true;
  }

  bool Member(int depth, std::vector<Span>& spans) {
    std::string_view content;
    Span span{out_.size(), 0, {}};
    if (!StringContent(content) || !AppendUnescaped(content, span.key)) return false;
    AppendQuoted(span.key, /*escape_supplementary=*/false, out_);
    Blanks();
    if (!Accept(':')) return false;
    out_ += ':';
    if (!Value(depth)) return false;
    span.end = out_.size();
    spans.push_back(std::move(span));
    return true;
  }

  // Puts the members that were written from `begin` on into their order, the last of equal keys at
  // the place of the first.
  void Arrange(size_t begin, std::vector<Span>& spans) {
    if (spans.size() < 2) return;
    std::vector<size_t> order(spans.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return CompareUtf16(spans[a].key, spans[b].key) < 0;
    });
    bool changed = form_.sort_keys && !std::is_sorted(order.begin(), order.end());
    std::vector<std::pair<size_t, size_t>> kept;  // place, member
    for (size_t i = 0; i < order.size();) {
      size_t last = i;
      while (last + 1 < order.size() && spans[order[last + 1]].key == spans[order[i]].key) ++last;
      changed |= last != i;
      kept.emplace_back(order[i], order[last]);
      i = last + 1;
    }
    if (!changed) return;
    if (!form_.sort_keys) std::sort(kept.begin(), kept.end());
    std::string arranged = "{";
    for (const auto& [place, member] : kept) {
      if (arranged.size() > 1) arranged += ',';
      arranged.append(out_, spans[member].begin, spans[member].end - spans[member].begin);
    }
    out_.replace(begin, out_.npos, arranged += '}');
  }

  bool String() {
    std::string_view content;
    if (!StringContent(content)) return false;
    if (content.find('\\') == content.npos) {
      AppendQuoted(content, form_.escape_supplementary, out_);
      return true;
    }
    std::string plain;
    if (!AppendUnescaped(content, plain)) return false;
    AppendQuoted(plain, form_.escape_supplementary, out_);
    return true;
  }

  // What is between the quotes that begin here.
  bool StringContent(std::string_view& content) {
    if (!Accept('"')) return false;
    const size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < ' ') return false;
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return false;
    content = text_.substr(begin, at_ - begin);
    ++at_;
    return true;
  }

  bool Number() {
    const size_t end = std::min(text_.find_first_not_of("0123456789+-.eE", at_), text_.size());
    const std::string_view token = text_.substr(at_, end - at_);
    at_ = end;
    const NumberKind kind = ClassifyNumber(token);
    if (kind == NumberKind::kNone) return false;
    if (kind == NumberKind::kInteger) {
      out_ += token == "-0" ? "0" : token;
    } else if (form_.decimals) {
      const auto decimal = ParseDecimal(token);
      if (!decimal) return false;
      out_ += JavaDecimalText(*decimal);
    } else {
      const std::string text = JavaDoubleText(ParseJavaDouble(token).value_or(0));
      out_ += text.ends_with('y') ? '"' + text + '"' : text;
    }
    return true;
  }

  std::string_view text_;
  const JsonForm& form_;
  std::string& out_;
  size_t at_ = 0;
  bool too_deep_ = false;
};

}  // namespace

NumberKind ClassifyNumber(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && IsDigit(text[at])) ++at;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') ++at;
  const bool zero = at < text.size() && text[at] == '0';
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return NumberKind::kNone;
  NumberKind kind = NumberKind::kInteger;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) return NumberKind::kNone;
    kind = NumberKind::kFraction;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (digits() == 0) return NumberKind::kNone;
    kind = NumberKind::kFraction;
  }
  return at == text.size() ? kind : NumberKind::kNone;
}

std::optional<DecimalDigits> ParseDecimal(std::string_view text) {
  constexpr int64_t kExponentMax = 1'000'000'000;
  DecimalDigits decimal;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    decimal.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (const size_t e = text.find_first_of("eE"); e != text.npos) {
    std::string_view tail = text.substr(e + 1);
    if (tail.size() > 1 && tail.front() == '+' && tail[1] != '-') tail.remove_prefix(1);
    int64_t exponent = 0;
    const auto read = std::from_chars(tail.data(), tail.data() + tail.size(), exponent);
    if (read.ec != std::errc() || read.ptr != tail.data() + tail.size()) return std::nullopt;
    if (exponent > kExponentMax || exponent < -kExponentMax) return std::nullopt;
    decimal.scale = -exponent;
    text = text.substr(0, e);
  }
  bool point = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.' && !point) {
      point = true;
    } else if (IsDigit(c)) {
      any = true;
      decimal.scale += point;
      if (c != '0' || !decimal.digits.empty()) decimal.digits += c;
    } else {
      return std::nullopt;
    }
  }
  if (!any) return std::nullopt;
  const size_t last = decimal.digits.find_last_not_of('0');
  if (last == decimal.digits.npos) return DecimalDigits{false, "0", 0};
  decimal.scale -= static_cast<int64_t>(decimal.digits.size() - last - 1);
  decimal.digits.resize(last + 1);
  return decimal;
}

std::string JavaDecimalText(const DecimalDigits& decimal) {
  std::string text = decimal.negative ? "-" : "";
  const auto size = static_cast<int64_t>(decimal.digits.size());
  const int64_t exponent = size - 1 - decimal.scale;
  if (decimal.scale >= 0 && exponent >= -6) {
    if (decimal.scale == 0) return text + decimal.digits;
    if (exponent < 0) {
      return text + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + decimal.digits;
    }
    const auto whole = static_cast<size_t>(exponent + 1);
    return text + decimal.digits.substr(0, whole) + "." + decimal.digits.substr(whole);
  }
  text += decimal.digits[0];
  if (size > 1) text += "." + decimal.digits.substr(1);
  if (exponent != 0) text += (exponent > 0 ? "E+" : "E") + std::to_string(exponent);
  return text;
}

bool AppendUnescaped(std::string_view content, std::string& out) {
  size_t at = 0;
  while (true) {
    const size_t escape = std::min(content.find('\\', at), content.size());
    out.append(content, at, escape - at);
    if (escape == content.size()) return true;
    if (escape + 1 == content.size()) return false;
    const char c = content[escape + 1];
    at = escape + 2;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const size_t known = kNames.find(c); known != kNames.npos) {
      out += kValues[known];
      continue;
    }
    const int unit = c == 'u' ? UnicodeUnit(content, at) : -1;
    if (unit < 0) return false;
    at += 4;
    if (unit < 0xD800 || unit > 0xDFFF) {
      AppendUtf8(static_cast<uint32_t>(unit), out);
      continue;
    }
    const bool pair = unit < 0xDC00 && content.substr(at, 2) == "\\u";
    const int low = pair ? UnicodeUnit(content, at + 2) : -1;
    if (low < 0xDC00 || low > 0xDFFF) {
      out += '?';
      continue;
    }
    at += 6;
    AppendUtf8(JoinSurrogates(static_cast<uint32_t>(unit), static_cast<uint32_t>(low)), out);
  }
}

void AppendQuoted(std::string_view text, bool escape_supplementary, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[i];
    } else if (c < ' ') {
      constexpr std::string_view kShort = "\b\t\n\f\r";
      constexpr std::string_view kLetters = "btnfr";
      const size_t known = kShort.find(text[i]);
      if (known == kShort.npos) {
        AppendUnicodeEscape(c, out);
      } else {
        out += '\\';
        out += kLetters[known];
      }
    } else if (c >= 0xF0 && escape_supplementary && i + 3 < text.size()) {
      uint32_t point = c & 7;
      for (int k = 0; k < 3; ++k) point = point << 6 | (static_cast<unsigned char>(text[++i]) & 63);
      AppendUnicodeEscape(HighSurrogateOf(point), out);
      AppendUnicodeEscape(LowSurrogateOf(point), out);
    } else {
      out += text[i];
    }
  }
  out += '"';
}

JsonVerdict AppendJson(std::string_view text, const JsonForm& form, bool whole, std::string& out) {
  return JsonRewriter(text, form, out).One(whole);
}

JsonVerdict ReadJsonObject(std::string_view text, const JsonForm& form,
                           std::vector<JsonMember>& members) {
  std::string scratch;
  return JsonRewriter(text, form, scratch).Members(members);
}

}  // namespace trellis::ingest
