#include "common/segment/json_text.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <type_traits>

namespace trellis::segment {
namespace {

void Append(std::string_view text, fmt::memory_buffer& out) {
  out.append(text.data(), text.data() + text.size());
}

struct Sequence {
  size_t length;  // bytes looked at, at least 1
  bool valid;
};

// Looks at the multi-byte UTF-8 sequence at `at` (Unicode table 3-7); an invalid one is cut after
// its last byte that could have been right.
Sequence LookAtSequence(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const uint8_t lead = byte(at);
  size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (size_t i = 1; i < length; ++i) {
    if (byte(at + i) < low || byte(at + i) > high) return {i, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

// Appends what stands for an ASCII character that cannot stand for itself.
using EscapeAscii = void (*)(char, fmt::memory_buffer&);

void EscapeInString(char c, fmt::memory_buffer& out) {
  switch (c) {
    case '"':
      return Append("\\\"", out);
    case '\\':
      return Append("\\\\", out);
    case '\n':
      return Append("\\n", out);
    case '\r':
      return Append("\\r", out);
    case '\t':
      return Append("\\t", out);
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  }
}

// Copies runs of plain characters at once and hands the others to `escape`.
template <class IsPlain>
void AppendRuns(std::string_view text, IsPlain is_plain, EscapeAscii escape,
                fmt::memory_buffer& out) {
  size_t run = 0;
  size_t at = 0;
  const auto flush = [&] { Append(text.substr(run, at - run), out); };
  while (at < text.size()) {
    const auto c = static_cast<uint8_t>(text[at]);
    if (c < 0x80 && is_plain(c)) {
      ++at;
      continue;
    }
    if (c < 0x80) {
      flush();
      escape(text[at], out);
      run = ++at;
      continue;
    }
    const Sequence sequence = LookAtSequence(text, at);
    if (!sequence.valid) {
      flush();
      Append("\xEF\xBF\xBD", out);
      run = at + sequence.length;
    }
    at += sequence.length;
  }
  flush();
}

// Java never stops at one digit where a second brings the text closer to the value: 1.4E-45, not
// 1E-45. Only subnormal numbers are so coarse that this differs from the shortest text. False when
// two digits do not read back as `value`.
template <class T>
bool AppendTwoDigits(T value, fmt::memory_buffer& out) {
  const std::string text = fmt::format("{:.1e}", value);
  const T read_back = std::is_same_v<T, float> ? static_cast<T>(std::strtof(text.c_str(), nullptr))
                                               : static_cast<T>(std::strtod(text.c_str(), nullptr));
  if (read_back != value) return false;
  Append(text, out);
  return true;
}

template <class T>
void AppendFloating(T value, fmt::memory_buffer& out) {
  if (std::isnan(value)) return Append("\"NaN\"", out);
  if (std::isinf(value)) return Append(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", out);
  if (std::fpclassify(value) == FP_SUBNORMAL && AppendTwoDigits(value, out)) return;
  const size_t before = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  const std::string_view text(out.data() + before, out.size() - before);
  if (text.find_first_of(".e") == std::string_view::npos) Append(".0", out);
}

}  // namespace

void AppendJsonString(std::string_view text, fmt::memory_buffer& out) {
  out.push_back('"');
  AppendRuns(
      text, [](uint8_t c) { return c >= 0x20 && c != '"' && c != '\\'; }, EscapeInString, out);
  out.push_back('"');
}

void AppendJsonOnOneLine(std::string_view json, fmt::memory_buffer& out) {
  AppendRuns(
      json, [](uint8_t c) { return c != '\n' && c != '\r'; },
      [](char, fmt::memory_buffer& buffer) { buffer.push_back(' '); }, out);
}

void AppendJsonNumber(float value, fmt::memory_buffer& out) { AppendFloating(value, out); }
void AppendJsonNumber(double value, fmt::memory_buffer& out) { AppendFloating(value, out); }

}  // namespace trellis::segment
