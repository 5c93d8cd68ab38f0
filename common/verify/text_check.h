#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/types/data_type.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// The position of the first byte that is not UTF-8 (overlong forms, surrogates and what lies above
// U+10FFFF are not).
std::optional<size_t> FirstBadUtf8(std::string_view text);

// A stored value for a message: text in quotes, other bytes as hex; the first 60 bytes.
std::string ShownBytes(DataType type, std::string_view value);

// One stored value whose physical form is bytes, at `offset`: a UUID has 16 bytes, a BIG_DECIMAL
// decodes. Text that is not UTF-8, which Java reads with replacement characters, is a note. Returns
// whether there was no fault.
bool CheckValueBytes(DataType type, std::string_view value, uint64_t offset, FaultLog& log);

}  // namespace trellis::verify
