#include "common/segment/star_tree_files.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "common/segment/properties_file.h"
#include "common/types/java_text.h"

namespace trellis::segment {
namespace {

constexpr uint32_t kTreesMax = 1024;

struct Halves {
  std::optional<uint64_t> offset;
  std::optional<uint64_t> size_bytes;
};
using BufferKey = std::tuple<uint32_t, std::string, bool>;  // tree, column, is it the nodes

// `<tree>.<column>.<kind>.OFFSET|SIZE`; columns may hold dots.
struct MapKey {
  BufferKey buffer;
  bool is_size;
};

Result<MapKey> ParseMapKey(const PropertiesFile::Property& property) {
  const std::string& key = property.key;
  const auto refused = [&] {
    return Status::Corrupt(
        "line {}: key '{}', expected TREE.COLUMN.STAR_TREE or .FORWARD_INDEX and .OFFSET or .SIZE",
        property.line, key);
  };
  const size_t first = key.find('.');
  const size_t last = key.rfind('.');
  if (first == std::string::npos || last == first || last == 0) return refused();
  const size_t middle = key.rfind('.', last - 1);
  if (middle == std::string::npos || middle <= first) return refused();
  const auto tree = ParseJavaLong(key.substr(0, first));
  const std::string column = key.substr(first + 1, middle - first - 1);
  const std::string kind = key.substr(middle + 1, last - middle - 1);
  const std::string half = key.substr(last + 1);
  const bool nodes = kind == "STAR_TREE";
  if (!tree || *tree < 0 || *tree >= kTreesMax || (!nodes && kind != "FORWARD_INDEX") ||
      (half != "OFFSET" && half != "SIZE")) {
    return refused();
  }
  return MapKey{{static_cast<uint32_t>(*tree), nodes ? "" : column, nodes}, half == "SIZE"};
}

Result<uint64_t> ParseCount(const PropertiesFile::Property& property, uint64_t max) {
  const auto number =
      property.values.size() == 1 ? ParseJavaLong(property.values[0]) : std::optional<int64_t>();
  if (!number || *number < 0 || static_cast<uint64_t>(*number) > max) {
    return Status::Corrupt("line {}: '{}' is '{}', expected a number from 0 to {}", property.line,
                           property.key, JoinValues(property), max);
  }
  return static_cast<uint64_t>(*number);
}

std::string NameOf(const StarTreeBuffer& buffer) {
  return fmt::format("star-tree {} {}", buffer.tree, buffer.nodes ? "nodes" : buffer.column);
}

Status CheckPlaces(const std::vector<StarTreeBuffer>& buffers, uint64_t file_size_bytes) {
  uint64_t end = 0;
  for (const StarTreeBuffer& buffer : buffers) {
    if (buffer.offset < end || buffer.offset > file_size_bytes ||
        buffer.size_bytes > file_size_bytes - buffer.offset) {
      return Status::Corrupt("{}: {} bytes at offset {}, expected from {} to {}", NameOf(buffer),
                             buffer.size_bytes, buffer.offset, end, file_size_bytes);
    }
    end = buffer.offset + buffer.size_bytes;
  }
  return {};
}

Result<StarTreeMetadata> ParseTree(const PropertiesFile& file, uint32_t tree) {
  const std::string prefix = fmt::format("startree.v2.{}.", tree);
  const auto find = [&](std::string_view key) { return file.Find(prefix + std::string(key)); };
  const auto list = [&](std::string_view key) {
    const PropertiesFile::Property* property = find(key);
    return property ? property->values : std::vector<std::string>();
  };
  StarTreeMetadata made;
  const PropertiesFile::Property* documents = find("total.docs");
  if (documents == nullptr) return Status::Corrupt("there is no key '{}total.docs'", prefix);
  constexpr uint64_t kIntMax = std::numeric_limits<int32_t>::max();
  TRELLIS_ASSIGN_OR_RETURN(const uint64_t count, ParseCount(*documents, kIntMax));
  made.document_count = static_cast<uint32_t>(count);
  made.split_order = list("split.order");
  if (made.split_order.empty()) return Status::Corrupt("there is no key '{}split.order'", prefix);
  made.function_column_pairs = list("function.column.pairs");
  made.skip_star_dimensions = list("skip.star.node.creation");
  if (const PropertiesFile::Property* max = find("max.leaf.records")) {
    TRELLIS_ASSIGN_OR_RETURN(const uint64_t records, ParseCount(*max, kIntMax));
    made.leaf_records_max = static_cast<uint32_t>(records);
  }
  return made;
}

}  // namespace

Result<std::vector<StarTreeBuffer>> ParseStarTreeMap(std::string_view text,
                                                     uint64_t file_size_bytes) {
  TRELLIS_ASSIGN_OR_RETURN(const PropertiesFile file, PropertiesFile::Parse(text));
  std::map<BufferKey, Halves> halves;
  for (const PropertiesFile::Property& property : file.properties()) {
    TRELLIS_ASSIGN_OR_RETURN(const MapKey key, ParseMapKey(property));
    Halves& entry = halves[key.buffer];
    TRELLIS_ASSIGN_OR_RETURN(
        (key.is_size ? entry.size_bytes : entry.offset),
        ParseCount(property, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
  }
  std::vector<StarTreeBuffer> buffers;
  for (const auto& [key, half] : halves) {
    const auto& [tree, column, nodes] = key;
    StarTreeBuffer buffer{tree, column, nodes, 0, 0};
    if (!half.offset || !half.size_bytes)
      return Status::Corrupt("{} has no {}", NameOf(buffer), half.offset ? "SIZE" : "OFFSET");
    buffer.offset = *half.offset;
    buffer.size_bytes = *half.size_bytes;
    buffers.push_back(std::move(buffer));
  }
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const StarTreeBuffer& a, const StarTreeBuffer& b) {
                     return std::tie(a.offset, a.size_bytes) < std::tie(b.offset, b.size_bytes);
                   });
  TRELLIS_RETURN_IF_ERROR(CheckPlaces(buffers, file_size_bytes));
  return buffers;
}

Result<std::vector<StarTreeMetadata>> ParseStarTreeMetadata(std::string_view metadata_properties) {
  TRELLIS_ASSIGN_OR_RETURN(const PropertiesFile file, PropertiesFile::Parse(metadata_properties));
  std::vector<StarTreeMetadata> trees;
  const PropertiesFile::Property* count = file.Find("startree.v2.count");
  if (count == nullptr) return trees;
  TRELLIS_ASSIGN_OR_RETURN(const uint64_t wanted, ParseCount(*count, kTreesMax));
  for (uint32_t tree = 0; tree < wanted; ++tree) {
    TRELLIS_ASSIGN_OR_RETURN(StarTreeMetadata made, ParseTree(file, tree));
    trees.push_back(std::move(made));
  }
  return trees;
}

}  // namespace trellis::segment
