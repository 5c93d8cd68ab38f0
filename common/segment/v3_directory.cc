#include <atomic>

#include "common/memory/mapped_file.h"
#include "common/memory/mapping_bound.h"
#include "common/segment/directory_layouts.h"
#include "common/segment/index_map.h"
#include "common/segment/mapped_on_use.h"

namespace trellis::segment {
namespace {

constexpr uint64_t kIndexMapSizeBytesMax = 64ull << 20;

std::string RangeText(const IndexMap& map, const IndexMap::Entry& entry) {
  return fmt::format("{} of column '{}'", map.IndexOf(entry), map.ColumnOf(entry));
}

// Small while it waits: 200,000 of them may.
class V3Directory final : public SegmentDirectory {
 public:
  // One of `file` (stays mapped) and `on_use` is null.
  V3Directory(const DirectoryPaths& paths, IndexMap map, std::unique_ptr<memory::MappedFile> file,
              std::unique_ptr<MappedOnUse> on_use)
      : folder_(paths.files.native()),
        root_bytes_(paths.root.native().size()),
        map_(std::move(map)),
        file_(std::move(file)),
        on_use_(std::move(on_use)) {}

  bool is_v3() const override { return true; }

  std::vector<Entry> entries() const override {
    std::vector<Entry> entries;
    for (const IndexMapEntry& entry : map_.ByOffset()) {
      const uint64_t marker = entry.size_bytes == 0 ? 0 : kIndexMarkerSizeBytes;
      entries.push_back(
          {entry.column, entry.index, entry.start_offset + marker, entry.size_bytes - marker});
    }
    return entries;
  }
  bool empty() const override { return map_.entries().empty(); }

  // A placeholder of size 0 (the index is stored elsewhere) is not there.
  bool Has(std::string_view column, std::string_view index) const override {
    const IndexMap::Entry* entry = map_.Find(column, index);
    return entry != nullptr && entry->size_bytes != 0;
  }

  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override {
    if (on_use_ && Has(column, index)) TRELLIS_RETURN_IF_ERROR(on_use_->MapToStay().status());
    TRELLIS_ASSIGN_OR_RETURN(const HeldBuffer held, Hold(column, index));
    return held.bytes;
  }

  Result<HeldBuffer> Hold(std::string_view column, std::string_view index) const override {
    const IndexMap::Entry* entry = map_.Find(column, index);
    if (entry == nullptr || entry->size_bytes == 0)
      return Status::NotFound("column '{}' has no {} in {}/columns.psf", column, index, folder_);
    used_.store(true, std::memory_order_relaxed);
    HeldBuffer held;
    const memory::MappedFile* file = file_.get();
    if (on_use_) {
      TRELLIS_ASSIGN_OR_RETURN(auto mapped, on_use_->Map());
      file = mapped.get();
      held.mapping = std::move(mapped);
    }
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes,
                             file->Range(entry->start_offset, entry->size_bytes));
    const uint64_t marker = LoadBigEndian<uint64_t>(bytes.data());  // at least 8 bytes: IndexMap
    if (marker != kIndexMarker) {
      return Status::Corrupt("{}: marker {:016x} at offset {}, expected {:016x}", file->path(),
                             marker, entry->start_offset, kIndexMarker);
    }
    held.bytes = bytes.subspan(kIndexMarkerSizeBytes);
    return held;
  }

  Result<std::string> ReadMetadata() const override { return ReadMetadataOf(paths()); }
  Result<std::string> ReadCreationMeta() const override { return ReadCreationMetaOf(paths()); }

  // What nobody has read from needs no check.
  Status CheckIntact() const override {
    if (!used_.load(std::memory_order_relaxed)) return {};
    return on_use_ ? on_use_->CheckIntact() : file_->CheckIntact();
  }
  bool torn() const override { return on_use_ ? on_use_->torn() : file_->torn(); }

  std::string FileOf(std::string_view column, std::string_view index) const override {
    const IndexMap::Entry* entry = map_.Find(column, index);
    return entry == nullptr ? "columns.psf"
                            : fmt::format("columns.psf at offset {}", entry->start_offset);
  }

 private:
  DirectoryPaths paths() const { return {folder_.substr(0, root_bytes_), folder_}; }

  std::string folder_;  // its beginning is the segment's own folder
  size_t root_bytes_;
  IndexMap map_;
  std::unique_ptr<memory::MappedFile> file_;
  std::unique_ptr<MappedOnUse> on_use_;
  mutable std::atomic<bool> used_{false};
};

Result<IndexMap> ReadIndexMap(const DirectoryPaths& paths, uint64_t columns_size_bytes) {
  const std::string path = paths.files.native() + "/index_map";
  auto text = memory::ReadWholeFile(path, kIndexMapSizeBytesMax);
  if (text.status().code() == StatusCode::kNotFound) {
    if (columns_size_bytes == 0) return IndexMap();  // an empty segment has neither
    return Status::Corrupt("{} is missing beside {} bytes of columns.psf", path,
                           columns_size_bytes);
  }
  if (!text.ok()) return text.status();
  auto map = IndexMap::Parse(*text);
  if (!map.ok()) return map.status().WithContext(path);
  // A file cut short is found now, not by the first query that needs the lost part.
  for (const IndexMap::Entry& entry : map->entries()) {
    if (entry.size_bytes == 0) continue;
    if (entry.start_offset <= columns_size_bytes &&
        entry.size_bytes <= columns_size_bytes - entry.start_offset) {
      continue;
    }
    return Status::Corrupt("{}: {}: {} bytes at offset {} leave columns.psf of {} bytes", path,
                           RangeText(*map, entry), entry.size_bytes, entry.start_offset,
                           columns_size_bytes);
  }
  return map;
}

}  // namespace

Result<std::unique_ptr<SegmentDirectory>> OpenV3Directory(const DirectoryPaths& paths) {
  const std::string path = paths.files.native() + "/columns.psf";
  std::unique_ptr<memory::MappedFile> file;
  std::unique_ptr<MappedOnUse> on_use;
  uint64_t size_bytes = 0;
  if (memory::HasRoomToStay()) {
    TRELLIS_ASSIGN_OR_RETURN(memory::MappedFile mapped, memory::MappedFile::Open(path));
    size_bytes = mapped.size_bytes();
    file = std::make_unique<memory::MappedFile>(std::move(mapped));
  } else {
    TRELLIS_ASSIGN_OR_RETURN(const memory::FileIdentity identity, memory::IdentityOfFile(path));
    size_bytes = identity.size_bytes;
    on_use = std::make_unique<MappedOnUse>(path, identity);
  }
  TRELLIS_ASSIGN_OR_RETURN(IndexMap map, ReadIndexMap(paths, size_bytes));
  return std::unique_ptr<SegmentDirectory>(
      std::make_unique<V3Directory>(paths, std::move(map), std::move(file), std::move(on_use)));
}

}  // namespace trellis::segment
