#include "common/verify/verify_segment.h"

#include "common/segment/segment.h"
#include "common/segment/segment_archive.h"
#include "common/segment/temporary_folder.h"
#include "common/verify/checksums.h"
#include "common/verify/column_check.h"
#include "common/verify/folder_check.h"
#include "common/verify/star_tree_check.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;

// Indexes of columns that the metadata do not list.
void CheckStrays(const segment::Segment& segment, FaultList& faults) {
  for (const auto& entry : segment.directory().entries()) {
    if (segment.metadata().Find(entry.column) != nullptr) continue;
    FaultLog(faults, entry.column, entry.index, "")
        .Note(std::nullopt, "", "an index of a column that the metadata do not list");
  }
}

void CheckFolder(const fs::path& folder, const VerifyOptions& options, FaultList& faults) {
  CheckFiles(folder, options.links_are_faults, faults);
  CheckIndexMap(folder, faults);
  const auto opened = segment::Segment::Open(folder);
  const auto fail = [&](const Status& status) {
    if (faults.fault_count() == 0)
      FaultLog(faults, "", "segment", "").Fault(std::nullopt, "a segment", status.message());
  };
  if (!opened.ok()) return fail(opened.status());
  const segment::Segment& segment = **opened;
  faults.Name(segment.name());
  const auto text = segment.directory().ReadMetadata();
  if (!text.ok()) return fail(text.status());
  const auto properties = segment::PropertiesFile::Parse(*text);
  if (!properties.ok()) return fail(properties.status());
  CheckFileChecksum(segment, folder, faults);
  CheckDataChecksum(segment, faults);
  CheckStrays(segment, faults);
  const SegmentView view(segment, *properties, folder, faults);
  for (const segment::ColumnMetadata& column : segment.metadata().columns)
    CheckColumn(ColumnView(view, column));
  CheckStarTrees(view, folder);
}

}  // namespace

Result<std::vector<Fault>> VerifySegment(const fs::path& path, const VerifyOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error)) return Status::NotFound("there is no segment at {}", path.string());
  FaultList faults(path.filename().string(), options.faults_per_index_max);
  if (fs::is_directory(path, error)) {
    CheckFolder(path, options, faults);
    return faults.Take();
  }
  TRELLIS_ASSIGN_OR_RETURN(const auto unpacked,
                           segment::TemporaryFolder::Make(options.scratch_dir));
  const auto inside = segment::UnpackSegment(path, unpacked->path());
  if (inside.ok()) {
    CheckFolder(*inside, options, faults);
  } else if (inside.status().IsCorrupt()) {
    FaultLog(faults, "", "archive", path.filename().string())
        .Fault(std::nullopt, "an archive of one segment", inside.status().message());
  } else {
    return inside.status();
  }
  return faults.Take();
}

Status FaultsAsStatus(const std::vector<Fault>& faults) {
  const Fault* first = nullptr;
  uint64_t count = 0;
  for (const Fault& fault : faults) {
    if (fault.is_note) continue;
    if (first == nullptr) first = &fault;
    count += fault.count;
  }
  if (first == nullptr) return {};
  return Status::Corrupt("{} {}, the first: {}", count, count == 1 ? "fault" : "faults",
                         FaultText(*first));
}

}  // namespace trellis::verify
