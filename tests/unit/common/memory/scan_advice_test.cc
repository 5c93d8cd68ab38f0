#include "common/memory/scan_advice.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "common/memory/mapped_file.h"

namespace trellis::memory {
namespace {

TEST_CASE("advice leaves every kind of bytes as they are") {
  AdviseScan({});
  const std::vector<uint8_t> heap(100000, 7);
  AdviseScan(heap);
  AdviseScan(ByteView(heap).subspan(1, 1));
  CHECK(heap == std::vector<uint8_t>(100000, 7));

  char path[] = "/tmp/trellis_scan_advice_XXXXXX";
  const int fd = ::mkstemp(path);
  REQUIRE(fd >= 0);
  std::ofstream(path) << std::string(20000, 'x');
  const MappedFile file = MappedFile::Open(path).value();
  AdviseScan(file.bytes());
  AdviseScan(file.bytes().last(3));
  for (const uint8_t byte : file.bytes()) REQUIRE(byte == 'x');
  (void)std::remove(path);
}

}  // namespace
}  // namespace trellis::memory
