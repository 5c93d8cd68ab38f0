#include "common/segment/segment.h"

#include "common/memory/mapping_guard.h"
#include "common/segment/segment_archive.h"
#include "common/segment/temporary_folder.h"

namespace trellis::segment {

struct Segment::Unpacked {
  std::unique_ptr<TemporaryFolder> temporary;
  std::filesystem::path folder;  // in it
};

std::filesystem::path Segment::unpacked_folder() const {
  return unpacked_ == nullptr ? std::filesystem::path() : unpacked_->folder;
}

Result<std::shared_ptr<Segment>> Segment::Open(const std::filesystem::path& path,
                                               const std::filesystem::path& scratch_dir,
                                               const OpenOptions& options) {
  std::shared_ptr<Segment> segment(new Segment());
  segment->options_ = options;
  std::filesystem::path folder = path;
  std::error_code missing;
  if (!std::filesystem::is_directory(path, missing)) {
    TRELLIS_ASSIGN_OR_RETURN(auto temporary, TemporaryFolder::Make(scratch_dir));
    TRELLIS_ASSIGN_OR_RETURN(folder, UnpackSegment(path, temporary->path()));
    segment->unpacked_ = std::make_shared<const Unpacked>(Unpacked{std::move(temporary), folder});
  }
  const std::string where = "segment " + path.string();
  auto directory = SegmentDirectory::Open(folder);
  if (!directory.ok()) return directory.status().WithContext(where);
  segment->directory_ = std::move(directory).value();
  auto properties = segment->directory_->ReadMetadata();
  if (!properties.ok()) return properties.status().WithContext(where);
  auto creation_meta = segment->directory_->ReadCreationMeta();
  if (!creation_meta.ok()) return creation_meta.status().WithContext(where);
  auto metadata = ParseSegmentMetadata(*properties, *creation_meta);
  if (!metadata.ok()) return metadata.status().WithContext(where);
  segment->metadata_ = std::move(metadata).value();
  return segment;
}

Result<ColumnPointer> Segment::OpenColumn(std::string_view name) const {
  const ColumnMetadata* metadata = metadata_.Find(name);
  if (metadata == nullptr)
    return Status::NotFound("segment '{}' has no column '{}'", metadata_.name, name);
  return columns_.Get(metadata_, *metadata, *directory_, options_);
}

Status Segment::CheckIntact() const {
  const Status status = directory_->CheckIntact();
  if (status.ok()) return status;
  return status.WithContext(fmt::format("segment '{}'", metadata_.name));
}

Status Segment::CheckTorn() const {
  return memory::AnyTorn() && directory_->torn() ? CheckIntact() : Status::Ok();
}

}  // namespace trellis::segment
