#include "common/output/output_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/unit/common/output/work_folder.h"

namespace trellis::output {
namespace {

namespace fs = std::filesystem;

ByteView Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

TEST_CASE("what is appended and written over stands in the file", "[output]") {
  const WorkFolder folder;
  auto file = OutputFile::Create(folder.path / "a");
  REQUIRE(file.ok());
  REQUIRE(file->Append(Bytes("0123456789")).ok());
  REQUIRE(file->WriteAt(2, Bytes("ab")).ok());
  const std::string large(600'000, 'x');  // more than the buffer holds
  REQUIRE(file->Append(Bytes(large)).ok());
  REQUIRE(file->Append(Bytes("end")).ok());
  CHECK(file->size_bytes() == 600'013);
  REQUIRE(file->WriteAt(600'009, Bytes("yEND")).ok());
  REQUIRE(file->Close().ok());
  CHECK(ContentOf(folder.path / "a") == "01ab456789" + large.substr(1) + "yEND");
}

TEST_CASE("a file without a name is appended to another, and nothing is left of it", "[output]") {
  const WorkFolder folder;
  {
    auto file = OutputFile::Create(folder.path / "a");
    auto other = OutputFile::CreateUnnamed(folder.path);
    REQUIRE(file.ok());
    REQUIRE(other.ok());
    const std::string large(3'000'000, 'x');
    REQUIRE(file->Append(Bytes("head")).ok());
    REQUIRE(other->Append(Bytes(large)).ok());
    REQUIRE(other->Append(Bytes("end")).ok());
    REQUIRE(file->AppendFile(*other).ok());
    REQUIRE(file->Append(Bytes("tail")).ok());
    REQUIRE(file->Close().ok());
    CHECK(ContentOf(folder.path / "a") == "head" + large + "endtail");
  }
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);
}

TEST_CASE("files of two file systems are copied all the same", "[output]") {
  const WorkFolder folder;
  if (!fs::is_directory("/dev/shm")) return;
  auto file = OutputFile::Create(folder.path / "a");
  auto other = OutputFile::CreateUnnamed("/dev/shm");
  REQUIRE(file.ok());
  REQUIRE(other.ok());
  const std::string large(1'000'001, 'y');
  REQUIRE(other->Append(Bytes(large)).ok());
  REQUIRE(file->AppendFile(*other).ok());
  REQUIRE(file->Close().ok());
  CHECK(ContentOf(folder.path / "a") == large);
}

TEST_CASE("what is written into a mapping of the end is as long as was said", "[output]") {
  const WorkFolder folder;
  auto file = OutputFile::Create(folder.path / "a");
  REQUIRE(file.ok());
  REQUIRE(file->Append(Bytes("head")).ok());
  const auto fill = [](std::span<uint8_t> to) -> Result<size_t> {
    CHECK(to.size() == 10'000);
    std::fill(to.begin(), to.begin() + 7000, 'm');
    return size_t{7000};
  };
  REQUIRE(file->AppendMapped(10'000, fill).ok());
  REQUIRE(file->AppendMapped(10'000, fill).ok());
  CHECK(file->size_bytes() == 14'004);
  REQUIRE(file->Append(Bytes("end")).ok());
  REQUIRE(file->Close().ok());
  CHECK(ContentOf(folder.path / "a") == "head" + std::string(14'000, 'm') + "end");
}

TEST_CASE("an error of the filling is the file's", "[output]") {
  const WorkFolder folder;
  auto file = OutputFile::Create(folder.path / "a");
  REQUIRE(file.ok());
  const Status status = file->AppendMapped(
      10, [](std::span<uint8_t>) -> Result<size_t> { return Status::Internal("no"); });
  CHECK(status.message() == "no");
  CHECK(file->Append(Bytes("x")).message() == "no");
}

TEST_CASE("a file that is there is not written over", "[output]") {
  const WorkFolder folder;
  std::ofstream(folder.path / "a") << "old";
  const auto file = OutputFile::Create(folder.path / "a");
  CHECK(file.status().code() == StatusCode::kInvalidArgument);
  CHECK(ContentOf(folder.path / "a") == "old");
  CHECK(OutputFile::Create(folder.path / "none" / "a").status().code() == StatusCode::kUnavailable);
}

TEST_CASE("a write that finds no room is an error, and stays one", "[output]") {
  const WorkFolder folder;
  auto file = OutputFile::Create(folder.path / "a");
  REQUIRE(file.ok());
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 1000;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  Status status = file->Append(Bytes(std::string(2000, 'x')));
  if (status.ok()) status = file->Flush();
  const Status later = file->Append(Bytes("y"));
  const Status closed = file->Close();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.message().find((folder.path / "a").string()) != std::string::npos);
  CHECK(later.message() == status.message());
  CHECK(closed.message() == status.message());
}

}  // namespace
}  // namespace trellis::output
