#include "common/verify/star_tree_check.h"

#include <algorithm>
#include <cctype>

#include "common/index/star_tree.h"
#include "common/memory/mapped_file.h"
#include "common/segment/star_tree_files.h"
#include "common/verify/id_forward_check.h"
#include "common/verify/raw_forward_check.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMapSizeBytesMax = 16 << 20;

// The type of a metric's values, by its function (format notes 7.7).
DataType MetricType(std::string_view pair) {
  std::string function(pair.substr(0, pair.find("__")));
  std::transform(function.begin(), function.end(), function.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (function == "count") return DataType::kLong;
  if (function == "sum" || function == "min" || function == "max") return DataType::kDouble;
  return DataType::kBytes;
}

class StarTreeCheck {
 public:
  StarTreeCheck(const SegmentView& view, const fs::path& folder) : view_(view) {
    std::error_code ignored;
    const bool below = fs::exists(folder / "v3" / "metadata.properties", ignored);
    files_ = below ? folder / "v3" : folder;
    prefix_ = below ? "v3/" : "";
  }

  void Run() {
    auto properties = view_.segment().directory().ReadMetadata();
    if (!properties.ok()) return;  // it was read before
    const auto trees = segment::ParseStarTreeMetadata(*properties);
    if (!trees.ok())
      return Log("", view_.metadata_file())
          .Fault(std::nullopt, "star-trees", trees.status().message());
    if (trees->empty()) return;
    const auto file = memory::MappedFile::Open(files_ / "star_tree_index");
    const auto text = memory::ReadWholeFile(files_ / "star_tree_index_map", kMapSizeBytesMax);
    if (!file.ok() || !text.ok())
      return Log("", prefix_ + "star_tree_index")
          .Fault(std::nullopt, fmt::format("the files of {} star-trees", trees->size()),
                 (file.ok() ? text.status() : file.status()).message());
    const auto buffers = segment::ParseStarTreeMap(*text, file->size_bytes());
    if (!buffers.ok())
      return Log("", prefix_ + "star_tree_index_map")
          .Fault(std::nullopt, "ranges of star_tree_index", buffers.status().message());
    for (size_t i = 0; i < trees->size(); ++i) CheckTree(i, (*trees)[i], *buffers, file->bytes());
  }

 private:
  FaultLog Log(const std::string& column, const std::string& file, uint64_t at = 0) const {
    return {view_.faults(), column, "star_tree", file, at};
  }

  // The one buffer of a tree's part; nullopt, and a fault, when it is not there.
  std::optional<segment::StarTreeBuffer> Find(const std::vector<segment::StarTreeBuffer>& buffers,
                                              size_t tree, const std::string& column) {
    for (const auto& buffer : buffers) {
      if (buffer.tree == tree && buffer.nodes == column.empty() && buffer.column == column)
        return buffer;
    }
    Log(column, prefix_ + "star_tree_index_map")
        .Fault(std::nullopt, fmt::format("a part of tree {}", tree), "none");
    return std::nullopt;
  }

  void CheckTree(size_t tree, const segment::StarTreeMetadata& metadata,
                 const std::vector<segment::StarTreeBuffer>& buffers, ByteView file) {
    if (const auto nodes = Find(buffers, tree, ""))
      CheckNodes(metadata, file.subspan(nodes->offset, nodes->size_bytes), nodes->offset);
    for (const std::string& name : metadata.split_order) {
      if (const auto part = Find(buffers, tree, name))
        CheckDimension(metadata, name, file.subspan(part->offset, part->size_bytes), part->offset);
    }
    for (const std::string& name : metadata.function_column_pairs) {
      const auto part = Find(buffers, tree, name);
      if (!part) continue;
      FaultLog log = Log(name, prefix_ + "star_tree_index", part->offset);
      CheckRawContainer(file.subspan(part->offset, part->size_bytes), MetricType(name), false,
                        metadata.document_count, log);
    }
  }

  void CheckNodes(const segment::StarTreeMetadata& metadata, ByteView bytes, uint64_t at) {
    FaultLog log = Log("", prefix_ + "star_tree_index", at);
    const auto nodes = index::StarTree::Open(bytes, metadata.document_count);
    if (nodes.status().code() == StatusCode::kUnimplemented) return;
    if (!nodes.ok()) return log.Fault(0, "a tree of nodes", nodes.status().message());
    if ((*nodes)->dimensions() != metadata.split_order)
      log.Fault(0, fmt::format("the {} dimensions of split.order", metadata.split_order.size()),
                "others");
  }

  void CheckDimension(const segment::StarTreeMetadata& metadata, const std::string& name,
                      ByteView bytes, uint64_t at) {
    FaultLog log = Log(name, prefix_ + "star_tree_index", at);
    const segment::ColumnMetadata* column = view_.segment().metadata().Find(name);
    if (column == nullptr)
      return log.Fault(std::nullopt, "a dimension that is a column", "none of this name");
    WalkBits(bytes, metadata.document_count, column->bits_per_element, column->cardinality,
             "dictId", log, [](uint64_t, uint32_t) {});
  }

  const SegmentView& view_;
  fs::path files_;
  std::string prefix_;
};

}  // namespace

void CheckStarTrees(const SegmentView& view, const fs::path& folder) {
  StarTreeCheck(view, folder).Run();
}

}  // namespace trellis::verify
