#include "common/verify/folder_check.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "common/memory/mapped_file.h"
#include "common/segment/index_map.h"
#include "common/segment/properties_file.h"
#include "common/types/java_text.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kIndexMapSizeBytesMax = 256ull << 20;
constexpr std::string_view kNames[] = {"metadata.properties",
                                       "creation.meta",
                                       "columns.psf",
                                       "index_map",
                                       "star_tree_index",
                                       "star_tree_index_map",
                                       "validdocids.bitmap.snapshot",
                                       "queryabledocids.bitmap.snapshot"};
// Format notes 1.1 and 1.5. `.index` folders are Lucene's and of vector indexes.
constexpr std::string_view kEndings[] = {
    ".dict",         ".sv.sorted.fwd", ".sv.unsorted.fwd", ".mv.fwd",
    ".sv.raw.fwd",   ".mv.raw.fwd",    ".bitmap.inv",      ".bitmap.nullvalue",
    ".bitmap.range", ".bloom",         ".json.idx",        ".h3.idx",
    ".fst",          ".ifst",          ".index",           ".mapping",
    ".crc"};
constexpr std::string_view kIndexIds[] = {
    "forward_index", "dictionary",     "nullvalue_vector", "bloom_filter", "fst_index",
    "ifst_index",    "inverted_index", "json_index",       "range_index",  "text_index",
    "h3_index",      "vector_index",   "open_struct_index"};

bool IsKnown(std::string_view name) {
  if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) return true;
  if (name.starts_with("ttl.watermark.partition.")) return true;
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// Whether what lies inside a folder is not ours to know.
bool IsSideFolder(const fs::path& folder) { return folder.filename().string().ends_with(".index"); }

void CheckEntry(const fs::directory_entry& entry, const std::string& file, bool links_are_faults,
                FaultList& faults) {
  FaultLog log(faults, "", "directory", file);
  std::error_code error;
  const fs::file_status status = entry.symlink_status(error);
  if (error) return log.Fault(std::nullopt, "a file that can be looked at", error.message());
  if (fs::is_symlink(status)) {
    const std::string found =
        "a symbolic link to " + fs::read_symlink(entry.path(), error).string();
    if (links_are_faults) {
      log.Fault(std::nullopt, "a file or folder", found);
    } else {
      log.Note(std::nullopt, "a file or folder", found);
    }
    return;
  }
  const bool folder = fs::is_directory(status);
  if (!folder && !fs::is_regular_file(status))
    return log.Fault(std::nullopt, "a file or folder", "a device, pipe or socket");
  if (::access(entry.path().c_str(), folder ? R_OK | X_OK : R_OK) != 0)
    return log.Fault(std::nullopt, "a file that can be read", "one that cannot");
  const std::string name = entry.path().filename().string();
  const bool known = folder ? name == "v3" || IsSideFolder(entry.path()) : IsKnown(name);
  if (!known)
    log.Note(std::nullopt, "", folder ? "a folder of unknown use" : "a file of unknown use");
}

// A range of `columns.psf`, as two lines of index_map give it.
struct Range {
  std::string column, index;
  std::optional<int64_t> start, size;
};

// Takes one line's part of a range; false when the key is not one of a range.
bool TakeProperty(const segment::PropertiesFile::Property& property,
                  std::map<std::pair<std::string, std::string>, Range>& ranges, FaultList& faults,
                  const std::string& file) {
  const size_t last = property.key.rfind('.');
  const size_t first = last == 0 || last == std::string::npos ? std::string::npos
                                                              : property.key.rfind('.', last - 1);
  if (first == std::string::npos || first == 0) return false;
  const std::string column = property.key.substr(0, first);
  const std::string index = property.key.substr(first + 1, last - first - 1);
  const std::string kind = property.key.substr(last + 1);
  if (kind != "startOffset" && kind != "size") return false;
  Range& range = ranges[{column, index}];
  range.column = column;
  range.index = index;
  const auto number = ParseJavaLong(property.values.front());
  if (property.values.size() > 1 || !number || *number < 0) {
    FaultLog(faults, column, index, file)
        .Fault(std::nullopt, fmt::format("one {} that is not negative", kind),
               fmt::format("'{}'", segment::JoinValues(property)));
  }
  (kind == "size" ? range.size : range.start) = number && *number >= 0 ? number : std::nullopt;
  return true;
}

