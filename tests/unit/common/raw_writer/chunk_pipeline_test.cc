#include "common/raw_writer/chunk_pipeline.h"

#include <random>

#include "tests/unit/common/raw_writer/written.h"

namespace trellis::raw_writer {
namespace {

std::vector<std::string> SomeChunks() {
  std::mt19937 random(5);
  std::vector<std::string> chunks(60);
  for (std::string& chunk : chunks) {
    chunk.resize(1 + random() % 50'000);
    for (char& c : chunk) c = static_cast<char>('a' + random() % 4);
  }
  return chunks;
}

RawLayout LayoutFor(size_t documents) {
  RawLayout layout;
  layout.chunk_size_bytes = 50'000;
  layout.compression = codec::Compression::kZstandard;
  layout.document_count = static_cast<uint32_t>(documents);
  return layout;
}

std::string Piped(const RawWriterOptions& options, const std::vector<std::string>& chunks,
                  size_t huge_every) {
  const WorkFolder folder;
  auto file = output::OutputFile::Create(folder.path / "index");
  REQUIRE(file.ok());
  const RawLayout layout = LayoutFor(chunks.size());
  {
    ChunkOutput output(layout, *file);
    ChunkPipeline pipeline(layout, options, output);
    for (uint32_t doc = 0; doc < chunks.size(); ++doc) {
      if (huge_every != 0 && doc % huge_every == 0) {
        REQUIRE(pipeline.WriteHuge(AsBytes(chunks[doc]), doc).ok());
        continue;
      }
      GrowingBytes& chunk = pipeline.filling();
      chunk.Reserve(chunks[doc].size(), 0, layout.chunk_size_bytes);
      std::memcpy(chunk.data(), chunks[doc].data(), chunks[doc].size());
      REQUIRE(pipeline.Submit({chunk.data(), chunks[doc].size()}, doc).ok());
    }
    REQUIRE(pipeline.Drain().ok());
    REQUIRE(output.Finish().ok());
  }
  REQUIRE(file->Close().ok());
  return ContentOf(folder.path / "index");
}

TEST_CASE("any number of threads, and a mapping a chunk, give the bytes of one thread") {
  const std::vector<std::string> chunks = SomeChunks();
  for (const size_t huge_every : {0, 1, 7}) {
    const std::string one = Piped({}, chunks, huge_every);
    for (const unsigned threads : {0, 2, 3, 8}) {
      CAPTURE(threads, huge_every);
      CHECK(Piped({.threads = threads}, chunks, huge_every) == one);
    }
    CHECK(Piped({.threads = 2, .buffer = ChunkBuffer::kMapped}, chunks, huge_every) == one);
  }
}

TEST_CASE("a pipeline that is given up ends with chunks under way") {
  const std::vector<std::string> chunks = SomeChunks();
  for (int round = 0; round < 20; ++round) {
    const WorkFolder folder;
    auto file = output::OutputFile::Create(folder.path / "index");
    REQUIRE(file.ok());
    const RawLayout layout = LayoutFor(100);
    ChunkOutput output(layout, *file);
    ChunkPipeline pipeline(layout, {.threads = 3}, output);
    for (int i = 0; i <= round; ++i) {
      GrowingBytes& chunk = pipeline.filling();
      chunk.Reserve(50'000, 0, 50'000);
      std::memset(chunk.data(), 'x', 50'000);
      REQUIRE(pipeline.Submit({chunk.data(), 50'000}, 0).ok());
    }
  }
}

TEST_CASE("memory grows to what was asked, doubling, and keeps what it is told to") {
  GrowingBytes bytes;
  bytes.Reserve(10, 0, 1000);
  CHECK(bytes.capacity() == 10);
  std::memcpy(bytes.data(), "0123456789", 10);
  bytes.Reserve(11, 10, 1000);
  CHECK(bytes.capacity() == 20);
  CHECK(std::memcmp(bytes.data(), "0123456789", 10) == 0);
  bytes.Reserve(21, 0, 30);
  CHECK(bytes.capacity() == 30);
  bytes.Reserve(50, 0, 30);
  CHECK(bytes.capacity() == 50);
}

}  // namespace
}  // namespace trellis::raw_writer
