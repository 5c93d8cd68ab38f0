#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/segment/segment.h"
#include "tests/unit/common/index/index_bytes.h"
#include "tests/unit/common/index/range_index_bytes.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::server {

// A segment written by hand, once with the range indexes of its columns and once without.
class RangedSegment {
 public:
  explicit RangedSegment(size_t rows) : rows_(rows) {}

  // A column of dictIds `ids` into the ascending `values`, with an index of version 2.
  void AddDictionary(const std::string& name, const std::vector<int32_t>& values,
                     const std::vector<uint32_t>& ids) {
    AddMetadata(name, "INT", values.size(), fmt::format("bitsPerElement = {}", Bits(values)));
    AddBuffer(name, "dictionary", Joined(values));
    AddBuffer(name, "forward_index", Packed(ids, Bits(values)));
    AddIndex(name, index::BitSlicedBytes({ids.begin(), ids.end()}));
  }
  // The same sorted: ids ascend and all occur. No range index.
  void AddSorted(const std::string& name, const std::vector<int32_t>& values,
                 const std::vector<uint32_t>& ids) {
    AddMetadata(name, "INT", values.size(),
                fmt::format("bitsPerElement = {}\ncolumn.{}.isSorted = true", Bits(values), name));
    AddBuffer(name, "dictionary", Joined(values));
    std::vector<int32_t> pairs;
    for (uint32_t id = 0; id < values.size(); ++id) {
      const auto [first, end] = std::equal_range(ids.begin(), ids.end(), id);
      pairs.push_back(static_cast<int32_t>(first - ids.begin()));
      pairs.push_back(static_cast<int32_t>(end - ids.begin()) - 1);
    }
    AddBuffer(name, "forward_index", Joined(pairs));
  }
  // Rows of dictIds, at least one each, with an index of version 1 of a few ranges.
  void AddMultiValue(const std::string& name, const std::vector<int32_t>& values,
                     const std::vector<std::vector<uint32_t>>& ids) {
    std::vector<uint32_t> flat;
    std::string starts, offsets;
    size_t entries = 0;
    for (const auto& row : ids) entries += row.size();
    const size_t docs_per_chunk = CeilDivide(2048, entries / rows_);
    starts.resize((entries + 7) / 8);
    std::vector<std::vector<int32_t>> rows;
    for (size_t doc = 0; doc < ids.size(); ++doc) {
      if (doc % docs_per_chunk == 0)
        offsets += segment::BigEndian(static_cast<int32_t>(flat.size()));
      starts[flat.size() / 8] =
          static_cast<char>(starts[flat.size() / 8] | 0x80 >> flat.size() % 8);
      flat.insert(flat.end(), ids[doc].begin(), ids[doc].end());
      rows.emplace_back(ids[doc].begin(), ids[doc].end());
    }
    AddMetadata(name, "INT", values.size(),
                fmt::format("bitsPerElement = {0}\ncolumn.{1}.isSingleValues = false\n"
                            "column.{1}.totalNumberOfEntries = {2}",
                            Bits(values), name, entries));
    AddBuffer(name, "dictionary", Joined(values));
    AddBuffer(name, "forward_index", offsets + starts + Packed(flat, Bits(values)));
    const auto last = static_cast<int32_t>(values.size()) - 1;
    AddIndex(name, index::BucketedBytes<int32_t>("INT", {0, last / 3, last / 2, last}, rows));
  }
  // Values as they are; an index of version 2 over `keys` minus `minimum`, or, without keys, one of
  // version 1 with the given starts.
  template <class T>
  void AddRaw(const std::string& name, const std::string& type, const std::vector<T>& values,
              const std::vector<uint64_t>& keys, int64_t minimum,
              const std::vector<T>& starts = {}) {
    AddMetadata(name, type, rows_, "hasDictionary = false");
    std::string header, data = Joined(values);
    const auto chunks = static_cast<int32_t>(CeilDivide(rows_, kDocsPerChunk));
    for (const int32_t field :
         {3, chunks, kDocsPerChunk, int32_t{sizeof(T)}, static_cast<int32_t>(rows_), 0, 28})
      header += segment::BigEndian(field);
    for (int32_t chunk = 0; chunk < chunks; ++chunk) {
      header += segment::BigEndian(int64_t{28} + int64_t{8} * chunks +
                                   int64_t{chunk} * kDocsPerChunk * int64_t{sizeof(T)});
    }
    AddBuffer(name, "forward_index", header + data);
    if (starts.empty()) return AddIndex(name, index::BitSlicedBytes(keys, minimum));
    std::vector<std::vector<T>> rows;
    for (const T value : values) rows.push_back({value});
    AddIndex(name, index::BucketedBytes<T>(type, starts, rows));
  }
  void AddNulls(const std::string& name, const Roaring& nulls) {
    AddBuffer(name, "nullvalue_vector", index::RoaringBytes(nulls));
  }

  // Writes and opens it. The folder must live as long.
  std::shared_ptr<const segment::Segment> Open(const std::filesystem::path& folder,
                                               bool with_indexes) const {
    std::string psf, map, columns;
    for (const auto& [key, bytes] : buffers_) {
      if (!with_indexes && key.ends_with(".range_index")) continue;
      map +=
          fmt::format("{0}.startOffset = {1}\n{0}.size = {2}\n", key, psf.size(), bytes.size() + 8);
      psf += segment::BigEndian<uint64_t>(0xDEADBEEFDEAFBEAD) + bytes;
    }
    for (const std::string& name : names_) columns += (columns.empty() ? "" : ",") + name;
    segment::WriteFile(folder / "v3" / "columns.psf", psf);
    segment::WriteFile(folder / "v3" / "index_map", map);
    segment::WriteFile(folder / "v3" / "metadata.properties",
                       fmt::format("segment.name = ranged\nsegment.index.version = v3\n"
                                   "segment.total.docs = {}\nsegment.dimension.column.names = {}\n",
                                   rows_, columns) +
                           metadata_);
    auto opened = segment::Segment::Open(folder);
    REQUIRE(opened.status().message() == "");
    return *opened;
  }

 private:
  static constexpr int32_t kDocsPerChunk = 1000;

  static int Bits(const std::vector<int32_t>& values) { return BitsFor(values.size() - 1); }
  template <class T>
  static std::string Joined(const std::vector<T>& values) {
    std::string bytes;
    for (const T value : values) bytes += segment::BigEndian(value);
    return bytes;
  }
  static std::string Packed(const std::vector<uint32_t>& ids, int width) {
    std::string bytes((ids.size() * static_cast<size_t>(width) + 7) / 8, '\0');
    size_t bit = 0;
    for (const uint32_t id : ids) {
      for (int i = width - 1; i >= 0; --i, ++bit)
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | (id >> i & 1) << (7 - bit % 8));
    }
    return bytes;
  }
  void AddMetadata(const std::string& name, const std::string& type, size_t cardinality,
                   const std::string& more) {
    names_.push_back(name);
    metadata_ += fmt::format(
        "column.{0}.columnType = DIMENSION\ncolumn.{0}.dataType = {1}\n"
        "column.{0}.cardinality = {2}\ncolumn.{0}.{3}\n",
        name, type, cardinality, more);
  }
  void AddBuffer(const std::string& name, const std::string& index, std::string bytes) {
    buffers_.emplace_back(name + "." + index, std::move(bytes));
  }
  void AddIndex(const std::string& name, std::string bytes) {
    AddBuffer(name, "range_index", std::move(bytes));
  }

  size_t rows_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> buffers_;
  std::string metadata_;
};

}  // namespace trellis::server
