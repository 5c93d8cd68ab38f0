#include "common/column/list_scan.h"

#include "common/column/doc_list.h"
#include "tests/testing/every_instruction_set.h"

namespace trellis::column {
namespace {

TEST_CASE("one number out of order is seen wherever it stands") {
  WithEveryInstructionSet([] {
    for (size_t count = 0; count <= 70; ++count) {
      CAPTURE(count);
      std::vector<uint32_t> numbers(count);
      for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<uint32_t>(i * 3 + 5);
      CHECK(IsStrictlyAscending(numbers));
      for (size_t i = 1; i < count; ++i) {
        const uint32_t number = numbers[i];
        for (const uint32_t wrong : {numbers[i - 1], numbers[i - 1] - 1, 0U, UINT32_MAX}) {
          numbers[i] = wrong;
          // The highest number of all is in order at the end.
          CHECK(IsStrictlyAscending(numbers) == (wrong == UINT32_MAX && i + 1 == count));
        }
        numbers[i] = number;
      }
    }
    // Apart by more than half of all numbers.
    std::vector<uint32_t> far(40, 0);
    for (size_t i = 20; i < 40; ++i) far[i] = UINT32_MAX - 40 + static_cast<uint32_t>(i);
    for (size_t i = 0; i < 20; ++i) far[i] = static_cast<uint32_t>(i);
    CHECK(IsStrictlyAscending(far));
  });
}

TEST_CASE("one number out of its place is seen wherever it stands") {
  WithEveryInstructionSet([] {
    CHECK(IsConsecutive({}));
    for (size_t count = 1; count <= 70; ++count) {
      std::vector<uint32_t> numbers(count);
      FillRange(100, numbers);
      CHECK(IsConsecutive(numbers));
      for (size_t at = 1; at < count; ++at) {
        ++numbers[at];
        REQUIRE_FALSE(IsConsecutive(numbers));
        --numbers[at];
      }
    }
  });
  // A range by its ends only.
  CHECK_FALSE(CheckDocs(std::vector<uint32_t>{3, 9, 5, 6}, 10).ok());
  CHECK_FALSE(CheckDocs(std::vector<uint32_t>{3, 3, 5, 6}, 10).ok());
}

TEST_CASE("the highest number is found wherever it stands") {
  WithEveryInstructionSet([] {
    CHECK(HighestOf({}) == 0);
    for (size_t count = 1; count <= 70; ++count) {
      for (size_t at = 0; at < count; ++at) {
        std::vector<uint32_t> numbers(count, 9);
        numbers[at] = UINT32_MAX - 1;
        REQUIRE(HighestOf(numbers) == UINT32_MAX - 1);
      }
    }
  });
}

TEST_CASE("a range is filled from any number on") {
  WithEveryInstructionSet([] {
    for (size_t count = 0; count <= 70; ++count) {
      std::vector<uint32_t> numbers(count + 1, 7);
      FillRange(4000000000U, std::span(numbers).first(count));
      for (size_t i = 0; i < count; ++i) REQUIRE(numbers[i] == 4000000000U + i);
      REQUIRE(numbers[count] == 7);
    }
  });
}

TEST_CASE("documents must ascend below the segment's number of them") {
  CHECK(CheckDocs({}, 0).ok());
  CHECK(CheckDocs(std::vector<uint32_t>{0, 4, 9}, 10).ok());
  CHECK_FALSE(CheckDocs(std::vector<uint32_t>{0, 4, 10}, 10).ok());
  CHECK_FALSE(CheckDocs(std::vector<uint32_t>{4, 0, 9}, 10).ok());
  CHECK_FALSE(CheckDocs(std::vector<uint32_t>{UINT32_MAX, 0, 9}, 10).ok());
}

TEST_CASE("pieces are ranges as long as possible or short lists, and cover the documents") {
  std::vector<uint32_t> docs;
  for (uint32_t i = 0; i < 1000; ++i) docs.push_back(i);            // a range
  for (uint32_t i = 0; i < 300; ++i) docs.push_back(2000 + 2 * i);  // gaps
  size_t longest = 0, at = 0;
  while (at < docs.size()) {
    const std::span<const uint32_t> piece = PieceAt(docs, at);
    REQUIRE(piece.data() == docs.data() + at);
    REQUIRE((!piece.empty() && (IsRange(piece) || piece.size() <= kPieceDocs)));
    longest = std::max(longest, piece.size());
    at += piece.size();
  }
  CHECK(at == docs.size());
  CHECK(longest == 1000);
  CHECK(PieceAt(std::span(docs).first(1000), 0).size() == 1000);
}

TEST_CASE("documents below a limit are the front of the list") {
  const std::vector<uint32_t> docs = {3, 4, 8, 9, 20};
  CHECK(DocsBelow(docs, 3).empty());
  CHECK(DocsBelow(docs, 4).size() == 1);
  CHECK(DocsBelow(docs, 9).size() == 3);
  CHECK(DocsBelow(docs, 10).size() == 4);
  CHECK(DocsBelow(docs, uint64_t{1} << 32).size() == 5);
  CHECK(DocsBelow({}, 10).empty());
}

TEST_CASE("a list that is read in pieces is refused where its ends are no range below the limit") {
  const auto check = [](std::vector<uint32_t> docs) { return CheckPieces(docs, 100).ok(); };
  CHECK(check({}));
  CHECK(check({99}));
  CHECK(check({5, 6, 7}));
  CHECK(check({1, 5, 99}));
  CHECK(check({5, 99, 7}));  // read as 5, 6, 7
  CHECK_FALSE(check({100}));
  CHECK_FALSE(check({98, 99, 100}));
  CHECK_FALSE(check({7, 6, 5}));
  CHECK_FALSE(check({1, 1}));
  CHECK_FALSE(check({1, 70, 60, 99}));
  CHECK_FALSE(check({UINT32_MAX, 0}));  // whose difference is 1
}

}  // namespace
}  // namespace trellis::column
