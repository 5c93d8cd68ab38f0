#include "common/types/value_order.h"

#include "common/types/big_decimal.h"
#include "common/types/text_order.h"

namespace trellis {

int CompareStoredBytes(DataType type, std::string_view a, std::string_view b) {
  if (IsText(type)) return CompareUtf16(a, b);
  if (type == DataType::kBigDecimal) {
    const auto x = BigDecimal::FromBytes(a);
    const auto y = BigDecimal::FromBytes(b);
    if (x.ok() && y.ok()) return x->Compare(*y);
  }
  return a.compare(b);  // char_traits compares unsigned bytes
}

}  // namespace trellis
