#include <catch2/catch.hpp>
#include <random>

#include "common/encode/index_writers.h"
#include "common/index/range_index.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Numbers = std::vector<uint64_t>;

TEST_CASE("a slice holds the rows whose bit is 0", "[range_index_writer]") {
  WrittenFile written;
  const auto writer = NewRangeIndexWriter(-5, 3, 3, written.file());
  REQUIRE(writer->Append(Numbers{0, 3}).ok());
  REQUIRE(writer->Append(Numbers{1}).ok());
  REQUIRE(writer->Finish().ok());
  CHECK(written.Text() ==
        "\0\0\0\2\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFB"
        "\x0D\xF0\2\2\1\0\3\0\0\0"
        "\3"
        "\1\1\0\0\0\0\0"             // bit 0: row 0; the lowest slices never are arrays
        "\1\2\0\0\0\0\0\2\0\0\0"s);  // bit 1: rows 0 and 2
}

TEST_CASE("a slice from the sixth on may be an array", "[range_index_writer]") {
  WrittenFile written;
  const auto writer = NewRangeIndexWriter(0, 63, 2, written.file());
  REQUIRE(writer->Append(Numbers{31, 63}).ok());
  REQUIRE(writer->Finish().ok());
  // Behind the mask: no row has a 0 below bit 5, one has it there. A run takes six bytes, an array
  // four.
  CHECK(written.Text().substr(22) == "\x20\2\1\0\0\0"s);
}

TEST_CASE("numbers in several blocks are read back", "[range_index_writer]") {
  std::mt19937_64 random(4);
  constexpr uint32_t kDocuments = 200'000;
  for (const uint64_t max : {uint64_t{0}, uint64_t{1}, uint64_t{1000}, ~uint64_t{0}}) {
    Numbers numbers(kDocuments);
    for (uint32_t i = 0; i < kDocuments; ++i) {
      // The first block mixed, the second all one, the third in long runs.
      numbers[i] = i < 65'536 ? random() : i < 131'072 ? max : i / 500;
      if (max != ~uint64_t{0}) numbers[i] %= max + 1;
    }
    WrittenFile written;
    const int64_t min = max > 1000 ? INT64_MIN : -7;
    const auto writer = NewRangeIndexWriter(min, max, kDocuments, written.file());
    for (size_t i = 0; i < kDocuments;) {
      const size_t count = std::min<size_t>(random() % 3000, kDocuments - i);
      REQUIRE(writer->Append(std::span(numbers).subspan(i, count)).ok());
      i += count;
    }
    REQUIRE(writer->Finish().ok());
    index::RangeIndexShape shape;
    shape.type = DataType::kLong;
    shape.has_dictionary = false;
    shape.document_count = kDocuments;
    const auto read = index::RangeIndex::Open(written.Bytes(), shape);
    REQUIRE(read.ok());
    CHECK((*read)->Check().ok());
    size_t wrong = 0, count = 0;
    REQUIRE((*read)
                ->Visit([&](const index::RangeIndex::Entry& entry) -> Status {
                  ++count;
                  const auto value =
                      static_cast<int64_t>(static_cast<uint64_t>(min) + numbers[entry.document]);
                  wrong += entry.low != (*read)->KeyOf(Value::Long(value));
                  return {};
                })
                .ok());
    CHECK(count == kDocuments);
    CHECK(wrong == 0);
  }
}

TEST_CASE("numbers that were not announced are refused", "[range_index_writer]") {
  const auto code = [](uint64_t max, uint32_t documents, const Numbers& numbers) {
    WrittenFile written;
    const auto writer = NewRangeIndexWriter(0, max, documents, written.file());
    const Status status = writer->Append(numbers);
    return status.ok() ? writer->Finish().code() : status.code();
  };
  CHECK(code(7, 2, {7, 0}) == StatusCode::kOk);
  CHECK(code(7, 2, {8, 0}) == StatusCode::kInvalidArgument);
  CHECK(code(7, 2, {7}) == StatusCode::kInvalidArgument);
  CHECK(code(7, 2, {7, 7, 7}) == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::encode
