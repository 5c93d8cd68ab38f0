#pragma once

#include <filesystem>

#include "common/verify/fault.h"

namespace trellis::verify {

// What lies in a segment's folder: symbolic links and files that cannot be read are faults (links
// notes where `links_are_faults` is false), files and folders that no release writes are notes.
void CheckFiles(const std::filesystem::path& folder, bool links_are_faults, FaultList& faults);

// `index_map` against `columns.psf` (format notes 1.2): every key, range and marker, ranges that
// overlap; notes for gaps, bytes behind the last range and index ids that are not known. Nothing
// when the folder is not of layout V3. Offsets are those in `columns.psf`, or absent.
void CheckIndexMap(const std::filesystem::path& folder, FaultList& faults);

}  // namespace trellis::verify
