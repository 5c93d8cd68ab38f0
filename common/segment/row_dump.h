#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "common/segment/segment.h"

namespace trellis::segment {

// Writes one JSON object a row, in docId order, in the form of design.md section 3 (`trellis
// segment dump`): null where the null value vector says so, digits exact, MAP an object, NaN and
// infinities quoted. `columns` empty = all. `sink` gets one line without newline a call; a false
// return stops the dump. Errors: InvalidArgument for a column asked for twice; those of the
// columns.
Status DumpRows(const Segment& segment, std::span<const std::string> columns,
                const std::function<bool(std::string_view)>& sink);

}  // namespace trellis::segment
