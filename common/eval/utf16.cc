#include "common/eval/utf16.h"

#include <unicode/ustring.h>

#include "common/base/utf8.h"

namespace trellis::eval {
namespace {

using CaseMapping = int32_t (*)(UChar*, int32_t, const UChar*, int32_t, const char*, UErrorCode*);

void AppendMapped(std::string_view text, CaseMapping map, std::string& out) {
  const std::u16string source = ToUtf16(text);
  std::u16string mapped(source.size() + 16, u'\0');
  for (int attempt = 0; attempt < 2; ++attempt) {
    UErrorCode error = U_ZERO_ERROR;
    const int32_t size = map(mapped.data(), static_cast<int32_t>(mapped.size()), source.data(),
                             static_cast<int32_t>(source.size()), "", &error);
    if (error == U_BUFFER_OVERFLOW_ERROR) {
      mapped.resize(static_cast<size_t>(size));
      continue;
    }
    if (U_SUCCESS(error))
      AppendUtf8(std::u16string_view(mapped).substr(0, static_cast<size_t>(size)), out);
    return;
  }
}

}  // namespace

int64_t Utf16Length(std::string_view text) {
  int64_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += (byte & 0xC0) != 0x80;
    units += byte >= 0xF0;  // a supplementary character is two units
  }
  return units;
}

std::u16string ToUtf16(std::string_view text) {
  std::u16string out(text.size(), u'\0');  // never more units than bytes
  int32_t size = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strFromUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &size, text.data(),
                       static_cast<int32_t>(text.size()), 0xFFFD, nullptr, &error);
  out.resize(
      U_SUCCESS(error) || error == U_STRING_NOT_TERMINATED_WARNING ? static_cast<size_t>(size) : 0);
  return out;
}

void AppendUtf8(std::u16string_view text, std::string& out) {
  const size_t before = out.size();
  out.resize(before + 3 * text.size());
  int32_t size = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strToUTF8WithSub(out.data() + before, static_cast<int32_t>(out.size() - before), &size,
                     text.data(), static_cast<int32_t>(text.size()), '?', nullptr, &error);
  out.resize(before + (U_SUCCESS(error) ? static_cast<size_t>(size) : 0));
}

void AppendSlice(std::string_view text, int64_t begin, int64_t end, std::string& out) {
  if (IsAscii(text)) {
    out += text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
    return;
  }
  const std::u16string units = ToUtf16(text);
  const auto from = std::min(static_cast<size_t>(begin), units.size());
  AppendUtf8(std::u16string_view(units).substr(from, static_cast<size_t>(end - begin)), out);
}

void AppendUpper(std::string_view text, std::string& out) {
  if (!IsAscii(text)) return AppendMapped(text, u_strToUpper, out);
  for (const char c : text) out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
}

void AppendLower(std::string_view text, std::string& out) {
  if (!IsAscii(text)) return AppendMapped(text, u_strToLower, out);
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
}

}  // namespace trellis::eval