std::vector<Range> ReadRanges(std::string_view text, const std::string& file, FaultList& faults) {
  FaultLog log(faults, "", "index_map", file);
  const auto properties = segment::PropertiesFile::Parse(text);
  if (!properties.ok()) {
    log.Fault(std::nullopt, "a properties file", properties.status().message());
    return {};
  }
  std::map<std::pair<std::string, std::string>, Range> ranges;
  for (const auto& property : properties->properties()) {
    if (!TakeProperty(property, ranges, faults, file))
      log.Fault(std::nullopt, "COLUMN.INDEX.startOffset or .size",
                fmt::format("line {}: '{}'", property.line, property.key));
  }
  std::vector<Range> whole;
  for (auto& [key, range] : ranges) {
    if (range.start && range.size) {
      whole.push_back(std::move(range));
      continue;
    }
    FaultLog(faults, range.column, range.index, file)
        .Fault(std::nullopt, "both startOffset and size",
               range.start ? "no size" : "no startOffset");
  }
  std::sort(whole.begin(), whole.end(), [](const Range& a, const Range& b) {
    return std::pair(*a.start, *a.size) < std::pair(*b.start, *b.size);
  });
  return whole;
}

// Whether the range lies in the file and begins with its marker.
bool CheckRange(const Range& range, ByteView file, FaultLog& log) {
  const uint64_t start = static_cast<uint64_t>(*range.start);
  const uint64_t size = static_cast<uint64_t>(*range.size);
  if (size < segment::kIndexMarkerSizeBytes) {
    log.Fault(start, "a size of at least 8, the marker", std::to_string(size));
    return false;
  }
  if (start > file.size() || size > file.size() - start) {
    log.Fault(start, fmt::format("a range that ends by {}", file.size()),
              fmt::format("one of {} bytes", size));
    return false;
  }
  const uint64_t marker = LoadBigEndian<uint64_t>(file.data() + start);
  if (marker != segment::kIndexMarker)
    log.Fault(start, fmt::format("the marker {:016x}", segment::kIndexMarker),
              fmt::format("{:016x}", marker));
  return true;
}

void CheckRanges(const std::vector<Range>& ranges, ByteView file, const std::string& name,
                 FaultList& faults) {
  uint64_t end = 0;
  for (const Range& range : ranges) {
    FaultLog log(faults, range.column, range.index, name);
    if (std::find(std::begin(kIndexIds), std::end(kIndexIds), range.index) == std::end(kIndexIds))
      log.Note(std::nullopt, "", "an index of an unknown kind");
    if (*range.size == 0 || !CheckRange(range, file, log)) continue;  // 0: stored elsewhere
    const uint64_t start = static_cast<uint64_t>(*range.start);
    if (start < end) {
      log.Fault(start, fmt::format("a start at or behind {}, the end of the range before", end),
                std::to_string(start));
    } else if (start > end) {
      log.Note(end, fmt::format("the marker of the next range, which is at {}", start),
               fmt::format("{} bytes of no index", start - end));
    }
    end = std::max(end, start + static_cast<uint64_t>(*range.size));
  }
  if (end < file.size())
    FaultLog(faults, "", "directory", name)
        .Note(end, "the end of the file", fmt::format("{} bytes of no index", file.size() - end));
}

}  // namespace

void CheckFiles(const fs::path& folder, bool links_are_faults, FaultList& faults) {
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    const std::string file = entries->path().lexically_relative(folder).string();
    CheckEntry(*entries, file, links_are_faults, faults);
    std::error_code ignored;
    const bool enter = !entries->is_symlink(ignored) && !IsSideFolder(entries->path()) &&
                       ::access(entries->path().c_str(), R_OK | X_OK) == 0 && entries.depth() < 8;
    if (!enter) entries.disable_recursion_pending();
  }
  if (error)
    FaultLog(faults, "", "directory", "")
        .Fault(std::nullopt, "folders that can be listed", error.message());
}

void CheckIndexMap(const fs::path& folder, FaultList& faults) {
  std::error_code ignored;
  const bool below = fs::exists(folder / "v3" / "metadata.properties", ignored);
  const fs::path files = below ? folder / "v3" : folder;
  const std::string prefix = below ? "v3/" : "";
  if (!below && !fs::exists(files / "columns.psf", ignored)) return;
  const auto data = memory::MappedFile::Open(files / "columns.psf");
  if (!data.ok()) {
    FaultLog(faults, "", "directory", prefix + "columns.psf")
        .Fault(std::nullopt, "a file that can be read", data.status().message());
    return;
  }
  const auto text = memory::ReadWholeFile(files / "index_map", kIndexMapSizeBytesMax);
  if (!text.ok()) {
    const bool empty = text.status().code() == StatusCode::kNotFound && data->size_bytes() == 0;
    if (!empty)  // an empty segment has none
      FaultLog(faults, "", "index_map", prefix + "index_map")
          .Fault(std::nullopt, "a file that can be read", text.status().message());
    return;
  }
  CheckRanges(ReadRanges(*text, prefix + "index_map", faults), data->bytes(),
              prefix + "columns.psf", faults);
}

}  // namespace trellis::verify
