#pragma once

#include <cstdint>
#include <optional>

#include "common/types/value.h"

namespace trellis {

// A number that orders as the value does, if more coarsely: a < b implies OrderKey(a) <=
// OrderKey(b) for values of one type, in the order of CompareValues. INT, LONG, BOOLEAN and
// TIMESTAMP are their own keys; FLOAT and DOUBLE their ordered bits; STRING its first bytes in
// UTF-16 code unit order. nullopt for nulls, arrays, NaN, and types without a key (BYTES,
// BIG_DECIMAL, JSON, MAP, ...). FLOAT and DOUBLE of one value have one key, as have INT and LONG.
std::optional<int64_t> OrderKey(const Value& value);

}  // namespace trellis
