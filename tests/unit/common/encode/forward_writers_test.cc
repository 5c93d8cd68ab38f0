#include "common/encode/forward_writers.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "common/column/forward_index.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Ids = std::vector<uint32_t>;

TEST_CASE("bits of an element", "[forward_writers]") {
  CHECK(BitsPerElement(0) == 1);
  CHECK(BitsPerElement(1) == 1);
  CHECK(BitsPerElement(2) == 1);
  CHECK(BitsPerElement(3) == 2);
  CHECK(BitsPerElement(256) == 8);
  CHECK(BitsPerElement(257) == 9);
  CHECK(BitsPerElement(0x7FFFFFFF) == 31);
}

TEST_CASE("a bit stream's last byte is filled up", "[forward_writers]") {
  WrittenFile written;
  BitStreamWriter writer(3, written.file());
  REQUIRE(writer.Append(Ids{5, 1}).ok());
  REQUIRE(writer.Append(Ids{7}).ok());
  REQUIRE(writer.Finish().ok());
  CHECK(written.Text() == "\xA7\x80"s);
}

TEST_CASE("ids in batches of any size are read back", "[forward_writers]") {
  std::mt19937 random(11);
  for (const int bits : {1, 2, 7, 8, 9, 17, 31}) {
    Ids all(10'000 + static_cast<uint32_t>(bits));
    for (uint32_t& id : all) id = static_cast<uint32_t>(random()) >> (32 - bits);
    WrittenFile written;
    BitStreamWriter writer(bits, written.file());
    for (size_t i = 0; i < all.size();) {
      const size_t count = std::min<size_t>(random() % 700, all.size() - i);
      REQUIRE(writer.Append(std::span(all).subspan(i, count)).ok());
      i += count;
    }
    REQUIRE(writer.Finish().ok());
    column::ForwardIndexShape shape;
    shape.type = DataType::kInt;
    shape.dictionary_encoded = true;
    shape.document_count = static_cast<uint32_t>(all.size());
    shape.cardinality = 0x80000000;
    shape.bits_per_element = bits;
    const auto reader = column::OpenForwardIndex(written.Bytes(), shape);
    REQUIRE(reader.ok());
    Ids docs(all.size()), read;
    std::iota(docs.begin(), docs.end(), 0);
    REQUIRE((*reader)->ReadDictIds(docs, *(*reader)->NewScratch(), read, nullptr).ok());
    CHECK(read == all);
  }
}

TEST_CASE("an id of more bits is refused", "[forward_writers]") {
  WrittenFile written;
  BitStreamWriter writer(3, written.file());
  CHECK(writer.Append(Ids(64, 8)).code() == StatusCode::kInvalidArgument);
  BitStreamWriter short_writer(3, written.file());
  REQUIRE(short_writer.Append(Ids{8}).ok());
  CHECK(short_writer.Finish().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("a sorted column is pairs of documents", "[forward_writers]") {
  WrittenFile written;
  SortedIndexWriter writer(3, written.file());
  REQUIRE(writer.Append(Ids{0, 0}).ok());
  REQUIRE(writer.Append(Ids{0, 1}).ok());
  REQUIRE(writer.Append(Ids{}).ok());
  REQUIRE(writer.Append(Ids{2, 2}).ok());
  REQUIRE(writer.Finish().ok());
  CHECK(written.Text() == "\0\0\0\0\0\0\0\2\0\0\0\3\0\0\0\3\0\0\0\4\0\0\0\5"s);
  column::ForwardIndexShape shape;
  shape.type = DataType::kInt;
  shape.dictionary_encoded = shape.sorted = true;
  shape.document_count = 6;
  shape.cardinality = 3;
  const auto reader = column::OpenForwardIndex(written.Bytes(), shape);
  REQUIRE(reader.ok());
  Ids read;
  REQUIRE(
      (*reader)->ReadDictIds(Ids{0, 1, 2, 3, 4, 5}, *(*reader)->NewScratch(), read, nullptr).ok());
  CHECK(read == Ids{0, 0, 0, 1, 2, 2});
}

TEST_CASE("a column that is not sorted is refused", "[forward_writers]") {
  WrittenFile written;
  const auto code = [&](uint32_t cardinality, const Ids& ids) {
    SortedIndexWriter writer(cardinality, written.file());
    const Status status = writer.Append(ids);
    return status.ok() ? writer.Finish().code() : status.code();
  };
  CHECK(code(2, {0, 1, 1}) == StatusCode::kOk);
  CHECK(code(0, {}) == StatusCode::kOk);
  CHECK(code(2, {1, 0}) == StatusCode::kInvalidArgument);     // descends
  CHECK(code(3, {0, 2}) == StatusCode::kInvalidArgument);     // leaves one out
  CHECK(code(2, {1}) == StatusCode::kInvalidArgument);        // the first
  CHECK(code(3, {0, 1}) == StatusCode::kInvalidArgument);     // the last
  CHECK(code(2, {0, 1, 2}) == StatusCode::kInvalidArgument);  // past the dictionary
}

}  // namespace
}  // namespace trellis::encode
