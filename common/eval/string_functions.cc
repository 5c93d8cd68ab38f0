// Text in, text or number out. Positions are UTF-16 code units (utf16.h); searching and replacing
// whole strings works on UTF-8 bytes, which gives the same places.

#include <algorithm>
#include <optional>

#include "common/base/utf8.h"
#include "common/eval/scalar_function.h"
#include "common/eval/text_pattern.h"
#include "common/eval/utf16.h"
#include "common/types/text_order.h"

namespace trellis::eval {
namespace {

// The cut of Apache Commons' StringUtils.substring: negative positions count from the end.
void Cut(std::string_view text, int64_t begin, int64_t end, std::string& out) {
  const int64_t length = Utf16Length(text);
  if (end < 0) end += length;
  if (begin < 0) begin += length;
  end = std::min(end, length);
  if (begin > end) return;
  AppendSlice(text, std::max<int64_t>(begin, 0), std::max<int64_t>(end, 0), out);
}

void CutToEnd(std::string_view text, int64_t begin, std::string& out) {
  const int64_t length = Utf16Length(text);
  if (begin < 0) begin = std::max<int64_t>(begin + length, 0);
  if (begin <= length) AppendSlice(text, begin, length, out);
}

void RegisterSlices(Registry& registry) {
  AddScalar(
      registry, {"substr"},
      {Scalar([](std::string_view s, int32_t begin, std::string& out) { CutToEnd(s, begin, out); }),
       Scalar([](std::string_view s, int32_t begin, int32_t end, std::string& out) {
         end == -1 ? CutToEnd(s, begin, out) : Cut(s, begin, end, out);
       })});
  AddScalar(registry, {"substring"},
            {Scalar([](std::string_view s, int32_t begin, std::string& out) {
               CutToEnd(s, int64_t{begin} - 1, out);
             }),
             Scalar([](std::string_view s, int32_t begin, int32_t length, std::string& out) {
               Cut(s, int64_t{begin} - 1, int64_t{begin} - 1 + length, out);
             })});
  AddScalar(registry, {"left", "leftsubstr"},
            {Scalar([](std::string_view s, int32_t n, std::string& out) {
              AppendSlice(s, 0, std::clamp<int64_t>(n, 0, Utf16Length(s)), out);
            })});
  AddScalar(registry, {"right", "rightsubstr"},
            {Scalar([](std::string_view s, int32_t n, std::string& out) {
              const int64_t length = Utf16Length(s);
              AppendSlice(s, length - std::clamp<int64_t>(n, 0, length), length, out);
            })});
}

constexpr std::string_view kRegexSpaces = " \t\n\v\f\r";

void Strip(std::string_view text, std::string_view set, bool leading, bool trailing,
           std::string& out) {
  if (IsAscii(text) && IsAscii(set)) {
    if (leading) text.remove_prefix(std::min(text.find_first_not_of(set), text.size()));
    if (trailing) text = text.substr(0, text.find_last_not_of(set) + 1);
    out += text;
    return;
  }
  const std::u16string wide = ToUtf16(text);
  const std::u16string units = ToUtf16(set);
  std::u16string_view rest = wide;
  if (leading) rest.remove_prefix(std::min(rest.find_first_not_of(units), rest.size()));
  if (trailing) rest = rest.substr(0, rest.find_last_not_of(units) + 1);
  AppendUtf8(rest, out);
}

void RegisterTrims(Registry& registry) {
  AddScalar(registry, {"trim"},
            {Scalar([](std::string_view s, std::string& out) { Strip(s, " ", true, true, out); }),
             Scalar([](std::string_view flag, std::string_view set, std::string_view s,
                       std::string& out) -> Status {
               const bool both = flag == "BOTH";
               if (!both && flag != "LEADING" && flag != "TRAILING") {
                 return Status::Query(PinotCode::kQueryExecution, "Unknown trim flag: {}", flag);
               }
               Strip(s, set, both || flag == "LEADING", both || flag == "TRAILING", out);
               return Status::Ok();
             })});
  AddScalar(registry, {"ltrim"}, {Scalar([](std::string_view s, std::string& out) {
              Strip(s, kRegexSpaces, true, false, out);
            })});
  AddScalar(registry, {"rtrim"}, {Scalar([](std::string_view s, std::string& out) {
              Strip(s, kRegexSpaces, false, true, out);
            })});
}

// Appends `size` units of `pad` over and over.
Status AppendPadding(int64_t size, std::string_view pad, std::string& out) {
  if (pad.empty()) pad = " ";
  TRELLIS_RETURN_IF_ERROR(CheckMadeTextSize(static_cast<uint64_t>(size) * 3));
  const int64_t length = Utf16Length(pad);
  for (; size >= length; size -= length) out += pad;
  AppendSlice(pad, 0, size, out);
  return Status::Ok();
}

Status Repeat(std::string_view text, std::string_view separator, int32_t n, std::string& out) {
  if (n <= 0) return Status::Ok();
  TRELLIS_RETURN_IF_ERROR(
      CheckMadeTextSize(static_cast<uint64_t>(n) * (text.size() + separator.size())));
  for (int32_t i = 0; i < n; ++i) {
    if (i > 0) out += separator;
    out += text;
  }
  return Status::Ok();
}

void RegisterBuilders(Registry& registry) {
  AddScalar(
      registry, {"concat"},
      {Scalar([](std::string_view a, std::string_view b, std::string& out) { (out += a) += b; }),
       Scalar([](std::string_view a, std::string_view b, std::string_view separator,
                 std::string& out) { ((out += a) += separator) += b; })});
  AddScalar(registry, {"concatws"},
            {Scalar([](std::string_view separator, std::string_view a, std::string_view b,
                       std::string& out) { ((out += a) += separator) += b; })});
  AddScalar(registry, {"lpad"},
            {Scalar([](std::string_view s, int32_t size, std::string_view pad,
                       std::string& out) -> Status {
              const int64_t missing = size - Utf16Length(s);
              if (missing > 0) TRELLIS_RETURN_IF_ERROR(AppendPadding(missing, pad, out));
              out += s;
              return Status::Ok();
            })});
  AddScalar(registry, {"rpad"},
            {Scalar([](std::string_view s, int32_t size, std::string_view pad,
                       std::string& out) -> Status {
              const int64_t missing = size - Utf16Length(s);
              out += s;
              return missing > 0 ? AppendPadding(missing, pad, out) : Status::Ok();
            })});
  AddScalar(registry, {"repeat"},
            {Scalar([](std::string_view s, int32_t n, std::string& out) {
               return Repeat(s, "", n, out);
             }),
             Scalar([](std::string_view s, std::string_view separator, int32_t n,
                       std::string& out) { return Repeat(s, separator, n, out); })});
}

void ReplaceAll(std::string_view text, std::string_view find, std::string_view with,
                std::string& out) {
  if (find.empty()) {
    out += text;
    return;
  }
  for (size_t at; (at = text.find(find)) != std::string_view::npos;) {
    (out += text.substr(0, at)) += with;
    text.remove_prefix(at + find.size());
  }
  out += text;
}

// The position in UTF-16 units of the n-th occurrence, overlapping ones counted; -1 when there is
// none.
int32_t PositionOf(std::string_view text, std::string_view find, int32_t n) {
  if (n <= 0) return -1;
  if (find.empty()) return 0;
  size_t at = text.find(find);
  while (--n > 0 && at != std::string_view::npos) at = text.find(find, at + 1);
  return at == std::string_view::npos ? -1 : static_cast<int32_t>(Utf16Length(text.substr(0, at)));
}

void ReverseCodePoints(std::string_view text, std::string& out) {
  size_t end = text.size();
  while (end > 0) {
    size_t begin = end - 1;
    while (begin > 0 && end - begin < 4 && (text[begin] & 0xC0) == 0x80) --begin;
    out += text.substr(begin, end - begin);
    end = begin;
  }
}

void RegisterSearches(Registry& registry) {
  AddScalar(registry, {"replace"},
            {Scalar([](std::string_view s, std::string_view find, std::string_view with,
                       std::string& out) { ReplaceAll(s, find, with, out); })});
  AddScalar(registry, {"remove"},
            {Scalar([](std::string_view s, std::string_view find, std::string& out) {
              ReplaceAll(s, find, "", out);
            })});
  AddScalar(registry, {"strpos"},
            {Scalar([](std::string_view s, std::string_view find) -> int32_t {
               return PositionOf(s, find, 1);
             }),
             Scalar([](std::string_view s, std::string_view find, int32_t n) -> int32_t {
               return PositionOf(s, find, n);
             })});
  AddScalar(
      registry, {"strrpos"}, {Scalar([](std::string_view s, std::string_view find) -> int32_t {
        const size_t at = s.rfind(find);
        return at == std::string_view::npos ? -1
                                            : static_cast<int32_t>(Utf16Length(s.substr(0, at)));
      })});
  AddScalar(
      registry, {"startswith"},
      {Scalar([](std::string_view s, std::string_view prefix) { return s.starts_with(prefix); })});
  AddScalar(
      registry, {"endswith"},
      {Scalar([](std::string_view s, std::string_view suffix) { return s.ends_with(suffix); })});
  AddScalar(registry, {"contains"}, {Scalar([](std::string_view s, std::string_view find) {
              return s.find(find) != std::string_view::npos;
            })});
}

void RegisterWholes(Registry& registry) {
  AddScalar(registry, {"upper"},
            {Scalar([](std::string_view s, std::string& out) { AppendUpper(s, out); })});
  AddScalar(registry, {"lower"},
            {Scalar([](std::string_view s, std::string& out) { AppendLower(s, out); })});
  AddScalar(registry, {"reverse"},
            {Scalar([](std::string_view s, std::string& out) { ReverseCodePoints(s, out); })});
  AddScalar(
      registry, {"length"},
      {Scalar([](std::string_view s) -> int32_t { return static_cast<int32_t>(Utf16Length(s)); })});
  AddScalar(registry, {"charlength", "characterlength"}, {Scalar([](std::string_view s) -> int32_t {
              return static_cast<int32_t>(
                  std::count_if(s.begin(), s.end(), [](char c) { return (c & 0xC0) != 0x80; }));
            })});
  AddScalar(registry, {"octetlength"},
            {Scalar([](std::string_view s) -> int32_t { return static_cast<int32_t>(s.size()); })});
  AddScalar(
      registry, {"bitlength"},
      {Scalar([](std::string_view s) -> int32_t { return static_cast<int32_t>(s.size() * 8); })});
}

}  // namespace

void RegisterStrings(Registry& registry) {
  RegisterSlices(registry);
  RegisterTrims(registry);
  RegisterBuilders(registry);
  RegisterSearches(registry);
  RegisterWholes(registry);
}

}  // namespace trellis::eval
