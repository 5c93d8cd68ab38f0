#include "common/raw_writer/raw_layout.h"

#include <catch2/catch.hpp>

namespace trellis::raw_writer {
namespace {

RawLayout Plan(const RawSettings& settings, ValueType type, uint32_t longest) {
  const auto layout =
      PlanRawLayout(settings, {.type = type, .document_count = 10, .longest_row_bytes = longest});
  REQUIRE(layout.ok());
  return *layout;
}

constexpr ValueType kString = {DataType::kString, false};
constexpr ValueType kStrings = {DataType::kString, true};
constexpr ValueType kInt = {DataType::kInt, false};
constexpr ValueType kInts = {DataType::kInt, true};

TEST_CASE("which container and version a writer version gives, by the kind of column") {
  struct Case {
    ValueType type;
    int asked;
    Container container;
    int version;
    bool carries_count;
  };
  // The table of format notes 5.1.
  for (const Case& c : {
           Case{kInt, 2, Container::kFixed, 2, true},
           Case{kInt, 7, Container::kFixed, 7, true},
           Case{kString, 3, Container::kChunkedRows, 3, true},
           Case{kString, 4, Container::kSizedRows, 4, true},
           Case{kString, 5, Container::kSizedRows, 4, true},
           Case{kString, 6, Container::kSizedRows, 6, true},
           Case{kString, 7, Container::kSizedRows, 4, true},
           Case{kStrings, 2, Container::kChunkedRows, 2, true},
           Case{kStrings, 5, Container::kSizedRows, 4, true},
           Case{kStrings, 6, Container::kSizedRows, 6, true},
           Case{kInts, 3, Container::kChunkedRows, 3, true},
           Case{kInts, 4, Container::kSizedRows, 4, true},
           Case{kInts, 5, Container::kSizedRows, 5, false},
           Case{kInts, 6, Container::kSizedRows, 6, false},
           Case{kInts, 7, Container::kSizedRows, 4, true},
       }) {
    RawSettings settings;
    settings.writer_version = c.asked;
    const RawLayout layout = Plan(settings, c.type, 100);
    CAPTURE(ValueTypeName(c.type), c.asked);
    CHECK(layout.container == c.container);
    CHECK(layout.version == c.version);
    if (c.container == Container::kSizedRows) CHECK(layout.rows_carry_count == c.carries_count);
  }
}

TEST_CASE("chunk targets of version 4: between 4096 and the configured most") {
  RawSettings settings;
  CHECK(Plan(settings, kString, 3).chunk_size_bytes == 4096);
  CHECK(Plan(settings, kString, 37).chunk_size_bytes == 37'000);
  CHECK(Plan(settings, kString, 1049).chunk_size_bytes == 1'048'576);
  CHECK(Plan(settings, kString, 2'000'000'000).chunk_size_bytes == 1'048'576);
  settings.target_docs_per_chunk = -1;
  CHECK(Plan(settings, kString, 3).chunk_size_bytes == 1'048'576);
  settings.target_max_chunk_size_bytes = 100;
  CHECK(Plan(settings, kString, 3).chunk_size_bytes == 4096);
  // Without its count in front a row is 4 bytes shorter.
  settings = RawSettings{.writer_version = 5};
  CHECK(Plan(settings, kInts, 24).chunk_size_bytes == 20'000);
}

TEST_CASE("documents a chunk") {
  RawSettings settings{.writer_version = 3};
  CHECK(Plan(settings, kString, 100).docs_per_chunk == 1000);
  CHECK(Plan(settings, kInts, 100).docs_per_chunk == 1000);
  // Always derived.
  CHECK(Plan(settings, kStrings, 100).docs_per_chunk == 1'048'576 / 104);
  settings.derive_docs_per_chunk = true;
  CHECK(Plan(settings, kString, 100).docs_per_chunk == 1'048'576 / 104);
  CHECK(Plan(settings, kString, 2'000'000).docs_per_chunk == 1);
  CHECK(Plan(settings, kString, 100).entry_size_bytes == 100);
  CHECK(Plan(settings, kInt, 0).docs_per_chunk == 1000);
  settings.writer_version = 4;
  CHECK(Plan(settings, kInt, 0).docs_per_chunk == 1024);
  CHECK(Plan(settings, kInt, 0).entry_size_bytes == 4);
  CHECK(Plan(settings, {DataType::kTimestamp, false}, 0).entry_size_bytes == 8);
}

TEST_CASE("LZ4 has its length in front in the containers that size their chunks, there alone") {
  using codec::Compression;
  RawSettings settings;
  CHECK(Plan(settings, kString, 9).compression == Compression::kLz4LengthPrefixed);
  CHECK(Plan(settings, kInt, 0).compression == Compression::kLz4);
  settings.writer_version = 3;
  CHECK(Plan(settings, kString, 9).compression == Compression::kLz4);
}

TEST_CASE("what no file can hold is refused") {
  using codec::Compression;
  const auto code = [](const RawSettings& settings, ValueType type, uint32_t longest) {
    return PlanRawLayout(settings,
                         {.type = type, .document_count = 1, .longest_row_bytes = longest})
        .status()
        .code();
  };
  constexpr auto kRefused = StatusCode::kInvalidArgument;
  CHECK(code({.writer_version = 1}, kString, 9) == kRefused);
  CHECK(code({.compression = Compression::kDelta}, kString, 9) == kRefused);
  CHECK(code({.compression = Compression::kDeltaDelta}, kInts, 9) == kRefused);
  CHECK(code({.compression = Compression::kDelta}, kInt, 9) == StatusCode::kOk);
  CHECK(code({.target_docs_per_chunk = 0}, kInt, 9) == kRefused);
  CHECK(code({.target_max_chunk_size_bytes = 0}, kString, 9) == kRefused);
  CHECK(code({.target_max_chunk_size_bytes = int64_t{1} << 31}, kString, 9) == kRefused);
  CHECK(code({.writer_version = 3}, kString, 100'000'000) == kRefused);
  CHECK(code({}, kString, 0x80000000U) == kRefused);
}

TEST_CASE("chunks are counted as they will be written") {
  ChunkCounter counter(4096);
  CHECK(counter.count() == 0);
  counter.Add(4088);  // fills a chunk
  CHECK(counter.count() == 1);
  counter.Add(0);
  counter.Add(0);
  CHECK(counter.count() == 2);
  counter.Add(4089);  // huge, and ends the chunk before it
  CHECK(counter.count() == 3);
  counter.Add(4089);
  CHECK(counter.count() == 4);
  counter.Add(1);
  CHECK(counter.count() == 5);
}

}  // namespace
}  // namespace trellis::raw_writer
