#include "common/vector/batch_size.h"

#include <catch2/catch.hpp>

namespace trellis {
namespace {

constexpr uint64_t kMiB = 1 << 20;

TEST_CASE("batches of small rows grow to the most there may be") {
  BatchSize size(4096);
  CHECK(size.rows() == 64);
  size.Took(64, 64 * 8);
  CHECK(size.rows() == 512);
  size.Took(512, 512 * 8);
  CHECK(size.rows() == 4096);
  size.Took(4096, 0);
  CHECK(size.rows() == 4096);
  size.Took(1, 8);  // a last, small batch says nothing against the size
  CHECK(size.rows() == 4096);
  CHECK(BatchSize(3).rows() == 3);
}

TEST_CASE("batches of large rows hold 32 MiB, or one row") {
  BatchSize size(4096);
  size.Took(64, 64 * kMiB);
  CHECK(size.rows() == 32);
  size.Took(32, 32 * 100 * kMiB);
  CHECK(size.rows() == 1);
  size.Took(1, 1);  // smaller rows again
  CHECK(size.rows() == 8);
}

TEST_CASE("a batch too large for a limit is halved down to one row") {
  BatchSize size(4096);
  CHECK(size.Halve(64));
  CHECK(size.rows() == 32);
  CHECK(size.Halve(3));
  CHECK(size.rows() == 1);
  CHECK_FALSE(size.Halve(1));
}

TEST_CASE("values count with the bytes they are views of") {
  ColumnVector texts(DataType::kString);
  texts.Append(Value::String(std::string(1000, 'x')));
  texts.Append(Value::String(""));
  CHECK(ValueBytes(texts) == 1000 + 2 * sizeof(std::string_view));
  ColumnVector numbers(ValueType{DataType::kLong, true});
  numbers.values<int64_t>() = {1, 2, 3};
  numbers.offsets() = {0, 3};
  CHECK(ValueBytes(numbers) == 3 * 8 + 2 * 4);
}

}  // namespace
}  // namespace trellis
