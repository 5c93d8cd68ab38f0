#pragma once

#include <string>

#include "common/types/value.h"
#include "common/vector/column_vector.h"

namespace trellis::segment_writer {

// The text that segment metadata gives a stored value, which is also what Pinot's partition
// functions hash: BOOLEAN as 0 or 1, TIMESTAMP as epoch milliseconds, floating numbers and
// BIG_DECIMAL in Java's text, BYTES and UUID as hex, an empty MAP as `{}`. REQUIRES: not null, no
// array.
std::string StoredValueText(const Value& value);
// The same of one flat value of a vector.
std::string StoredValueText(const ColumnVector& values, size_t index);

// Java's BigDecimal.toString of stored bytes (format notes 3.5): with an exponent where the scale
// is negative or the number small. Bytes that are no decimal give "0".
std::string JavaDecimalText(std::string_view stored);

}  // namespace trellis::segment_writer
