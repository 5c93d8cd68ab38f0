#pragma once

#include <filesystem>

#include "common/segment/segment.h"
#include "common/verify/fault.h"

namespace trellis::verify {

// Compares the crc of creation.meta with one Adler-32 over the files in `folder` (format notes
// 1.3). Another one is a note: Pinot leaves it as it was when a reload adds an index.
void CheckFileChecksum(const segment::Segment& segment, const std::filesystem::path& folder,
                       FaultList& faults);

// Compares the data crc with one Adler-32 over dictionaries and forward indexes, in the order of
// the names their files have in layout V1. Another one is a fault. Columns that Pinot added with
// their default value after sealing may be in it or not.
void CheckDataChecksum(const segment::Segment& segment, FaultList& faults);

// The name of a column's forward index in layout V1, e.g. ".sv.raw.fwd" behind the column's.
std::string_view ForwardExtension(const segment::ColumnMetadata& column);

}  // namespace trellis::verify
