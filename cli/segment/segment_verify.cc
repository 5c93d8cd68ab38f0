#include "cli/segment/segment_verify.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "common/segment/row_dump.h"
#include "common/segment/segment.h"
#include "common/segment/segment_archive.h"

namespace trellis::cli {
namespace {

namespace fs = std::filesystem;

// The regular files that the checksum covers, in the order of their full paths (format notes 1.3).
Result<std::vector<std::string>> ChecksummedFiles(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path& file = entries->path();
    std::error_code ignored;
    if (!entries->is_regular_file(ignored)) continue;
    if (file.filename() == "creation.meta" || file.extension() == ".crc") continue;
    files.push_back(file.string());
  }
  if (error) return Status::Unavailable("{} cannot be read: {}", folder.string(), error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// One Adler-32 over all of them.
Result<uint32_t> ChecksumOf(const fs::path& folder) {
  TRELLIS_ASSIGN_OR_RETURN(const std::vector<std::string> files, ChecksummedFiles(folder));
  uLong checksum = adler32(0, nullptr, 0);
  std::vector<char> block(1 << 20);
  for (const std::string& name : files) {
    std::ifstream file(name, std::ios::binary);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
      checksum = adler32(checksum, reinterpret_cast<const Bytef*>(block.data()),
                         static_cast<uInt>(file.gcount()));
    }
    if (!file.eof()) return Status::Unavailable("{} cannot be read", name);
  }
  return static_cast<uint32_t>(checksum);
}

Status CheckChecksum(const segment::Segment& segment, const fs::path& folder) {
  if (!segment.metadata().crc) return Status::Ok();
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t found, ChecksumOf(folder));
  if (found == *segment.metadata().crc) return Status::Ok();
  return Status::Corrupt(
      "the files have checksum {}, creation.meta says {}: they were changed after the segment was "
      "sealed (Pinot itself does so when it adds an index on reload)",
      found, *segment.metadata().crc);
}

// The values of a dictionary-encoded column: `ids` of all rows, `offsets` of rows in it.
struct DictIds {
  std::vector<uint32_t> ids;
  std::vector<uint32_t> offsets;
};

Result<DictIds> ReadDictIds(const segment::Column& column, uint32_t document_count) {
  std::vector<uint32_t> docs(document_count);
  std::iota(docs.begin(), docs.end(), 0U);
  DictIds read;
  const auto scratch = column.forward().NewScratch();
  TRELLIS_RETURN_IF_ERROR(column.forward().ReadDictIds(docs, *scratch, read.ids, &read.offsets));
  if (!column.forward().is_multi_value()) {
    read.offsets.resize(document_count + size_t{1});
    std::iota(read.offsets.begin(), read.offsets.end(), 0U);
  }
  return read;
}

// Every (row, value) of the forward index is in the inverted index, and nothing else is.
Status CheckInverted(const segment::Column& column, uint32_t document_count) {
  TRELLIS_ASSIGN_OR_RETURN(DictIds rows, ReadDictIds(column, document_count));
  std::vector<uint32_t> distinct;
  uint64_t wanted = 0;
  for (uint32_t doc = 0; doc < document_count; ++doc) {
    distinct.assign(rows.ids.begin() + rows.offsets[doc], rows.ids.begin() + rows.offsets[doc + 1]);
    std::sort(distinct.begin(), distinct.end());
    wanted +=
        static_cast<uint64_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
  }
  uint64_t found = 0;
  for (uint32_t id = 0; id < column.metadata().cardinality; ++id) {
    TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, column.inverted()->Documents(id));
    found += documents.cardinality();
    for (const uint32_t doc : documents) {
      const auto from = rows.ids.begin() + rows.offsets[doc];
      const auto to = rows.ids.begin() + rows.offsets[doc + 1];
      if (std::find(from, to, id) == to)
        return Status::Corrupt("the inverted index puts value {} in row {}, which has it not", id,
                               doc);
    }
  }
  if (found == wanted) return Status::Ok();
  return Status::Corrupt("the inverted index holds {} values of rows, the forward index {}", found,
                         wanted);
}

Status CheckColumn(const segment::Segment& segment, const std::string& name) {
  const auto column = segment.OpenColumn(name);
  // What Trellis cannot read is no fault of the segment's.
  if (column.status().code() == StatusCode::kUnimplemented) return Status::Ok();
  TRELLIS_RETURN_IF_ERROR(column.status());
  const std::vector<std::string> columns = {name};
  TRELLIS_RETURN_IF_ERROR(
      segment::DumpRows(segment, columns, [](std::string_view) { return true; }));
  if ((*column)->inverted() == nullptr || !(*column)->forward().is_dictionary_encoded())
    return Status::Ok();
  return CheckInverted(**column, segment.document_count())
      .WithContext("segment '" + segment.name() + "', column '" + name + "'");
}

}  // namespace

Result<std::vector<std::string>> VerifySegment(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return Status::NotFound("there is no segment at {}", path.string());
  std::vector<std::string> faults;
  const auto keep = [&](const Status& status) {
    if (!status.ok()) faults.push_back(status.message());
  };
  std::unique_ptr<segment::TemporaryFolder> unpacked;
  fs::path folder = path;
  if (!fs::is_directory(path, error)) {
    TRELLIS_ASSIGN_OR_RETURN(unpacked, segment::TemporaryFolder::Make({}));
    auto inside = segment::UnpackSegment(path, unpacked->path());
    keep(inside.status());
    if (!inside.ok()) return faults;
    folder = *inside;
  }
  const auto segment = segment::Segment::Open(folder);
  keep(segment.status());
  if (!segment.ok()) return faults;
  keep(CheckChecksum(**segment, folder));
  for (const segment::ColumnMetadata& column : (*segment)->metadata().columns)
    keep(CheckColumn(**segment, column.field.name));
  return faults;
}

}  // namespace trellis::cli
