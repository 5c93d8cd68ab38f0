#include "common/base/printable_text.h"

#include <fmt/format.h>

namespace trellis {

std::string PrintableText(std::string_view text, size_t bytes_max) {
  std::string plain;
  for (const char c : text.substr(0, bytes_max)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      plain += fmt::format("\\x{:02x}", byte);
    } else {
      plain += c;
    }
  }
  if (text.size() > bytes_max) plain += "...";
  return plain;
}

}  // namespace trellis
