#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "common/memory/mapped_file.h"
#include "common/segment/directory_layouts.h"

namespace trellis::segment {
namespace {

struct Extension {
  std::string_view suffix;
  std::string_view index;
};
// Format notes 1.1. The first match by length wins, so that `.lucene.fst` is not taken for `.fst`.
constexpr Extension kExtensions[] = {
    {".dict", "dictionary"},
    {".sv.sorted.fwd", "forward_index"},
    {".sv.unsorted.fwd", "forward_index"},
    {".mv.fwd", "forward_index"},
    {".sv.raw.fwd", "forward_index"},
    {".mv.raw.fwd", "forward_index"},
    {".bitmap.inv", "inverted_index"},
    {".bitmap.nullvalue", "nullvalue_vector"},
    {".bitmap.range", "range_index"},
    {".bloom", "bloom_filter"},
    {".json.idx", "json_index"},
    {".h3.idx", "h3_index"},
    {".lucene.fst", "fst_index"},
    {".lucene.v9.fst", "fst_index"},
    {".lucene.v99.fst", "fst_index"},
    {".lucene.v912.fst", "fst_index"},
    {".lucene.v912.ifst", "ifst_index"},
    {".text.index", "text_index"},
    {".lucene.index", "text_index"},
    {".lucene.v9.index", "text_index"},
    {".lucene.v99.index", "text_index"},
    {".lucene.v912.index", "text_index"},
    {".vector.ivfflat.index", "vector_index"},
    {".vector.ivfpq.index", "vector_index"},
    {".vector.hnsw.index", "vector_index"},
    {".vector.v99.hnsw.index", "vector_index"},
    {".vector.v912.hnsw.index", "vector_index"},
};

const Extension* ExtensionOf(std::string_view file_name) {
  const Extension* best = nullptr;
  for (const Extension& extension : kExtensions) {
    if (file_name.size() <= extension.suffix.size() || !file_name.ends_with(extension.suffix))
      continue;
    if (best == nullptr || extension.suffix.size() > best->suffix.size()) best = &extension;
  }
  return best;
}

// What a file written anew does not share with the one it replaces.
struct FileIdentity {
  uint64_t inode = 0;
  int64_t size_bytes = 0;
  int64_t modified_s = 0;
  int64_t modified_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

FileIdentity IdentityOf(const std::filesystem::path& path) {
  struct stat found;
  if (::stat(path.c_str(), &found) != 0) return {};
  return {found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

struct IndexFile {
  std::string name;
  std::string column;
  std::string_view index;
  uint64_t size_bytes = 0;
  bool is_folder = false;
  FileIdentity identity;
};

class V1Directory final : public SegmentDirectory {
 public:
  V1Directory(DirectoryPaths paths, std::vector<IndexFile> files)
      : paths_(std::move(paths)), files_(std::move(files)) {}

  bool is_v3() const override { return false; }

  std::vector<Entry> entries() const override {
    std::vector<Entry> entries;
    for (const IndexFile& file : files_)
      entries.push_back({file.column, std::string(file.index), 0, file.size_bytes});
    return entries;
  }

  bool Has(std::string_view column, std::string_view index) const override {
    return Find(column, index) != nullptr;
  }

  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override {
    const IndexFile* file = Find(column, index);
    if (file == nullptr) {
      return Status::NotFound("column '{}' has no {} in {}", column, index, paths_.files.string());
    }
    if (file->is_folder)
      return Status::Unimplemented("{} is a folder: {} is not read", file->name, index);
    for (const IndexFile* other = file + 1; other != files_.data() + files_.size(); ++other) {
      if (other->column == column && other->index == index) {
        return Status::Corrupt("both {} and {} are the {} of column '{}'", file->name, other->name,
                               index, column);
      }
    }
    const std::lock_guard lock(mutex_);
    const auto mapped = mapped_.find(file->name);
    if (mapped != mapped_.end()) return mapped->second.bytes();
    TRELLIS_ASSIGN_OR_RETURN(memory::MappedFile opened,
                             memory::MappedFile::Open(paths_.files / file->name));
    // The segment may have been written anew since it was opened: its metadata speak of other
    // bytes.
    if (IdentityOf(paths_.files / file->name) != file->identity) {
      return Status::Unavailable("{} was replaced after the segment was opened",
                                 (paths_.files / file->name).string());
    }
    return mapped_.emplace(file->name, std::move(opened)).first->second.bytes();
  }

  Result<std::string> ReadMetadata() const override { return ReadMetadataOf(paths_); }
  Result<std::string> ReadCreationMeta() const override { return ReadCreationMetaOf(paths_); }

  Status CheckIntact() const override {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, file] : mapped_) TRELLIS_RETURN_IF_ERROR(file.CheckIntact());
    return {};
  }

  bool torn() const override {
    const std::lock_guard lock(mutex_);
    return std::any_of(mapped_.begin(), mapped_.end(),
                       [](const auto& file) { return file.second.torn(); });
  }

  std::string FileOf(std::string_view column, std::string_view index) const override {
    const IndexFile* file = Find(column, index);
    return file == nullptr ? paths_.files.string() : file->name;
  }

 private:
  const IndexFile* Find(std::string_view column, std::string_view index) const {
    for (const IndexFile& file : files_) {
      if (file.column == column && file.index == index) return &file;
    }
    return nullptr;
  }

  DirectoryPaths paths_;
  std::vector<IndexFile> files_;  // by name
  mutable std::mutex mutex_;
  mutable std::map<std::string, memory::MappedFile>
      mapped_;  // guarded by mutex_; entries never leave
};

}  // namespace

Result<std::unique_ptr<SegmentDirectory>> OpenV1Directory(const DirectoryPaths& paths) {
  std::vector<IndexFile> files;
  std::error_code error;
  std::filesystem::directory_iterator at(paths.files, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    const Extension* extension = ExtensionOf(name);
    if (extension == nullptr) continue;
    std::error_code gone;
    IndexFile file{name, name.substr(0, name.size() - extension->suffix.size()), extension->index};
    file.is_folder = at->is_directory(gone);
    if (!file.is_folder) file.size_bytes = at->file_size(gone);
    file.identity = IdentityOf(at->path());
    if (gone) return Status::Unavailable("{}: {}", at->path().string(), gone.message());
    files.push_back(std::move(file));
  }
  if (error)
    return Status::Unavailable("{}: cannot be listed: {}", paths.files.string(), error.message());
  std::sort(files.begin(), files.end(),
            [](const IndexFile& a, const IndexFile& b) { return a.name < b.name; });
  return std::unique_ptr<SegmentDirectory>(std::make_unique<V1Directory>(paths, std::move(files)));
}

}  // namespace trellis::segment
