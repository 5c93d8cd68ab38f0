#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <roaring/roaring.hh>
#include <string>
#include <vector>

#include "common/base/bytes.h"

namespace trellis::segment {

// A folder for one test, removed with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("segment_test_{}_{}", ::getpid(), count++);
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
std::string BigEndian(T value) {
  std::string bytes(sizeof(T), '\0');
  StoreBigEndian(value, reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

// An inverted index of these documents a dictId.
inline std::string InvertedBytes(const std::vector<std::vector<uint32_t>>& documents) {
  std::string table, bitmaps;
  const size_t base = 4 * (documents.size() + 1);
  for (const auto& some : documents) {
    table += BigEndian<uint32_t>(static_cast<uint32_t>(base + bitmaps.size()));
    Roaring bitmap(some.size(), some.data());
    std::string bytes(bitmap.getSizeInBytes(), '\0');
    bitmap.write(bytes.data());
    bitmaps += bytes;
  }
  return table + BigEndian<uint32_t>(static_cast<uint32_t>(base + bitmaps.size())) + bitmaps;
}

// Three documents: `i` INT in a dictionary {7, 9} as 9, 7, null (stored 7); `s` STRING in a
// dictionary {a"b, xyz}, sorted, as a"b, xyz, xyz.
class TinySegment {
 public:
  TinySegment() {
    Roaring nulls;
    nulls.add(2);
    std::string null_bytes(nulls.getSizeInBytes(), '\0');
    nulls.write(null_bytes.data());
    buffers_ = {
        {{"i", "dictionary"}, BigEndian<int32_t>(7) + BigEndian<int32_t>(9)},
        {{"i", "forward_index"}, std::string(1, '\x80')},
        {{"i", "nullvalue_vector"}, null_bytes},
        {{"s", "dictionary"}, std::string("a\"bxyz")},
        {{"s", "forward_index"},
         BigEndian<int32_t>(0) + BigEndian<int32_t>(0) + BigEndian<int32_t>(1) +
             BigEndian<int32_t>(2)},
    };
  }

  std::string& Buffer(const std::string& column, const std::string& index) {
    return buffers_[{column, index}];
  }
  void Drop(const std::string& column, const std::string& index) {
    buffers_.erase({column, index});
  }
  // Lines that replace or add to the metadata: the first of a key counts.
  TinySegment& Metadata(std::string lines) {
    metadata_ = std::move(lines) + metadata_;
    return *this;
  }
  std::string metadata(bool v3) const {
    return (v3 ? "segment.index.version = v3\n" : "") + metadata_;
  }

  // Stores `i` raw, beside its dictionary: container 2, uncompressed, one chunk of 1000 documents.
  void MakeRaw() {
    std::string raw;
    for (const int32_t field : {2, 1, 1000, 4, 3, 0, 28, 32, 9, 7, 7})
      raw += BigEndian<int32_t>(field);
    buffers_[{"i", "forward_index"}] = raw;
    Metadata("column.i.hasDictionary = true\ncolumn.i.forwardIndexEncoding = RAW\n");
  }

  void WriteV3(const std::filesystem::path& folder) const {
    std::string psf;
    std::string map;
    for (const auto& [name, bytes] : buffers_) {
      const std::string key = name.first + "." + name.second;
      map +=
          fmt::format("{0}.startOffset = {1}\n{0}.size = {2}\n", key, psf.size(), bytes.size() + 8);
      psf += BigEndian<uint64_t>(0xDEADBEEFDEAFBEAD) + bytes;
    }
    WriteFile(folder / "v3" / "columns.psf", psf);
    WriteFile(folder / "v3" / "index_map", map);
    WriteFile(folder / "v3" / "metadata.properties", metadata(true));
  }
  void WriteV1(const std::filesystem::path& folder) const {
    const std::map<std::pair<std::string, std::string>, std::string> files = {
        {{"i", "dictionary"}, "i.dict"},
        {{"i", "forward_index"}, "i.sv.unsorted.fwd"},
        {{"i", "nullvalue_vector"}, "i.bitmap.nullvalue"},
        {{"s", "dictionary"}, "s.dict"},
        {{"s", "forward_index"}, "s.sv.sorted.fwd"},
    };
    for (const auto& [name, bytes] : buffers_) WriteFile(folder / files.at(name), bytes);
    WriteFile(folder / "metadata.properties", metadata(false));
  }

 private:
  std::map<std::pair<std::string, std::string>, std::string> buffers_;
  std::string metadata_ =
      "segment.name = tiny\nsegment.total.docs = 3\nsegment.dimension.column.names = i,s\n"
      "column.i.columnType = DIMENSION\ncolumn.i.dataType = INT\ncolumn.i.cardinality = 2\n"
      "column.i.bitsPerElement = 1\ncolumn.i.defaultNullValue = 7\n"
      "column.s.columnType = DIMENSION\ncolumn.s.dataType = STRING\ncolumn.s.cardinality = 2\n"
      "column.s.isSorted = true\ncolumn.s.lengthOfEachEntry = 3\n";
};

}  // namespace trellis::segment
