#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace trellis::segment_writer {

// Adds the keys of one MAP frame (format notes 6.2) to `keys`. Errors: Corrupt for a frame that is
// none: what is built shall not hold rows that nobody can read.
Status AddMapKeys(std::string_view frame, std::set<std::string, std::less<>>& keys);

}  // namespace trellis::segment_writer
