#pragma once

#include <cstdint>

#include "common/aggregate/aggregate_function.h"

namespace trellis::aggregate {

// A literal parameter as a number: numeric literals, or text that parses as one.
// Errors: Query(700) for anything else.
Result<double> NumberParameter(const AggregateSpec& spec, size_t at);
Result<int64_t> IntegerParameter(const AggregateSpec& spec, size_t at);
// 'true', 'false' in any case, or a BOOLEAN.
Result<bool> BooleanParameter(const AggregateSpec& spec, size_t at);
// The type a text parameter names ('INT', 'string').
Result<DataType> TypeParameter(const AggregateSpec& spec, size_t at);

}  // namespace trellis::aggregate
