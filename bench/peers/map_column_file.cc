// Writes a raw forward index of the frames of map_key_bench to a file, container 4, for Pinot to
// read: map_column_file SHAPE ENTRIES CODEC PATH. Prints documents, the last key and the JSON of
// its value in the last document, between tabs.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "bench/map_frames.h"

namespace {

using trellis::bench::MapShape;
using trellis::codec::Compression;

int Usage() {
  fmt::print(
      stderr,
      "usage: map_column_file flat|numeric|nested ENTRIES PASS_THROUGH|LZ4|ZSTANDARD PATH\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return Usage();
  const std::string_view shape_name = argv[1];
  const std::string_view codec = argv[3];
  const auto entries = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const bool known = (shape_name == "flat" || shape_name == "numeric" || shape_name == "nested") &&
                     (codec == "PASS_THROUGH" || codec == "LZ4" || codec == "ZSTANDARD");
  if (!known || entries == 0 || entries > 4096) return Usage();
  const MapShape shape = shape_name == "flat"      ? MapShape::kFlat
                         : shape_name == "numeric" ? MapShape::kNumeric
                                                   : MapShape::kNested;
  const Compression compression = codec == "LZ4"         ? Compression::kLz4
                                  : codec == "ZSTANDARD" ? Compression::kZstandard
                                                         : Compression::kPassThrough;
  const auto frames = trellis::bench::MakeMapFrames(shape, entries);
  const auto column = trellis::bench::MakeMapColumn(frames, compression, 4);
  std::ofstream file(argv[4], std::ios::binary);
  file.write(reinterpret_cast<const char*>(column.payload.data()),
             static_cast<std::streamsize>(column.payload.size()));
  if (!file.flush()) {
    fmt::print(stderr, "map_column_file: cannot write {}\n", argv[4]);
    return 1;
  }
  const auto docs = static_cast<uint32_t>(frames.rows.size());
  fmt::print("{}\t{}\t{}\n", docs, trellis::bench::MapKeyName(entries - 1),
             trellis::bench::MapValueJson(shape, docs - 1, entries - 1));
  return 0;
}
