#include "cli/segment/side_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "common/index/star_tree.h"
#include "common/memory/mapped_file.h"
#include "common/segment/star_tree_files.h"

namespace trellis::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMapSizeBytesMax = 16 << 20;

struct FolderKind {
  std::string_view part;  // what its name holds between the column and the end
  std::string_view index;
  std::string_view kind;
};
// Names end in `.index` (format notes 1.1); a version may stand between.
constexpr FolderKind kFolderKinds[] = {{".lucene", "text_index", "Lucene text index"},
                                       {".vector", "vector_index", "Lucene vector index"}};

struct FolderSize {
  uint64_t files = 0;
  uint64_t bytes = 0;
};

FolderSize SizeOf(const fs::path& folder) {
  FolderSize size;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unreadable;
    if (!at->is_regular_file(unreadable)) continue;
    const uint64_t bytes = at->file_size(unreadable);
    ++size.files;
    if (!unreadable) size.bytes += bytes;
  }
  return size;
}

void FindFolders(const fs::path& files, std::vector<SideIndex>& found) {
  std::error_code error;
  for (fs::directory_iterator at(files, error), end; !error && at != end; at.increment(error)) {
    std::error_code unreadable;
    const std::string name = at->path().filename().string();
    if (!at->is_directory(unreadable) || !name.ends_with(".index")) continue;
    for (const FolderKind& kind : kFolderKinds) {
      const size_t part = name.rfind(kind.part);
      if (part == std::string::npos || part == 0) continue;
      const FolderSize size = SizeOf(at->path());
      found.push_back(
          {name.substr(0, part),
           std::string(kind.index),
           size.bytes,
           {std::string(kind.kind),
            fmt::format("folder {} of {} files, {} bytes", name, size.files, size.bytes), false}});
      break;
    }
  }
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// One sentence a tree, or why the trees cannot be read.
Result<std::vector<std::string>> DescribeTrees(const fs::path& files,
                                               const memory::MappedFile& file,
                                               std::string_view metadata_properties) {
  TRELLIS_ASSIGN_OR_RETURN(const auto trees, segment::ParseStarTreeMetadata(metadata_properties));
  TRELLIS_ASSIGN_OR_RETURN(const std::string map,
                           memory::ReadWholeFile(files / "star_tree_index_map", kMapSizeBytesMax));
  TRELLIS_ASSIGN_OR_RETURN(const auto buffers, segment::ParseStarTreeMap(map, file.size_bytes()));
  std::vector<std::string> sentences;
  for (size_t i = 0; i < trees.size(); ++i) {
    const auto nodes = std::find_if(buffers.begin(), buffers.end(),
                                    [&](const auto& b) { return b.tree == i && b.nodes; });
    if (nodes == buffers.end()) return Status::Corrupt("the map has no nodes of tree {}", i);
    TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, file.Range(nodes->offset, nodes->size_bytes));
    TRELLIS_ASSIGN_OR_RETURN(const auto tree,
                             index::StarTree::Open(bytes, trees[i].document_count));
    sentences.push_back(fmt::format("tree {}: {} nodes, {} documents, split by {}, functions {}", i,
                                    tree->node_count(), trees[i].document_count,
                                    Joined(tree->dimensions()),
                                    Joined(trees[i].function_column_pairs)));
  }
  return sentences;
}

void FindStarTrees(const fs::path& files, std::string_view metadata_properties,
                   std::vector<SideIndex>& found) {
  std::error_code error;
  const fs::path path = files / "star_tree_index";
  if (!fs::exists(path, error)) return;
  SideIndex side{"", "star_tree", 0, {"star-trees", "", false}};
  const auto file = memory::MappedFile::Open(path);
  const auto trees = file.ok() ? DescribeTrees(files, *file, metadata_properties)
                               : Result<std::vector<std::string>>(file.status());
  if (file.ok()) side.size_bytes = file->size_bytes();
  if (trees.ok()) {
    for (const std::string& tree : *trees)
      side.description.detail += (side.description.detail.empty() ? "" : "; ") + tree;
  } else {
    side.description.detail = "not readable: " + trees.status().message();
  }
  found.push_back(std::move(side));
}

}  // namespace

std::vector<SideIndex> FindSideIndexes(const fs::path& segment_folder,
                                       std::string_view metadata_properties) {
  std::error_code error;
  const fs::path v3 = segment_folder / "v3";
  const fs::path files = fs::is_directory(v3, error) ? v3 : segment_folder;
  std::vector<SideIndex> found;
  FindStarTrees(files, metadata_properties, found);
  FindFolders(files, found);
  std::sort(found.begin(), found.end(), [](const SideIndex& a, const SideIndex& b) {
    return std::tie(a.column, a.index) < std::tie(b.column, b.index);
  });
  return found;
}

}  // namespace trellis::cli
