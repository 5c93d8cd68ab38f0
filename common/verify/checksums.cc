#include "common/verify/checksums.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>

#include "common/types/text_order.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBlockSizeBytes = 1 << 20;

class Adler {
 public:
  void Add(ByteView bytes) {
    while (!bytes.empty()) {
      const size_t size = std::min(bytes.size(), kBlockSizeBytes);
      sum_ = adler32(sum_, bytes.data(), static_cast<uInt>(size));
      bytes = bytes.subspan(size);
    }
  }
  uint32_t sum() const { return static_cast<uint32_t>(sum_); }

 private:
  uLong sum_ = adler32(0, nullptr, 0);
};

// The regular files that the checksum covers, in the order of their full paths.
Result<std::vector<std::string>> ChecksummedFiles(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const fs::path& file = entries->path();
    std::error_code ignored;
    if (!fs::is_regular_file(entries->symlink_status(ignored))) continue;
    if (file.filename() == "creation.meta" || file.extension() == ".crc") continue;
    files.push_back(file.string());
  }
  if (error) return Status::Unavailable("{}: {}", folder.string(), error.message());
  std::sort(files.begin(), files.end(),
            [](const std::string& a, const std::string& b) { return CompareUtf16(a, b) < 0; });
  return files;
}

Result<uint32_t> ChecksumOf(const fs::path& folder) {
  TRELLIS_ASSIGN_OR_RETURN(const std::vector<std::string> files, ChecksummedFiles(folder));
  Adler adler;
  std::vector<char> block(kBlockSizeBytes);
  for (const std::string& name : files) {
    std::ifstream file(name, std::ios::binary);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0)
      adler.Add(AsBytes({block.data(), static_cast<size_t>(file.gcount())}));
    if (!file.eof()) return Status::Unavailable("{} cannot be read", name);
  }
  return adler.sum();
}

// A payload that the data crc covers.
struct Payload {
  std::string name;  // of its file in layout V1
  const segment::ColumnMetadata* column;
  std::string_view index;
};

std::vector<Payload> PayloadsOf(const segment::Segment& segment) {
  std::vector<Payload> payloads;
  const segment::SegmentDirectory& directory = segment.directory();
  for (const segment::ColumnMetadata& column : segment.metadata().columns) {
    const std::string& name = column.field.name;
    if (directory.Has(name, "dictionary"))
      payloads.push_back({name + ".dict", &column, "dictionary"});
    if (directory.Has(name, "forward_index"))
      payloads.push_back({name + std::string(ForwardExtension(column)), &column, "forward_index"});
  }
  std::sort(payloads.begin(), payloads.end(),
            [](const Payload& a, const Payload& b) { return CompareUtf16(a.name, b.name) < 0; });
  return payloads;
}

bool WasAdded(const segment::ColumnMetadata& column) { return column.auto_generated; }

}  // namespace

std::string_view ForwardExtension(const segment::ColumnMetadata& column) {
  if (!column.dictionary_encoded) return column.field.multi_value ? ".mv.raw.fwd" : ".sv.raw.fwd";
  if (column.field.multi_value) return ".mv.fwd";
  return column.sorted ? ".sv.sorted.fwd" : ".sv.unsorted.fwd";
}

void CheckFileChecksum(const segment::Segment& segment, const fs::path& folder, FaultList& faults) {
  if (!segment.metadata().crc) return;
  FaultLog log(faults, "", "crc", "creation.meta");
  const Result<uint32_t> sum = ChecksumOf(folder);
  if (!sum.ok()) {
    log.Fault(std::nullopt, "files that can be read", sum.status().message());
  } else if (*sum != *segment.metadata().crc) {
    log.Note(0, fmt::format("{}, the Adler-32 of the files", *sum),
             fmt::format("{}: they were changed after sealing, as a reload does",
                         *segment.metadata().crc));
  }
}

void CheckDataChecksum(const segment::Segment& segment, FaultList& faults) {
  if (!segment.metadata().data_crc) return;
  FaultLog log(faults, "", "data_crc", "creation.meta");
  Adler all, sealed;
  bool added = false;
  for (const Payload& payload : PayloadsOf(segment)) {
    const auto bytes = segment.directory().Buffer(payload.column->field.name, payload.index);
    if (!bytes.ok()) return;  // a fault of its own
    all.Add(*bytes);
    if (WasAdded(*payload.column)) {
      added = true;
    } else {
      sealed.Add(*bytes);
    }
  }
  const uint64_t stored = *segment.metadata().data_crc;
  if (all.sum() == stored || (added && sealed.sum() == stored)) return;
  log.Fault(16, fmt::format("{}, the Adler-32 of dictionaries and forward indexes", all.sum()),
            std::to_string(stored));
}

}  // namespace trellis::verify
