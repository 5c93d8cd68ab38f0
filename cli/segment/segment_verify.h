#pragma once

#include <iosfwd>
#include <span>
#include <string>

namespace trellis::cli {

struct VerifyForm {
  bool json = false;   // an object a fault and line, with the members of verify::Fault; else text
  bool quiet = false;  // faults only: no notes and, as text, no line for a segment without faults
};

// `trellis segment verify`: checks each segment (a folder or an archive) and writes a line a fault
// or note to `out`; what could not be looked at goes to `errors`. Returns the exit code: 0 no
// faults (there may be notes), 1 a fault or `out` stopped taking bytes, 2 a path that is not there
// or cannot be looked at.
int VerifySegments(std::span<const std::string> paths, const VerifyForm& form, std::ostream& out,
                   std::ostream& errors);

}  // namespace trellis::cli
