#pragma once

#include "common/segment/metadata_text.h"
#include "common/segment/segment_metadata.h"

namespace trellis::segment {

// Fills the members of `column`, whose name is set, from the keys `column.<name>.*` of `file`
// (format notes 2.3). Errors: Corrupt naming the key.
Status ParseColumnMetadata(MetadataText& file, ColumnMetadata& column);

// Undoes the escape that Pinot puts around STRING values of minValue, maxValue and defaultNullValue
// before the properties library sees them (format notes 2.1): NUL guards of leading and trailing
// blanks, two NULs for a ','.
std::string UnescapeStringValue(std::string_view text);

}  // namespace trellis::segment
