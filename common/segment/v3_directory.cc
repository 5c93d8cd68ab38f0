#include <atomic>
#include <map>

#include "common/memory/mapped_file.h"
#include "common/segment/directory_layouts.h"
#include "common/segment/index_map.h"

namespace trellis::segment {
namespace {

constexpr uint64_t kIndexMapSizeBytesMax = 256ull << 20;

class V3Directory final : public SegmentDirectory {
 public:
  V3Directory(DirectoryPaths paths, memory::MappedFile file, std::vector<IndexMapEntry> entries)
      : paths_(std::move(paths)), file_(std::move(file)), entries_(std::move(entries)) {
    for (const IndexMapEntry& entry : entries_) by_name_[entry.column].emplace(entry.index, &entry);
  }

  bool is_v3() const override { return true; }

  std::vector<Entry> entries() const override {
    std::vector<Entry> entries;
    for (const IndexMapEntry& entry : entries_) {
      const uint64_t marker = entry.size_bytes == 0 ? 0 : kIndexMarkerSizeBytes;
      entries.push_back(
          {entry.column, entry.index, entry.start_offset + marker, entry.size_bytes - marker});
    }
    return entries;
  }

  // A placeholder of size 0 (the index is stored elsewhere) is not there.
  bool Has(std::string_view column, std::string_view index) const override {
    const IndexMapEntry* entry = Find(column, index);
    return entry != nullptr && entry->size_bytes != 0;
  }

  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override {
    const IndexMapEntry* entry = Find(column, index);
    if (entry == nullptr || entry->size_bytes == 0) {
      return Status::NotFound("column '{}' has no {} in {}", column, index, file_.path());
    }
    used_.store(true, std::memory_order_relaxed);
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes,
                             file_.Range(entry->start_offset, entry->size_bytes));
    const uint64_t marker =
        LoadBigEndian<uint64_t>(bytes.data());  // at least 8 bytes: ParseIndexMap
    if (marker != kIndexMarker) {
      return Status::Corrupt("{}: marker {:016x} at offset {}, expected {:016x}", file_.path(),
                             marker, entry->start_offset, kIndexMarker);
    }
    return bytes.subspan(kIndexMarkerSizeBytes);
  }

  Result<std::string> ReadMetadata() const override { return ReadMetadataOf(paths_); }
  Result<std::string> ReadCreationMeta() const override { return ReadCreationMetaOf(paths_); }

  // What nobody has read from needs no check.
  Status CheckIntact() const override {
    return used_.load(std::memory_order_relaxed) ? file_.CheckIntact() : Status::Ok();
  }
  bool torn() const override { return file_.torn(); }

  std::string FileOf(std::string_view column, std::string_view index) const override {
    const IndexMapEntry* entry = Find(column, index);
    return entry == nullptr ? "columns.psf"
                            : fmt::format("columns.psf at offset {}", entry->start_offset);
  }

 private:
  const IndexMapEntry* Find(std::string_view column, std::string_view index) const {
    const auto of_column = by_name_.find(column);
    if (of_column == by_name_.end()) return nullptr;
    const auto found = of_column->second.find(index);
    return found == of_column->second.end() ? nullptr : found->second;
  }

  DirectoryPaths paths_;
  memory::MappedFile file_;
  mutable std::atomic<bool> used_{false};
  std::vector<IndexMapEntry> entries_;
  std::map<std::string, std::map<std::string, const IndexMapEntry*, std::less<>>, std::less<>>
      by_name_;
};

}  // namespace

Result<std::unique_ptr<SegmentDirectory>> OpenV3Directory(const DirectoryPaths& paths) {
  TRELLIS_ASSIGN_OR_RETURN(memory::MappedFile file,
                           memory::MappedFile::Open(paths.files / "columns.psf"));
  std::vector<IndexMapEntry> entries;
  const std::filesystem::path map_path = paths.files / "index_map";
  auto text = memory::ReadWholeFile(map_path, kIndexMapSizeBytesMax);
  if (text.ok()) {
    auto parsed = ParseIndexMap(*text);
    if (!parsed.ok()) return parsed.status().WithContext(map_path.string());
    entries = std::move(parsed).value();
  } else if (text.status().code() != StatusCode::kNotFound) {
    return text.status();
  } else if (file.size_bytes() != 0) {  // an empty segment has neither
    return Status::Corrupt("{} is missing beside {} bytes of columns.psf", map_path.string(),
                           file.size_bytes());
  }
  // A file cut short is found now, not by the first query that needs the lost part.
  for (const IndexMapEntry& entry : entries) {
    if (entry.size_bytes == 0) continue;
    const auto range = file.Range(entry.start_offset, entry.size_bytes);
    if (!range.ok())
      return range.status().WithContext(entry.index + " of column '" + entry.column + "'");
  }
  return std::unique_ptr<SegmentDirectory>(
      std::make_unique<V3Directory>(paths, std::move(file), std::move(entries)));
}

}  // namespace trellis::segment
