#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/segment/side_indexes.h"
#include "common/segment/segment.h"

namespace trellis::cli {

// What is known of a segment without reading its rows. Keys: name, table, version, layout,
// documents, timeColumn, startTime, endTime, timeUnit, crc, creationTimeMs, dataCrc, creator,
// columns[], skipped[] (indexes that no query reads, `side_indexes` among them, each with its kind
// and what its header says).
nlohmann::ordered_json DescribeSegment(const segment::Segment& segment,
                                       const std::vector<SideIndex>& side_indexes);

// The same as text for people: a head of `key  value` lines, a table of the columns, the skipped
// indexes.
std::string ReportText(const nlohmann::ordered_json& description);

}  // namespace trellis::cli
