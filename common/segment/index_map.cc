#include "common/segment/index_map.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "common/segment/properties_reader.h"
#include "common/types/java_text.h"

namespace trellis::segment {
namespace {

// The ids that Pinot gives (format notes 1.2); another one takes room of its own.
constexpr std::array<std::string_view, 13> kIndexIds = {
    "forward_index", "dictionary",   "nullvalue_vector", "inverted_index", "range_index",
    "bloom_filter",  "json_index",   "fst_index",        "ifst_index",     "text_index",
    "h3_index",      "vector_index", "open_struct_index"};

// One line of the file.
struct Half {
  std::string_view column;
  std::string_view index;
  std::string_view key;
  bool is_size = false;
  uint64_t number = 0;
  size_t line = 0;
};
struct Pair {
  std::string_view column;
  std::string_view index;
  uint64_t start_offset = 0;
  uint64_t size_bytes = 0;
};

template <class T>
bool NameBefore(const T& a, const T& b) {
  const int order = a.column.compare(b.column);
  return order != 0 ? order < 0 : a.index < b.index;
}
template <class A, class B>
bool SameName(const A& a, const B& b) {
  return a.column == b.column && a.index == b.index;
}

// <column>.<index>.startOffset|size, from the right: columns may hold dots.
Result<Half> ParseLine(const PropertyLine& line) {
  const std::string_view key = line.key;
  const size_t kind_dot = key.rfind('.');
  const size_t index_dot = kind_dot == std::string_view::npos || kind_dot == 0
                               ? std::string_view::npos
                               : key.rfind('.', kind_dot - 1);
  if (index_dot == std::string_view::npos) {
    return Status::Corrupt("line {}: key '{}', expected COLUMN.INDEX.startOffset or .size",
                           line.line, key);
  }
  const std::string_view kind = key.substr(kind_dot + 1);
  if (kind != "startOffset" && kind != "size") {
    return Status::Corrupt("line {}: key '{}' ends in '{}', expected startOffset or size",
                           line.line, key, kind);
  }
  const auto number = ParseJavaLong(line.value);
  if (!number || *number < 0) {
    return Status::Corrupt("line {}: '{}' is '{}', expected one number of at least 0", line.line,
                           key, line.value);
  }
  return Half{key.substr(0, index_dot),
              key.substr(index_dot + 1, kind_dot - index_dot - 1),
              key,
              kind == "size",
              static_cast<uint64_t>(*number),
              line.line};
}

Result<Pair> JoinHalves(const Half& a, const Half& b) {
  const Half& size = a.is_size ? a : b;
  const Half& start = a.is_size ? b : a;
  if (size.number != 0 && size.number < kIndexMarkerSizeBytes) {
    return Status::Corrupt("{}.{} has {} bytes, its marker alone takes {}", a.column, a.index,
                           size.number, kIndexMarkerSizeBytes);
  }
  if (size.number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - start.number) {
    return Status::Corrupt("{}.{}: offset {} and size {} leave 63 bits", a.column, a.index,
                           start.number, size.number);
  }
  return Pair{a.column, a.index, start.number, size.number};
}

// Pairs what does not stand side by side.
Status JoinScattered(std::vector<Half> halves, std::vector<Pair>& pairs) {
  std::stable_sort(halves.begin(), halves.end(), NameBefore<Half>);
  for (size_t i = 0; i < halves.size(); i += 2) {
    const Half& half = halves[i];
    if (i + 1 == halves.size() || !SameName(half, halves[i + 1])) {
      return Status::Corrupt("{}.{} has no {}", half.column, half.index,
                             half.is_size ? "startOffset" : "size");
    }
    if (half.is_size == halves[i + 1].is_size) {
      return Status::Corrupt("line {}: '{}' has 2 values", half.line, half.key);
    }
    TRELLIS_ASSIGN_OR_RETURN(pairs.emplace_back(), JoinHalves(half, halves[i + 1]));
  }
  return {};
}

Status CheckRepeated(const std::vector<Pair>& pairs) {
  for (size_t i = 1; i < pairs.size(); ++i) {
    if (SameName(pairs[i - 1], pairs[i])) {
      return Status::Corrupt("'{}.{}' stands there twice", pairs[i].column, pairs[i].index);
    }
  }
  return {};
}

Status CheckOverlap(const std::vector<Pair>& pairs) {
  std::vector<const Pair*> by_offset;
  by_offset.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    if (pair.size_bytes != 0) by_offset.push_back(&pair);
  }
  std::sort(by_offset.begin(), by_offset.end(),
            [](const Pair* a, const Pair* b) { return a->start_offset < b->start_offset; });
  for (size_t i = 1; i < by_offset.size(); ++i) {
    const Pair& before = *by_offset[i - 1];
    const Pair& pair = *by_offset[i];
    if (pair.start_offset - before.start_offset >= before.size_bytes) continue;
    return Status::Corrupt("{}.{} at offset {} overlaps {}.{} at offset {} ({} bytes)", pair.column,
                           pair.index, pair.start_offset, before.column, before.index,
                           before.start_offset, before.size_bytes);
  }
  return {};
}

Status ReadPairs(PropertiesReader& reader, std::vector<Pair>& pairs) {
  std::vector<Half> scattered;
  std::optional<Half> waiting;  // the half read last, without its other
  PropertyLine line;
  while (true) {
    TRELLIS_ASSIGN_OR_RETURN(const bool more, reader.Next(line));
    if (!more) break;
    TRELLIS_ASSIGN_OR_RETURN(const Half half, ParseLine(line));
    if (!waiting) {
      waiting = half;
    } else if (SameName(*waiting, half) && waiting->is_size != half.is_size) {
      TRELLIS_ASSIGN_OR_RETURN(pairs.emplace_back(), JoinHalves(*waiting, half));
      waiting.reset();
    } else {
      scattered.push_back(*waiting);
      waiting = half;
    }
  }
  if (waiting) scattered.push_back(*waiting);
  return JoinScattered(std::move(scattered), pairs);
}

}  // namespace

