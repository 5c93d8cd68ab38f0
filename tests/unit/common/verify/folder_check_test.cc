#include "common/verify/folder_check.h"

#include <unistd.h>

#include "tests/unit/common/verify/opened_tiny.h"

namespace trellis::verify {
namespace {

namespace fs = std::filesystem;
using segment::ScratchFolder;
using segment::TinySegment;
using segment::WriteFile;

struct Folder {
  Folder() { TinySegment().WriteV3(scratch.path()); }
  std::string Read(const std::string& name) const {
    std::ifstream file(scratch.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Replace(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = Read(name);
    REQUIRE(text.find(from) != std::string::npos);
    WriteFile(scratch.path() / name, text.replace(text.find(from), from.size(), to));
  }
  std::vector<Fault> Files(bool links_are_faults = true) const {
    FaultList faults("s", 20);
    CheckFiles(scratch.path(), links_are_faults, faults);
    return faults.Take();
  }
  std::vector<Fault> Map() const {
    FaultList faults("s", 20);
    CheckIndexMap(scratch.path(), faults);
    return faults.Take();
  }
  // The only fault of index_map.
  Fault OneOfMap(const std::string& column, const std::string& index, const std::string& text,
                 bool note = false) const {
    const auto faults = Map();
    for (const Fault& fault : faults) UNSCOPED_INFO(FaultText(fault));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].column == column);
    CHECK(faults[0].index == index);
    CHECK(faults[0].is_note == note);
    CHECK_THAT(FaultText(faults[0]), Catch::Contains(text));
    return faults[0];
  }
  ScratchFolder scratch;
};

TEST_CASE("the files that a segment has are no news") {
  const Folder folder;
  WriteFile(folder.scratch.path() / "v3" / "creation.meta", "x");
  WriteFile(folder.scratch.path() / "v3" / "c.lucene.v912.index" / "anything", "x");
  WriteFile(folder.scratch.path() / "validdocids.bitmap.snapshot", "x");
  CHECK(folder.Files().empty());
  CHECK(folder.Map().empty());
}

TEST_CASE("unknown files are notes, links and files that cannot be read are faults") {
  const Folder folder;
  WriteFile(folder.scratch.path() / "notes.txt", "x");
  auto faults = folder.Files();
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].is_note);
  CHECK(faults[0].file == "notes.txt");
  fs::remove(folder.scratch.path() / "notes.txt");

  fs::create_symlink("/etc/passwd", folder.scratch.path() / "v3" / "x.dict");
  faults = folder.Files();
  REQUIRE(faults.size() == 1);
  CHECK_FALSE(faults[0].is_note);
  CHECK(faults[0].file == "v3/x.dict");
  CHECK(faults[0].found == "a symbolic link to /etc/passwd");
  CHECK(folder.Files(false).at(0).is_note);
  fs::remove(folder.scratch.path() / "v3" / "x.dict");

  if (::geteuid() != 0) {  // root reads everything
    fs::permissions(folder.scratch.path() / "v3" / "index_map", fs::perms::none);
    CHECK(folder.Files().at(0).file == "v3/index_map");
    fs::permissions(folder.scratch.path() / "v3" / "index_map", fs::perms::owner_all);
  }
}

TEST_CASE("ranges of index_map lie in the file, one behind the other, at their markers") {
  const Folder folder;  // i: 0+16, 16+9, 25+26, s: 51+14, 65+24
  const auto fault = [&](const std::string& from, const std::string& to, const std::string& column,
                         const std::string& index, const std::string& text) {
    const Folder fresh;
    fresh.Replace("v3/index_map", from, to);
    const auto found = fresh.Map();
    for (const Fault& one : found) UNSCOPED_INFO(FaultText(one));
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].column == column);
    CHECK(found[0].index == index);
    CHECK_THAT(FaultText(found[0]), Catch::Contains(text));
    return found[0];
  };
  CHECK(folder.Map().empty());
  CHECK(fault("s.forward_index.size = 24", "s.forward_index.size = 25", "s", "forward_index",
              "a range that ends by")
            .file == "v3/columns.psf");
  CHECK(fault("i.forward_index.startOffset = 16", "i.forward_index.startOffset = 15", "i",
              "forward_index", "the marker deadbeefdeafbead")
            .offset == 15);
  fault("i.forward_index.size = 9", "i.forward_index.size = 7", "i", "forward_index",
        "a size of at least 8");
  fault("i.forward_index.size = 9", "i.forward_index.size = 10", "i", "nullvalue_vector",
        "a start at or behind 26");
  fault("i.dictionary.size = 16", "i.dictionary.size = -1", "i", "dictionary",
        "one size that is not negative, found '-1'");
  fault("i.dictionary.size = 16\n", "", "i", "dictionary", "both startOffset and size");
  fault("i.dictionary.size = 16", "nonsense = 16", "", "index_map", "line 2: 'nonsense'");
}

TEST_CASE("gaps, bytes behind the end and unknown indexes are notes") {
  const Folder folder;
  const std::string bytes = folder.Read("v3/columns.psf");
  WriteFile(folder.scratch.path() / "v3" / "columns.psf", bytes + "xy");
  CHECK(folder.OneOfMap("", "directory", "2 bytes of no index", true).offset == bytes.size());
  WriteFile(folder.scratch.path() / "v3" / "columns.psf", bytes);
  folder.Replace("v3/index_map", "i.forward_index.size = 9", "i.forward_index.size = 8");
  CHECK(folder.OneOfMap("i", "nullvalue_vector", "1 bytes of no index", true).offset == 24);
  folder.Replace("v3/index_map", "i.forward_index.size = 8", "i.forward_index.size = 9");
  folder.Replace("v3/index_map", "s.dictionary.size", "s.new_index.size");
  folder.Replace("v3/index_map", "s.dictionary.startOffset", "s.new_index.startOffset");
  folder.OneOfMap("s", "new_index", "an index of an unknown kind", true);
}

TEST_CASE("a missing file of layout V3 is a fault, and layout V1 has none of them") {
  const Folder folder;
  fs::remove(folder.scratch.path() / "v3" / "index_map");
  folder.OneOfMap("", "index_map", "a file that can be read");
  fs::remove(folder.scratch.path() / "v3" / "columns.psf");
  folder.OneOfMap("", "directory", "a file that can be read");
  const ScratchFolder v1;
  TinySegment().WriteV1(v1.path());
  FaultList faults("s", 20);
  CheckIndexMap(v1.path(), faults);
  CHECK(faults.Take().empty());
}

}  // namespace
}  // namespace trellis::verify
