#include "common/verify/verify_segment.h"

#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "common/segment/segment_archive.h"
#include "common/verify/checksums.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;

void CheckColumn(const segment::Segment& segment, const std::string& name, FaultList& faults) {
  const auto column = segment.OpenColumn(name);
  // What Trellis cannot read is no fault of the segment's.
  if (column.status().code() == StatusCode::kUnimplemented) return;
  Status status = column.status();
  const std::vector<std::string> columns = {name};
  if (status.ok())
    status = segment::DumpRows(segment, columns, [](std::string_view) { return true; });
  if (!status.ok())
    FaultLog(faults, name, "forward_index", segment.directory().FileOf(name, "forward_index"))
        .Fault(std::nullopt, "rows that can be read", status.message());
}

void CheckFolder(const fs::path& folder, FaultList& faults) {
  const auto segment = segment::Segment::Open(folder);
  if (!segment.ok()) {
    FaultLog(faults, "", "segment", "")
        .Fault(std::nullopt, "a segment", segment.status().message());
    return;
  }
  faults.Name((*segment)->name());
  CheckFileChecksum(**segment, folder, faults);
  CheckDataChecksum(**segment, faults);
  for (const segment::ColumnMetadata& column : (*segment)->metadata().columns)
    CheckColumn(**segment, column.field.name, faults);
}

}  // namespace

Result<std::vector<Fault>> VerifySegment(const fs::path& path, const VerifyOptions& options) {
  std::error_code error;
  if (!fs::exists(path, error)) return Status::NotFound("there is no segment at {}", path.string());
  FaultList faults(path.filename().string(), options.faults_per_index_max);
  if (fs::is_directory(path, error)) {
    CheckFolder(path, faults);
    return faults.Take();
  }
  TRELLIS_ASSIGN_OR_RETURN(const auto unpacked,
                           segment::TemporaryFolder::Make(options.scratch_dir));
  const auto inside = segment::UnpackSegment(path, unpacked->path());
  if (inside.ok()) {
    CheckFolder(*inside, faults);
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
