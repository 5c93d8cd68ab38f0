#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/segment/segment.h"

namespace trellis::cli {

// What is known of a segment without reading its rows. Keys: name, table, version, layout,
// documents, timeColumn, startTime, endTime, timeUnit, crc, creationTimeMs, dataCrc, creator,
// columns[], skipped[] (index buffers of kinds Trellis does not read).
nlohmann::ordered_json DescribeSegment(const segment::Segment& segment);

// The same as text for people: a head of `key  value` lines, a table of the columns, the skipped
// indexes.
std::string ReportText(const nlohmann::ordered_json& description);

}  // namespace trellis::cli
