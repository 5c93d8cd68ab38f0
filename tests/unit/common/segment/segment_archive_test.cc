#include "common/segment/segment_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "common/segment/segment.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

struct Entry {
  std::string name;
  std::string content;
  std::string link = "";  // a symbolic link when not empty
  bool hard = false;      // the link is a hard one
};
using AddFilter = int (*)(archive*);

void WriteArchive(const std::filesystem::path& path, const std::vector<Entry>& entries,
                  AddFilter add_filter = archive_write_add_filter_gzip) {
  archive* a = archive_write_new();
  archive_write_set_format_pax_restricted(a);
  REQUIRE(add_filter(a) == ARCHIVE_OK);
  REQUIRE(archive_write_open_filename(a, path.c_str()) == ARCHIVE_OK);
  for (const Entry& entry : entries) {
    archive_entry* e = archive_entry_new();
    archive_entry_set_pathname(e, entry.name.c_str());
    archive_entry_set_size(e, static_cast<la_int64_t>(entry.content.size()));
    archive_entry_set_perm(e, 0644);
    archive_entry_set_filetype(e, entry.link.empty() || entry.hard ? AE_IFREG : AE_IFLNK);
    if (entry.hard) {
      archive_entry_set_hardlink(e, entry.link.c_str());
    } else if (!entry.link.empty()) {
      archive_entry_set_symlink(e, entry.link.c_str());
    }
    REQUIRE(archive_write_header(a, e) == ARCHIVE_OK);
    archive_write_data(a, entry.content.data(), entry.content.size());
    archive_entry_free(e);
  }
  archive_write_close(a);
  archive_write_free(a);
}

std::vector<Entry> EntriesOf(const std::filesystem::path& folder) {
  std::vector<Entry> entries;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(in), {});
    entries.push_back({"tiny/" + std::filesystem::relative(file.path(), folder).string(), content});
  }
  return entries;
}

bool IsEmptyFolder(const std::filesystem::path& path) { return std::filesystem::is_empty(path); }

TEST_CASE("an archived segment opens and its unpacked files go with it") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path() / "tiny");
  const auto archive = folder.path() / "tiny.tar.gz";
  WriteArchive(archive, EntriesOf(folder.path() / "tiny"));
  const auto scratch = folder.path() / "scratch";
  std::filesystem::create_directories(scratch);
  {
    const auto segment = Segment::Open(archive, scratch);
    CAPTURE(segment.status().message());
    REQUIRE(segment.ok());
    CHECK((*segment)->name() == "tiny");
    CHECK((*segment)->OpenColumn("i").ok());
    CHECK_FALSE(IsEmptyFolder(scratch));
  }
  CHECK(IsEmptyFolder(scratch));
}

TEST_CASE("an archive is read however it is compressed, whatever its name says") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path() / "tiny");
  for (const AddFilter filter : {archive_write_add_filter_gzip, archive_write_add_filter_zstd,
                                 archive_write_add_filter_lz4, archive_write_add_filter_none}) {
    const auto archive = folder.path() / "tiny.tar.gz";
    WriteArchive(archive, EntriesOf(folder.path() / "tiny"), filter);
    const auto segment = Segment::Open(archive);
    REQUIRE(segment.status().message() == "");
    CHECK((*segment)->document_count() == 3);
    CHECK((*segment)->OpenColumn("s").ok());
  }
}

TEST_CASE("an archive that would write elsewhere is refused") {
  const std::vector<std::vector<Entry>> cases = {
      {{"../evil", "x"}},
      {{"tiny/../../evil", "x"}},
      {{"tiny/ok", "x"}, {"/tmp/evil", "x"}},
      {{"tiny/link", "", "/etc"}, {"tiny/link/evil", "x"}},
      {{"tiny/link", "", "/etc/passwd", true}},
      {{"tiny/a", "x"}, {"tiny/link", "", "tiny/a", true}},
  };
  for (const auto& entries : cases) {
    const ScratchFolder folder;
    const auto archive = folder.path() / "a.tar.gz";
    WriteArchive(archive, entries);
    const auto target = folder.path() / "target";
    std::filesystem::create_directories(target);
    const auto unpacked = UnpackSegment(archive, target);
    CAPTURE(entries.back().name, unpacked.status().message());
    CHECK(unpacked.status().IsCorrupt());
    CHECK_FALSE(std::filesystem::exists(folder.path() / "evil"));
  }
}

TEST_CASE(
    "an archive with two top folders, a file at the top, a file twice or nothing is refused") {
  const std::vector<std::vector<Entry>> cases = {
      {{"a/x", "1"}, {"b/x", "1"}}, {{"x", "1"}}, {{"a/x", "1"}, {"a/x", "2"}}, {}};
  for (const auto& entries : cases) {
    const ScratchFolder folder;
    WriteArchive(folder.path() / "a.tar.gz", entries);
    std::filesystem::create_directories(folder.path() / "target");
    CHECK(UnpackSegment(folder.path() / "a.tar.gz", folder.path() / "target").status().IsCorrupt());
  }
}

TEST_CASE("unpacking stops at the limits of bytes and entries") {
  const ScratchFolder folder;
  WriteArchive(folder.path() / "a.tar.gz", {{"a/x", std::string(100'000, 'x')}, {"a/y", "1"}});
  const auto unpack = [&](const UnpackLimits& limits) {
    const ScratchFolder target;
    return UnpackSegment(folder.path() / "a.tar.gz", target.path(), limits).status();
  };
  CHECK(unpack({100'001, 2}).ok());
  CHECK(unpack({100'000, 2}).code() == StatusCode::kResourceExhausted);
  CHECK(unpack({100'001, 1}).code() == StatusCode::kResourceExhausted);
}

TEST_CASE("bytes that are no archive are refused") {
  const ScratchFolder folder;
  WriteFile(folder.path() / "a.tar.gz", "this is not an archive");
  std::filesystem::create_directories(folder.path() / "target");
  CHECK(UnpackSegment(folder.path() / "a.tar.gz", folder.path() / "target").status().IsCorrupt());
}

TEST_CASE("a pipe or device is no archive, and is there") {
  const ScratchFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::filesystem::path& path : {pipe, std::filesystem::path("/dev/null")}) {
    const Status status = Segment::Open(path).status();
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find(path.string() + ": not a regular file or folder") !=
          std::string::npos);
  }
  CHECK(Segment::Open(folder.path() / "none").status().code() == StatusCode::kNotFound);
}

TEST_CASE(
    "a long name of an entry is cut in messages, and its control characters are written out") {
  const ScratchFolder folder;
  const auto archive = folder.path() / "long.tar.gz";
  for (const bool out : {false, true}) {
    const std::string name = (out ? "../a\n" : "t/a\n") + std::string(6000, 'x');
    WriteArchive(archive, {{name, "content"}});
    const Status status = Segment::Open(archive).status();
    CHECK_FALSE(status.ok());
    CHECK(status.message().find("a\\x0ax") != std::string::npos);
    CHECK(status.message().size() < 500);
  }
}

}  // namespace
}  // namespace trellis::segment
