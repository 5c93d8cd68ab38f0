#include "common/segment_writer/segment_tar.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/bytes.h"
#include "common/segment/segment_archive.h"
#include "tests/unit/common/output/work_folder.h"

namespace trellis::segment_writer {
namespace {

namespace fs = std::filesystem;

void WriteFile(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

TEST_CASE("an archive holds its folder under the segment's name, whatever the letters") {
  for (const std::string name : {"plain", "日本", "a b", "é"}) {
    CAPTURE(name);
    const WorkFolder folder;
    WriteFile(folder.path / "in" / "é.dict", "one");
    WriteFile(folder.path / "in" / "v3" / "😀", std::string(300'000, 'x'));
    const fs::path archive = folder.path / "out.tar.gz";
    REQUIRE(WriteSegmentTar(folder.path / "in", name, 1'000, archive).ok());
    fs::create_directories(folder.path / "back");
    const auto back = segment::UnpackSegment(archive, folder.path / "back");
    CAPTURE(back.status().message());
    REQUIRE(back.ok());
    CHECK(back->filename().string() == name);
    CHECK(ContentOf(*back / "é.dict") == "one");
    CHECK(ContentOf(*back / "v3" / "😀") == std::string(300'000, 'x'));
  }
}

TEST_CASE("an archive ends with the compressed bytes") {
  const WorkFolder folder;
  WriteFile(folder.path / "in" / "file", "one");
  const fs::path archive = folder.path / "out.tar.gz";
  REQUIRE(WriteSegmentTar(folder.path / "in", "name", 1'000, archive).ok());
  const std::string bytes = ContentOf(archive);
  REQUIRE(bytes.size() > 20);
  // The last field of gzip: the size of what was compressed, here of a tar file.
  const auto* end = reinterpret_cast<const uint8_t*>(bytes.data()) + bytes.size();
  const auto size = LoadLittleEndian<uint32_t>(end - 4);
  CHECK(size > 0);
  CHECK(size % 512 == 0);
}

}  // namespace
}  // namespace trellis::segment_writer
