#include "common/segment/segment_directory.h"

#include "common/memory/mapped_file.h"
#include "common/segment/directory_layouts.h"

namespace trellis::segment {
namespace {

constexpr uint64_t kMetadataSizeBytesMax = 64ull << 20;
constexpr uint64_t kCreationMetaSizeBytesMax = 4096;

// Whether the file is there. Errors: PermissionDenied; InvalidArgument when it is something else.
Result<bool> HasFile(const std::filesystem::path& path) {
  const auto found = memory::IdentityOfFile(path.native());
  if (found.ok()) return true;
  if (found.status().code() == StatusCode::kNotFound) return false;
  return found.status();
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
  TRELLIS_ASSIGN_OR_RETURN(const bool nested, HasFile(v3 / "metadata.properties"));
  if (nested) return OpenV3Directory({segment_path, v3});
  TRELLIS_ASSIGN_OR_RETURN(const bool flat, HasFile(segment_path / "metadata.properties"));
  if (!flat) {
    return Status::NotFound(
        "{}: not a segment: neither v3/metadata.properties nor metadata.properties is there",
        segment_path.string());
  }
  // The path may be that of a `v3` folder itself.
  TRELLIS_ASSIGN_OR_RETURN(const bool inner, HasFile(segment_path / "columns.psf"));
  if (inner) return OpenV3Directory({segment_path, segment_path});
  return OpenV1Directory({segment_path, segment_path});
}

}  // namespace trellis::segment
