#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/wire/segment_list_codec.h"

namespace trellis::wire {

// Bytes of `text` between the quotes of a JSON string, and their writer (returns the end). Escapes
// as Jackson does: \" \\ \b \t \n \f \r, \u00XX for other control characters; all else as it is,
// bytes that are not UTF-8 included, so that any name comes back the same.
size_t JsonEscapedSize(std::string_view text);
char* PutJsonEscaped(std::string_view text, char* to);

// Reads {"KEY":["name",...],...}: an object of arrays of strings, any white space, nothing else.
// Names without escapes are views into `json`, others are held by `unescaped`. Keys stay in order
// of arrival. Errors: InvalidArgument with the offset; a key that occurs twice is refused.
Status ReadSegmentsJson(std::string_view json, std::vector<SegmentListGroup>& groups,
                        std::shared_ptr<const void>& unescaped);

}  // namespace trellis::wire
