#include "cli/segment/segment_verify.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::cli {
namespace {

using segment::ScratchFolder;
using segment::TinySegment;

struct Ran {
  int exit_code;
  std::string out, errors;
};

Ran Verify(std::vector<std::string> paths, VerifyForm form = {}) {
  std::ostringstream out, errors;
  const int exit_code = VerifySegments(paths, form, out, errors);
  return {exit_code, out.str(), errors.str()};
}

// A good segment `a`, one with a note `b`, one with a fault `c`.
void WriteThree(const ScratchFolder& folder) {
  for (const char* name : {"a", "b", "c"}) {
    TinySegment segment;
    if (*name == 'c') segment.Metadata("column.i.cardinality = 3\n");
    segment.WriteV3(folder.path() / name);
  }
  segment::WriteFile(folder.path() / "b" / "v3" / "creation.meta", std::string(16, '\0'));
}

TEST_CASE("a segment without faults is one line and exit code 0, as is one with notes only") {
  const ScratchFolder folder;
  WriteThree(folder);
  const std::string a = folder.path() / "a", b = folder.path() / "b";
  const Ran ran = Verify({a, b});
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.starts_with(a + ": no faults\nnote: segment tiny, crc, offset 0 of "));
  CHECK(ran.out.ends_with(b + ": no faults\n"));
  CHECK(Verify({a, b}, {.quiet = true}).out.empty());
}

TEST_CASE("a fault makes the exit code 1 and a line that names its place") {
  const ScratchFolder folder;
  WriteThree(folder);
  const Ran ran = Verify({folder.path() / "a", folder.path() / "c"});
  CHECK(ran.exit_code == 1);
  CHECK(ran.out.find("\nfault: segment tiny, column i, ") != std::string::npos);
}

TEST_CASE("a path that is not there is an error of the caller's, the others are still checked") {
  const ScratchFolder folder;
  WriteThree(folder);
  const Ran ran = Verify({folder.path() / "nothing", folder.path() / "c"});
  CHECK(ran.exit_code == 2);
  CHECK(ran.errors.find("there is no segment at") != std::string::npos);
  CHECK(ran.out.find("fault: ") != std::string::npos);
}

TEST_CASE("JSON is an object a fault, with null for what is absent") {
  const ScratchFolder folder;
  WriteThree(folder);
  const Ran ran = Verify({folder.path() / "b"}, {.json = true});
  const auto note = nlohmann::json::parse(ran.out);
  CHECK(note["segment"] == "tiny");
  CHECK(note["column"].is_null());
  CHECK(note["index"] == "crc");
  CHECK(note["offset"] == 0);
  CHECK(note["note"] == true);
  CHECK(ran.exit_code == 0);
}

TEST_CASE("a path with control characters is one line of them written out") {
  const ScratchFolder folder;
  const auto path = folder.path() / "a\nb";
  TinySegment().WriteV3(path);
  CHECK(Verify({path}).out == (folder.path() / "a\\x0ab").string() + ": no faults\n");
  CHECK(Verify({path / "none"}).errors.find("a\\x0ab") != std::string::npos);
}

}  // namespace
}  // namespace trellis::cli
