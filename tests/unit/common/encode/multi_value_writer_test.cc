#include <catch2/catch.hpp>
#include <random>

#include "common/encode/forward_writers.h"
#include "read_rows.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Ids = std::vector<uint32_t>;

// Writes rows in batches of several sizes and reads them back.
void CheckRoundTrip(uint32_t documents, uint32_t row_size_max, int bits) {
  std::mt19937 random(documents + row_size_max);
  Ids ids, offsets = {0};
  for (uint32_t row = 0; row < documents; ++row) {
    const uint32_t size = 1 + static_cast<uint32_t>(random()) % row_size_max;
    for (uint32_t i = 0; i < size; ++i)
      ids.push_back(static_cast<uint32_t>(random()) >> (32 - bits));
    offsets.push_back(static_cast<uint32_t>(ids.size()));
  }
  WrittenFile written;
  const auto writer = NewBitPackedMultiValueWriter(documents, ids.size(), bits, written.file());
  for (size_t row = 0; row < documents;) {
    const size_t count = std::min<size_t>(random() % 1000, documents - row);
    REQUIRE(writer->Append(ids, std::span(offsets).subspan(row, count + 1)).ok());
    row += count;
  }
  REQUIRE(writer->Finish().ok());
  CheckRows(written.Bytes(), bits, ids, offsets);
}

TEST_CASE("rows of ids, the first document of each chunk", "[multi_value_writer]") {
  // Three values a row: 683 documents a chunk, one offset.
  WrittenFile written;
  const auto writer = NewBitPackedMultiValueWriter(2, 6, 3, written.file());
  const Ids ids = {9, 1, 2, 3, 4, 5, 6};
  REQUIRE(writer->Append(ids, Ids{1, 3}).ok());
  REQUIRE(writer->Append(ids, Ids{3, 7}).ok());
  REQUIRE(writer->Finish().ok());
  // Starts 1010 0000; ids 001 010 011 100 101 110.
  CHECK(written.Text() == "\0\0\0\0\xA0\x29\xCB\x80"s);
}

TEST_CASE("rows are read back", "[multi_value_writer]") {
  CheckRoundTrip(1, 1, 1);
  CheckRoundTrip(5000, 1, 3);
  CheckRoundTrip(20'000, 7, 9);
  CheckRoundTrip(40, 5000, 17);   // a chunk a document
  CheckRoundTrip(300'000, 2, 1);  // more starts than a piece
}

TEST_CASE("what the index cannot say is refused", "[multi_value_writer]") {
  const auto code = [](uint32_t documents, uint64_t entries, const Ids& ids, const Ids& offsets) {
    WrittenFile written;
    const auto writer = NewBitPackedMultiValueWriter(documents, entries, 2, written.file());
    const Status status = writer->Append(ids, offsets);
    const Status finished = writer->Finish();
    return status.ok() ? finished.code() : status.code();
  };
  CHECK(code(2, 3, {1, 2, 3}, {0, 2, 3}) == StatusCode::kOk);
  CHECK(code(0, 0, {}, {0}) == StatusCode::kOk);
  CHECK(code(2, 1, {1}, {0, 0, 1}) == StatusCode::kInvalidArgument);     // fewer than a row each
  CHECK(code(2, 2, {1, 1}, {0, 0, 2}) == StatusCode::kInvalidArgument);  // an empty row
  CHECK(code(3, 3, {1, 2, 3}, {0, 2, 3}) == StatusCode::kInvalidArgument);
  CHECK(code(2, 4, {1, 2, 3}, {0, 2, 3}) == StatusCode::kInvalidArgument);
  CHECK(code(1, 2, {1, 2, 3}, {0, 3}) == StatusCode::kInvalidArgument);
  CHECK(code(2, 3, {1, 4, 3}, {0, 2, 3}) == StatusCode::kInvalidArgument);  // more bits
  CHECK(code(0, 3, {}, {0}) == StatusCode::kInvalidArgument);
  CHECK(code(1, uint64_t{1} << 31, {1}, {0, 1}) == StatusCode::kResourceExhausted);
  CHECK(code(1, ~uint64_t{0}, {1}, {0, 1}) == StatusCode::kResourceExhausted);
}

TEST_CASE("an index of 2 GiB is refused before it is written", "[multi_value_writer]") {
  WrittenFile written;
  const auto writer = NewBitPackedMultiValueWriter(1, 2'000'000'000, 8, written.file());
  CHECK(writer->Append(Ids{1}, Ids{0, 1}).code() == StatusCode::kResourceExhausted);
  CHECK(writer->Finish().code() == StatusCode::kResourceExhausted);
  CHECK(written.Bytes().empty());
}

}  // namespace
}  // namespace trellis::encode
