#include "common/raw_writer/chunk_output.h"

#include "tests/unit/common/raw_writer/written.h"

namespace trellis::raw_writer {
namespace {

std::string Filled(const RawLayout& layout, const std::vector<std::string>& chunks) {
  const WorkFolder folder;
  auto file = output::OutputFile::Create(folder.path / "index");
  REQUIRE(file.ok());
  {
    ChunkOutput output(layout, *file);
    uint32_t doc = 0;
    for (const std::string& chunk : chunks) REQUIRE(output.Append(doc++, AsBytes(chunk)).ok());
    REQUIRE(output.Finish().ok());
  }
  REQUIRE(file->Close().ok());
  return ContentOf(folder.path / "index");
}

RawLayout Sized(uint32_t chunk_count) {
  RawLayout layout;
  layout.chunk_size_bytes = 4096;
  layout.compression = codec::Compression::kSnappy;
  layout.document_count = 100'000;
  layout.chunk_count = chunk_count;
  return layout;
}

TEST_CASE("header, table and chunks of format notes 5.4") {
  const std::string expected = std::string("\0\0\0\4\0\0\x10\0\0\0\0\1\0\0\0\x20", 16) +
                               std::string("\0\0\0\0\0\0\0\0\1\0\0\0\3\0\0\0", 16) + "abcde";
  CHECK(Filled(Sized(0), {"abc", "de"}) == expected);
  CHECK(Filled(Sized(2), {"abc", "de"}) == expected);
}

TEST_CASE("a table of many pieces is the same whether it grows or has its place") {
  const std::vector<std::string> chunks(20'000, "x");
  const std::string grown = Filled(Sized(0), chunks);
  CHECK(grown == Filled(Sized(20'000), chunks));
  CHECK(grown.size() == 16 + 20'000 * 9);
  CHECK(LittleEndianAt(grown, 16 + 19'999 * 8) == 19'999);
  CHECK(LittleEndianAt(grown, 16 + 19'999 * 8 + 4) == 19'999);
}

TEST_CASE("offsets of format notes 5.3 are absolute, of 4 bytes in version 2 and of 8 later") {
  RawLayout layout;
  layout.container = Container::kChunkedRows;
  layout.docs_per_chunk = 2;
  layout.document_count = 3;
  layout.version = 2;
  const std::string two = Filled(layout, {"abc", "de"});
  CHECK(BigEndianAt(two, 28) == 36);
  CHECK(BigEndianAt(two, 32) == 39);
  CHECK(two.substr(36) == "abcde");
  layout.version = 3;
  const std::string three = Filled(layout, {"abc", "de"});
  CHECK(BigEndianAt(three, 32) == 44);
  CHECK(BigEndianAt(three, 40) == 47);
}

// Says that it wrote so many bytes: offsets grow, the file system keeps a hole.
Status Pretend(ChunkOutput& output, uint32_t doc, size_t size) {
  return output.AppendMapped(doc, size, [&](std::span<uint8_t>) -> Result<size_t> { return size; });
}

TEST_CASE("a chunk whose offset does not fit the table ends the writing") {
  const WorkFolder folder;
  if (std::filesystem::space(folder.path).available < uint64_t{6} << 30) return;
  RawLayout layout;
  layout.container = Container::kChunkedRows;
  layout.docs_per_chunk = 1;
  layout.document_count = 3;
  layout.version = 2;
  auto file = output::OutputFile::Create(folder.path / "index");
  REQUIRE(file.ok());
  ChunkOutput output(layout, *file);
  REQUIRE(Pretend(output, 0, size_t{1} << 30).ok());
  REQUIRE(Pretend(output, 0, size_t{1} << 30).ok());  // ends beyond, starts before
  const Status status = output.Append(0, AsBytes("x"));
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.message().find("starts at byte 2147483688") != std::string::npos);
}

}  // namespace
}  // namespace trellis::raw_writer
