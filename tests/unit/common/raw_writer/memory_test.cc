// How much memory a writer holds, counted where it is taken: operator new of this program.
// Sanitizers have an operator new of their own, which must stay: with them there is no such test.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TRELLIS_NEW_IS_TAKEN
#endif
#endif
#if !defined(TRELLIS_NEW_IS_TAKEN) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include "tests/unit/common/raw_writer/written.h"

namespace {

std::atomic<int64_t> g_live_bytes{0};
std::atomic<int64_t> g_most_bytes{0};
std::atomic<int64_t> g_news{0};

void* Take(size_t size) {
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) std::abort();
  ++g_news;
  const auto usable = static_cast<int64_t>(::malloc_usable_size(memory));
  const int64_t live = g_live_bytes += usable;
  int64_t most = g_most_bytes;
  while (live > most && !g_most_bytes.compare_exchange_weak(most, live)) {
  }
  return memory;
}

void Return(void* memory) {
  if (memory == nullptr) return;
  g_live_bytes -= static_cast<int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return Take(size); }
void* operator new[](size_t size) { return Take(size); }
void operator delete(void* memory) noexcept { Return(memory); }
void operator delete[](void* memory) noexcept { Return(memory); }
void operator delete(void* memory, size_t) noexcept { Return(memory); }
void operator delete[](void* memory, size_t) noexcept { Return(memory); }

namespace trellis::raw_writer {
namespace {

using codec::Compression;

constexpr int64_t kChunkBytes = 1 << 20;
// The file's own buffer (two with an unnamed file), a piece of the table and its zeros.
constexpr int64_t kFileBytes = 800 * 1024;

struct Held {
  int64_t most_bytes;
  int64_t news;
};

// Writes `documents` rows of every length up to 20,000.
Held Hold(int version, Compression compression, unsigned threads, uint32_t documents) {
  const WorkFolder folder;
  std::mt19937 random(1);
  std::string text(20'000, '\0');
  for (char& c : text) c = static_cast<char>('a' + random() % 5);
  const auto layout = PlanRawLayout(
      {.compression = compression, .writer_version = version, .derive_docs_per_chunk = true},
      {.type = {DataType::kString, false},
       .document_count = documents,
       .longest_row_bytes = 20'000});
  REQUIRE(layout.ok());
  const int64_t before = g_live_bytes;
  const int64_t news = g_news;
  g_most_bytes = before;
  {
    auto file = output::OutputFile::Create(folder.path / "index");
    REQUIRE(file.ok());
    const auto writer =
        NewRawForwardIndexWriter(*layout, {DataType::kString, false}, {.threads = threads}, *file);
    REQUIRE(writer.ok());
    for (uint32_t doc = 0; doc < documents; ++doc) {
      const Status status = (*writer)->AppendRow(AsBytes(text).first(random() % 20'001));
      if (!status.ok()) FAIL(status.message());
    }
    REQUIRE((*writer)->Finish().ok());
  }
  return {g_most_bytes - before, g_news - news};
}

TEST_CASE("at most 4 chunks a thread are held, whatever the number of rows") {
  for (const int version : {3, 4}) {
    for (const Compression compression : {Compression::kPassThrough, Compression::kLz4}) {
      for (const unsigned threads : {1, 2, 4}) {
        CAPTURE(version, codec::CompressionName(compression), threads);
        const Held held = Hold(version, compression, threads, 1000);
        CHECK(held.most_bytes > kChunkBytes / 2);  // it is counted
        CHECK(held.most_bytes <= threads * 4 * kChunkBytes + kFileBytes);
        // Of a column of two and a half times the size nothing more.
        const Held more = Hold(version, compression, threads, 2500);
        CHECK(more.most_bytes <= threads * 4 * kChunkBytes + kFileBytes);
      }
    }
  }
}

TEST_CASE("rows and chunks allocate nothing once the buffers are there") {
  for (const Compression compression :
       {Compression::kPassThrough, Compression::kLz4, Compression::kZstandard}) {
    CAPTURE(codec::CompressionName(compression));
    const int64_t few = Hold(4, compression, 1, 500).news;
    CHECK(Hold(4, compression, 1, 1500).news <= few + 4);
  }
}

}  // namespace
}  // namespace trellis::raw_writer

#endif
