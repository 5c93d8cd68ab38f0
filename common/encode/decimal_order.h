#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/types/big_decimal.h"

namespace trellis::encode {

// A stored BIG_DECIMAL (format notes 3.5) as bytes that are the same for equal numbers, whatever
// their scale: the unscaled number without trailing zeros. Appends nothing: `key` is overwritten.
// Errors: InvalidArgument for bytes that are none.
Status DecimalKey(std::string_view stored, std::string& key);

// Sorts positions of `stored` by number, ascending. REQUIRES: every one is a BIG_DECIMAL.
std::vector<uint32_t> OrderOfDecimals(const std::vector<std::string_view>& stored);

}  // namespace trellis::encode
