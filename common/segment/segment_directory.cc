#include "common/segment/segment_directory.h"

#include "common/memory/mapped_file.h"
#include "common/segment/directory_layouts.h"

namespace trellis::segment {
namespace {

constexpr uint64_t kMetadataSizeBytesMax = 256ull << 20;
constexpr uint64_t kCreationMetaSizeBytesMax = 4096;

bool IsFile(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

Result<std::string> ReadMetadataOf(const DirectoryPaths& paths) {
  return memory::ReadWholeFile(paths.files / "metadata.properties", kMetadataSizeBytesMax);
}

Result<std::string> ReadCreationMetaOf(const DirectoryPaths& paths) {
  for (const auto& folder : {paths.files, paths.root}) {
    auto bytes = memory::ReadWholeFile(folder / "creation.meta", kCreationMetaSizeBytesMax);
    if (bytes.ok() || bytes.status().code() != StatusCode::kNotFound) return bytes;
  }
  return std::string();
}

Result<std::unique_ptr<SegmentDirectory>> SegmentDirectory::Open(
    const std::filesystem::path& segment_path) {
  const std::filesystem::path v3 = segment_path / "v3";
  if (IsFile(v3 / "metadata.properties")) return OpenV3Directory({segment_path, v3});
  if (!IsFile(segment_path / "metadata.properties")) {
    return Status::NotFound(
        "{}: not a segment: neither v3/metadata.properties nor metadata.properties is there",
        segment_path.string());
  }
  // The path may be that of a `v3` folder itself.
  if (IsFile(segment_path / "columns.psf")) return OpenV3Directory({segment_path, segment_path});
  return OpenV1Directory({segment_path, segment_path});
}

}  // namespace trellis::segment
