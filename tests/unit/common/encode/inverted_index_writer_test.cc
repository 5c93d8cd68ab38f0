#include <catch2/catch.hpp>
#include <random>

#include "common/encode/index_writers.h"
#include "common/index/inverted_index.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Ids = std::vector<uint32_t>;

TEST_CASE("offsets count from the start of the inverted index", "[inverted_index_writer]") {
  WrittenFile written;
  InvertedIndexWriter writer(2);
  REQUIRE(writer.Append(Ids{1, 0}, {}).ok());
  REQUIRE(writer.Append(Ids{1}, {}).ok());
  REQUIRE(writer.Finish(written.file()).ok());
  CHECK(written.Text() ==
        "\0\0\0\x0C\0\0\0\x1E\0\0\0\x32"
        "\x3A\x30\0\0\1\0\0\0\0\0\0\0\x10\0\0\0\1\0"
        "\x3A\x30\0\0\1\0\0\0\0\0\1\0\x10\0\0\0\0\0\2\0"s);
}

TEST_CASE("documents of every id are read back", "[inverted_index_writer]") {
  std::mt19937 random(9);
  constexpr uint32_t kDocuments = 150'000, kCardinality = 50;
  for (const bool multi_value : {false, true}) {
    std::vector<Ids> expected(kCardinality);
    Ids ids, offsets = {0};
    for (uint32_t document = 0; document < kDocuments; ++document) {
      for (uint32_t size = multi_value ? random() % 4 : 1; size > 0; --size) {
        const uint32_t id = document < 70'000 ? 3 : random() % kCardinality;
        ids.push_back(id);
        if (expected[id].empty() || expected[id].back() != document)
          expected[id].push_back(document);
      }
      offsets.push_back(static_cast<uint32_t>(ids.size()));
    }
    WrittenFile written;
    InvertedIndexWriter writer(kCardinality);
    constexpr size_t kHalf = 75'000;
    if (multi_value) {
      REQUIRE(writer.Append(ids, std::span(offsets).first(kHalf + 1)).ok());
      REQUIRE(writer.Append(ids, std::span(offsets).subspan(kHalf)).ok());
    } else {
      REQUIRE(writer.Append(std::span(ids).first(kHalf), {}).ok());
      REQUIRE(writer.Append(std::span(ids).subspan(kHalf), {}).ok());
    }
    REQUIRE(writer.Finish(written.file()).ok());
    const auto read = index::InvertedIndex::Open(written.Bytes(), kCardinality, kDocuments);
    REQUIRE(read.ok());
    CHECK((*read)->Check(!multi_value).ok());
    for (uint32_t id = 0; id < kCardinality; ++id) {
      const auto documents = (*read)->Documents(id);
      REQUIRE(documents.ok());
      CHECK(Ids(documents->begin(), documents->end()) == expected[id]);
    }
  }
}

TEST_CASE("an inverted index has limits", "[inverted_index_writer]") {
  InvertedIndexWriter wrong(2);
  CHECK(wrong.Append(Ids{1, 2}, {}).code() == StatusCode::kInvalidArgument);
  WrittenFile written;
  InvertedIndexWriter writer(2);
  REQUIRE(writer.Append(Ids{1, 0, 1}, {}).ok());
  CHECK(writer.Finish(written.file(), 49).code() == StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace trellis::encode