Result<IndexMap> IndexMap::Parse(std::string_view text) {
  PropertiesReader reader(text);
  std::vector<Pair> pairs;
  TRELLIS_RETURN_IF_ERROR(ReadPairs(reader, pairs));
  std::sort(pairs.begin(), pairs.end(), NameBefore<Pair>);
  TRELLIS_RETURN_IF_ERROR(CheckRepeated(pairs));
  TRELLIS_RETURN_IF_ERROR(CheckOverlap(pairs));

  IndexMap map;
  size_t names_bytes = 0;
  const auto differs = [&](size_t i) { return i == 0 || pairs[i].column != pairs[i - 1].column; };
  for (size_t i = 0; i < pairs.size(); ++i)
    if (differs(i)) names_bytes += pairs[i].column.size();
  if (names_bytes > std::numeric_limits<uint32_t>::max() / 2)
    return Status::Corrupt("{} bytes of column names", names_bytes);
  map.names_.reserve(names_bytes);
  map.entries_.reserve(pairs.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const Pair& pair = pairs[i];
    Entry& entry = map.entries_.emplace_back();
    entry.start_offset = pair.start_offset;
    entry.size_bytes = pair.size_bytes;
    entry.column_at =
        differs(i) ? static_cast<uint32_t>(map.names_.size()) : map.entries_[i - 1].column_at;
    entry.column_bytes = static_cast<uint32_t>(pair.column.size());
    if (differs(i)) map.names_ += pair.column;
    const auto known = std::find(kIndexIds.begin(), kIndexIds.end(), pair.index);
    if (known != kIndexIds.end()) {
      entry.index_at = static_cast<uint32_t>(known - kIndexIds.begin());
    } else {
      entry.index_at = static_cast<uint32_t>(kIndexIds.size() + map.other_ids_.size());
      map.other_ids_.emplace_back(pair.index);
    }
  }
  return map;
}

std::string_view IndexMap::ColumnOf(const Entry& entry) const {
  return std::string_view(names_).substr(entry.column_at, entry.column_bytes);
}

std::string_view IndexMap::IndexOf(const Entry& entry) const {
  if (entry.index_at < kIndexIds.size()) return kIndexIds[entry.index_at];
  return other_ids_[entry.index_at - kIndexIds.size()];
}

const IndexMap::Entry* IndexMap::Find(std::string_view column, std::string_view index) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), column,
                                      [&](const Entry& entry, std::string_view) {
                                        const int order = ColumnOf(entry).compare(column);
                                        return order != 0 ? order < 0 : IndexOf(entry) < index;
                                      });
  if (found == entries_.end() || ColumnOf(*found) != column || IndexOf(*found) != index)
    return nullptr;
  return &*found;
}

std::vector<IndexMapEntry> IndexMap::ByOffset() const {
  std::vector<IndexMapEntry> entries;
  for (const Entry& entry : entries_) {
    entries.push_back({std::string(ColumnOf(entry)), std::string(IndexOf(entry)),
                       entry.start_offset, entry.size_bytes});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const IndexMapEntry& a, const IndexMapEntry& b) {
                     return a.start_offset < b.start_offset;
                   });
  return entries;
}

Result<std::vector<IndexMapEntry>> ParseIndexMap(std::string_view text) {
  TRELLIS_ASSIGN_OR_RETURN(const IndexMap map, IndexMap::Parse(text));
  return map.ByOffset();
}

}  // namespace trellis::segment
