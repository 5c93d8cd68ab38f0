#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trellis::encode {

// Lays out portable roaring bitmaps (format notes 7.0) with the containers that Pinot's writers
// choose, which are not CRoaring's: its own choice of runs differs by a tie. Keeps buffers from one
// bitmap to the next. Not thread-safe.
class RoaringLayout {
 public:
  enum class Runs : uint8_t {
    kNever,  // arrays up to 4096 values, bitmaps above
    kWhereSmaller,
  };

  // Appends the bitmap of `values`. REQUIRES: they ascend strictly.
  void Append(std::span<const uint32_t> values, Runs runs, std::string& out);

 private:
  enum class Kind : uint8_t { kArray, kBitmap, kRun };
  struct Container {
    std::span<const uint32_t> values;  // of one key
    uint32_t runs;
    Kind kind;
  };
  void AppendContents(const Container& container, std::string& out);

  std::vector<Container> containers_;
  std::vector<uint64_t> words_;
};

}  // namespace trellis::encode
