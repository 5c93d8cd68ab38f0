#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/status.h"

namespace trellis::cli {

// What is wrong with the segment at `path` (a folder of either layout, or an archive of one), one
// sentence a fault; empty = nothing. Checks that the checksum of creation.meta is that of the
// files, that every column opens and every row of it can be read, and that inverted indexes agree
// with forward indexes. Cost: reads every byte twice; memory: 4 bytes a value of one column.
// Errors: NotFound when there is nothing at `path`; what else is wrong with it is a fault.
Result<std::vector<std::string>> VerifySegment(const std::filesystem::path& path);

}  // namespace trellis::cli
