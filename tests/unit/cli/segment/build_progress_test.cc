#include "cli/segment/build_progress.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace trellis::cli {
namespace {

TEST_CASE("the line while reading says what is known") {
  CHECK(ReadingLine(50, 100, 7, 10) ==
        "reading  50% [##########          ] 7 rows, 0.0 MB/s, 0:10 left");
  CHECK(ReadingLine(200'000'000, 200'000'000, 1, 2) ==
        "reading 100% [####################] 1 rows, 100.0 MB/s, 0:00 left");
  CHECK(ReadingLine(5'000'000, 0, 3, 1) == "reading 3 rows, 5.0 MB/s");
  CHECK(ReadingLine(0, 100, 0, 0) == "reading   0% [                    ] 0 rows");
  // A file that grew while it was read.
  CHECK(ReadingLine(300, 100, 1, 60) ==
        "reading 100% [####################] 1 rows, 0.0 MB/s, 0:00 left");
}

TEST_CASE("a bar is drawn where it is wanted and wiped at the end") {
  std::ostringstream off;
  {
    BuildProgress progress(off, /*on=*/false, 100);
    progress.Read(1, 1);
    progress.Written(1, 1);
  }
  CHECK(off.str().empty());
  std::ostringstream on;
  {
    BuildProgress progress(on, /*on=*/true, 100);
    progress.Written(3, 3);
  }
  CHECK(on.str() == "\r\033[Kwriting 100% [####################] 3 of 3 columns\r\033[K");
}

}  // namespace
}  // namespace trellis::cli
