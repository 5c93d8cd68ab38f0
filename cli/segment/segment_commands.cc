#include "cli/segment/segment_commands.h"

#include <ostream>

#include "cli/segment/segment_report.h"
#include "common/segment/row_dump.h"
#include "common/segment/segment.h"

namespace trellis::cli {

Result<int> DumpSegment(const std::filesystem::path& path, std::span<const std::string> columns,
                        std::ostream& out, const segment::OpenOptions& options) {
  TRELLIS_ASSIGN_OR_RETURN(const auto segment, segment::Segment::Open(path, {}, options));
  TRELLIS_RETURN_IF_ERROR(segment::DumpRows(*segment, columns, [&](std::string_view line) {
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
    out.put('\n');
    return out.good();
  }));
  out.flush();
  return out.good() ? 0 : 1;
}

Result<int> InspectSegment(const std::filesystem::path& path, std::ostream& out, bool json,
                           const segment::OpenOptions& options) {
  TRELLIS_ASSIGN_OR_RETURN(const auto segment, segment::Segment::Open(path, {}, options));
  // An archive's folder is not known here: what lies beside its index files is not listed.
  std::error_code error;
  std::vector<SideIndex> side_indexes;
  if (std::filesystem::is_directory(path, error)) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string metadata, segment->directory().ReadMetadata());
    side_indexes = FindSideIndexes(path, metadata);
  }
  const auto description = DescribeSegment(*segment, side_indexes);
  if (json) {
    out << description.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
        << '\n';
  } else {
    out << ReportText(description);
  }
  out.flush();
  return out.good() ? 0 : 1;
}

}  // namespace trellis::cli
