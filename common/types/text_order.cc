#include "common/types/text_order.h"

#include <algorithm>
#include <cstring>

namespace trellis {

int CompareUtf16(std::string_view a, std::string_view b) {
  const size_t shared = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < shared && a[i] == b[i]) ++i;
  if (i == shared) return a.size() < b.size() ? -1 : a.size() > b.size();
  const auto x = static_cast<unsigned char>(a[i]);
  const auto y = static_cast<unsigned char>(b[i]);
  // Only lead bytes can disagree with UTF-16: a four-byte sequence (lead F0..F4) is a surrogate
  // pair D800..DFFF there, below U+E000..U+FFFF (leads EE, EF), and above everything else.
  const bool x_pair = x >= 0xF0 && x <= 0xF4;
  const bool y_pair = y >= 0xF0 && y <= 0xF4;
  if (x_pair != y_pair) {
    const unsigned char other = x_pair ? y : x;
    if (other == 0xEE || other == 0xEF) return x_pair ? -1 : 1;
  }
  return x < y ? -1 : 1;
}

}  // namespace trellis
