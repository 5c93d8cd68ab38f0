#include "common/memory/mapped_file.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

namespace trellis::memory {
namespace {

// A file in the folder for temporary files, removed at the end of the test.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view content) {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            fmt::format("mapped_file_test_{}_{}", ::getpid(), count++);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_CASE("a mapped file shows the bytes of the file") {
  const ScratchFile file("0123456789");
  const auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  CHECK(AsText(mapped->bytes()) == "0123456789");
  CHECK(AsText(*mapped->Range(3, 4)) == "3456");
  CHECK(mapped->Range(10, 0)->empty());
}

TEST_CASE("a range that leaves the mapped file is refused") {
  const ScratchFile file("0123456789");
  const auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  CHECK(mapped->Range(0, 11).status().IsCorrupt());
  CHECK(mapped->Range(10, 1).status().IsCorrupt());
  CHECK(mapped->Range(11, 0).status().IsCorrupt());
  CHECK(mapped->Range(5, ~uint64_t{0}).status().IsCorrupt());  // the sum overflows
}

TEST_CASE("an empty file maps to no bytes") {
  const ScratchFile file("");
  const auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  CHECK(mapped->bytes().empty());
  CHECK(mapped->Range(0, 1).status().IsCorrupt());
}

TEST_CASE("views stay valid when the mapped file is moved") {
  const ScratchFile file("abc");
  auto mapped = MappedFile::Open(file.path());
  REQUIRE(mapped.ok());
  const ByteView view = mapped->bytes();
  const MappedFile moved = std::move(*mapped);
  CHECK(AsText(view) == "abc");
  CHECK(moved.bytes().data() == view.data());
}

TEST_CASE("a missing path and a folder are refused by name") {
  CHECK(MappedFile::Open("/no/such/file").status().code() == StatusCode::kNotFound);
  CHECK(MappedFile::Open(std::filesystem::temp_directory_path()).status().code() ==
        StatusCode::kInvalidArgument);
}

TEST_CASE("a file above the limit is not read whole") {
  const ScratchFile file("0123456789");
  CHECK(*ReadWholeFile(file.path(), 10) == "0123456789");
  CHECK(ReadWholeFile(file.path(), 9).status().code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace trellis::memory
