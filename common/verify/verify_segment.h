#pragma once

#include <filesystem>
#include <vector>

#include "common/base/status.h"
#include "common/verify/fault.h"

namespace trellis::verify {

struct VerifyOptions {
  size_t faults_per_index_max = 10;  // of one column's index; more are counted
  bool links_are_faults = true;      // symbolic links within the segment; else notes
  // Where an archive is unpacked; empty = the system's folder for temporary files.
  std::filesystem::path scratch_dir;
};

// Checks the segment at `path` (a folder of either layout, or an archive of one) against its format
// and its parts against each other; docs/verify.md lists what is checked and what is only a note.
// Cost: reads every byte, the rows twice. Memory: 4 bytes a value of one column, and one inflated
// chunk. Errors: NotFound when there is nothing at `path`, Unavailable and the like when it cannot
// be unpacked for lack of room; all that is wrong with the segment is a fault.
Result<std::vector<Fault>> VerifySegment(const std::filesystem::path& path,
                                         const VerifyOptions& options = {});

// The faults without the notes as one sentence: how many there are, and the first. Ok when there
// are none, else Corrupt.
Status FaultsAsStatus(const std::vector<Fault>& faults);

}  // namespace trellis::verify
