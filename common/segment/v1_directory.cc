#include <algorithm>
#include <memory>

#include "common/segment/directory_layouts.h"
#include "common/segment/mapped_on_use.h"

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

struct IndexFile {
  std::string name;
  std::string column;
  std::string_view index;
  uint64_t size_bytes = 0;
  bool is_folder = false;
  std::unique_ptr<MappedOnUse> mapping;  // null: a folder
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

  bool empty() const override { return files_.empty(); }

  Result<ByteView> Buffer(std::string_view column, std::string_view index) const override {
    TRELLIS_ASSIGN_OR_RETURN(const IndexFile* file, FileToRead(column, index));
    TRELLIS_ASSIGN_OR_RETURN(const auto mapped, file->mapping->MapToStay());
    return mapped->bytes();
  }

  Result<HeldBuffer> Hold(std::string_view column, std::string_view index) const override {
    TRELLIS_ASSIGN_OR_RETURN(const IndexFile* file, FileToRead(column, index));
    TRELLIS_ASSIGN_OR_RETURN(auto mapped, file->mapping->Map());
    const ByteView bytes = mapped->bytes();
    return HeldBuffer{bytes, std::move(mapped)};
  }

  Result<std::string> ReadMetadata() const override { return ReadMetadataOf(paths_); }
  Result<std::string> ReadCreationMeta() const override { return ReadCreationMetaOf(paths_); }

  Status CheckIntact() const override {
    for (const IndexFile& file : files_) {
      if (file.mapping) TRELLIS_RETURN_IF_ERROR(file.mapping->CheckIntact());
    }
    return {};
  }

  bool torn() const override {
    return std::any_of(files_.begin(), files_.end(),
                       [](const IndexFile& file) { return file.mapping && file.mapping->torn(); });
  }

  std::string FileOf(std::string_view column, std::string_view index) const override {
    const IndexFile* file = Find(column, index);
    return file == nullptr ? paths_.files.string() : file->name;
  }

 private:
  Result<const IndexFile*> FileToRead(std::string_view column, std::string_view index) const {
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
    return file;
  }

  const IndexFile* Find(std::string_view column, std::string_view index) const {
    for (const IndexFile& file : files_) {
      if (file.column == column && file.index == index) return &file;
    }
    return nullptr;
  }

  DirectoryPaths paths_;
  std::vector<IndexFile> files_;  // by name
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
    IndexFile file{
        name,   name.substr(0, name.size() - extension->suffix.size()), extension->index, 0, false,
        nullptr};
    std::error_code gone;
    file.is_folder = at->is_directory(gone);
    const memory::FileIdentity identity = memory::IdentityOf(at->path().native());
    if (gone || identity == memory::FileIdentity())
      return Status::Unavailable("{}: it went while its folder was listed", at->path().string());
    if (!file.is_folder) {
      file.size_bytes = identity.size_bytes;
      file.mapping = std::make_unique<MappedOnUse>(at->path().native(), identity);
    }
    files.push_back(std::move(file));
  }
  if (error)
    return Status::Unavailable("{}: cannot be listed: {}", paths.files.string(), error.message());
  std::sort(files.begin(), files.end(),
            [](const IndexFile& a, const IndexFile& b) { return a.name < b.name; });
  return std::unique_ptr<SegmentDirectory>(std::make_unique<V1Directory>(paths, std::move(files)));
}

}  // namespace trellis::segment
