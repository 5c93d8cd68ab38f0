#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <random>

#include "common/encode/index_writers.h"
#include "common/index/range_index.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Ids = std::vector<uint32_t>;

TEST_CASE("ranges have their starts, the end and a bitmap each", "[bucketed_range_writer]") {
  // Three values, one a share: a range ends at the first value that differs from the one before and
  // is more than a share behind its start.
  WrittenFile written;
  REQUIRE(WriteBucketedRangeIndex(Ids{7, 2, 9}, {}, 10, written.file()).ok());
  CHECK(written.Text() ==
        "\0\0\0\1\0\0\0\3INT\0\0\0\2"
        "\0\0\0\2\0\0\0\x09\0\0\0\x09"
        "\0\0\0\0\0\0\0\x33\0\0\0\0\0\0\0\x47\0\0\0\0\0\0\0\x59"
        "\x3A\x30\0\0\1\0\0\0\0\0\1\0\x10\0\0\0\0\0\1\0"
        "\x3A\x30\0\0\1\0\0\0\0\0\0\0\x10\0\0\0\2\0"s);
}

TEST_CASE("every document lies in the range of each of its values", "[bucketed_range_writer]") {
  std::mt19937 random(6);
  constexpr uint32_t kDocuments = 90'000, kCardinality = 700;
  Ids ids, offsets = {0};
  std::multimap<uint32_t, uint32_t> expected;
  for (uint32_t document = 0; document < kDocuments; ++document) {
    for (uint32_t size = 1 + random() % 3; size > 0; --size) {
      ids.push_back(random() % 2 == 0 ? 5 : random() % kCardinality);
      expected.emplace(document, ids.back());
    }
    offsets.push_back(static_cast<uint32_t>(ids.size()));
  }
  WrittenFile written;
  REQUIRE(WriteBucketedRangeIndex(ids, offsets, kCardinality, written.file()).ok());
  index::RangeIndexShape shape;
  shape.multi_value = true;
  shape.document_count = kDocuments;
  shape.cardinality = kCardinality;
  const auto read = index::RangeIndex::Open(written.Bytes(), shape);
  REQUIRE(read.ok());
  CHECK((*read)->Check().ok());
  size_t outside = 0;
  std::map<uint64_t, size_t> ranges;
  REQUIRE((*read)
              ->Visit([&](const index::RangeIndex::Entry& entry) -> Status {
                ++ranges[entry.low];
                const auto [first, last] = expected.equal_range(entry.document);
                outside += std::none_of(first, last, [&](const auto& value) {
                  const uint64_t key = (*read)->KeyOf(value.second);
                  return entry.low <= key && key <= entry.high;
                });
                return {};
              })
              .ok());
  CHECK(outside == 0);
  CHECK(ranges.size() > 5);
  CHECK(ranges.size() <= 20);
}

TEST_CASE("numbers of a raw column", "[bucketed_range_writer]") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ColumnVector doubles(DataType::kDouble);
  for (int i = 0; i < 100; ++i) doubles.values<double>().push_back(50 - i);
  doubles.values<double>()[10] = -kInfinity;
  doubles.values<double>()[20] = kInfinity;
  doubles.SetSize(100);
  WrittenFile written;
  REQUIRE(WriteBucketedRangeIndex(doubles, written.file()).ok());
  index::RangeIndexShape shape;
  shape.type = DataType::kDouble;
  shape.has_dictionary = false;
  shape.document_count = 100;
  const auto read = index::RangeIndex::Open(written.Bytes(), shape);
  REQUIRE(read.ok());
  CHECK((*read)->Check().ok());
  index::ValueRange low;
  low.upper = Value::Double(-1e300);
  const auto answer = (*read)->Values(low);
  REQUIRE(answer.ok());
  CHECK((answer->certain | answer->possible).contains(10));
  CHECK_FALSE((answer->certain | answer->possible).contains(20));
}

TEST_CASE("what has no ranges is refused", "[bucketed_range_writer]") {
  WrittenFile written;
  const auto refused = StatusCode::kInvalidArgument;
  CHECK(WriteBucketedRangeIndex(Ids{}, {}, 3, written.file()).code() == refused);
  CHECK(WriteBucketedRangeIndex(Ids{3}, {}, 3, written.file()).code() == refused);
  CHECK(WriteBucketedRangeIndex(ColumnVector(DataType::kLong), written.file()).code() == refused);
  ColumnVector texts(DataType::kString);
  texts.Append(Value::String("a"));
  CHECK(WriteBucketedRangeIndex(texts, written.file()).code() == refused);
}

}  // namespace
}  // namespace trellis::encode
