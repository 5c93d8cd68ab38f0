#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "common/encode/index_writers.h"
#include "common/index/null_vector.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

TEST_CASE("a null vector is read back", "[null_vector_writer]") {
  std::vector<uint32_t> all(200'000);
  std::iota(all.begin(), all.end(), 0);
  for (const auto& nulls : {std::vector<uint32_t>{0}, {3, 70'000, 70'001, 199'999}, all}) {
    WrittenFile written;
    REQUIRE(WriteNullVector(nulls, written.file()).ok());
    const auto read = index::ReadNullVector(written.Bytes(), 200'000);
    REQUIRE(read.ok());
    CHECK(std::vector<uint32_t>(read->begin(), read->end()) == nulls);
  }
}

TEST_CASE("a column that is null throughout takes some bytes", "[null_vector_writer]") {
  std::vector<uint32_t> all(65'536);
  std::iota(all.begin(), all.end(), 0);
  WrittenFile written;
  REQUIRE(WriteNullVector(all, written.file()).ok());
  using namespace std::string_literals;
  CHECK(written.Text() == "\x3B\x30\0\0\1\0\0\xFF\xFF\1\0\0\0\xFF\xFF"s);
}

}  // namespace
}  // namespace trellis::encode
