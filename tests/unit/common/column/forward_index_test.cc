#include "common/column/forward_index.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <string>
#include <vector>

namespace trellis::column {
namespace {

using namespace std::string_literals;

std::vector<uint32_t> AllDocs(uint32_t count) {
  std::vector<uint32_t> docs(count);
  std::iota(docs.begin(), docs.end(), 0);
  return docs;
}

std::string Ints(const std::vector<int32_t>& values) {
  std::string bytes(values.size() * 4, '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    StoreBigEndian(values[i], reinterpret_cast<uint8_t*>(bytes.data()) + i * 4);
  }
  return bytes;
}

ForwardIndexShape DictionaryShape(uint32_t docs, uint32_t cardinality, int bits) {
  return {.type = DataType::kInt,
          .dictionary_encoded = true,
          .document_count = docs,
          .cardinality = cardinality,
          .bits_per_element = bits};
}

std::vector<uint32_t> ReadIds(const ForwardIndexReader& reader, const std::vector<uint32_t>& docs,
                              std::vector<uint32_t>* offsets = nullptr) {
  std::vector<uint32_t> ids;
  REQUIRE(reader.ReadDictIds(docs, *reader.NewScratch(), ids, offsets).ok());
  return ids;
}

TEST_CASE("bit-packed ids are read by range and by position") {
  // Ids 1 2 3 0 1 of two bits: 01 10 11 00 01.
  const std::string bytes = "\x6c\x40";
  const auto reader = OpenForwardIndex(AsBytes(bytes), DictionaryShape(5, 4, 2)).value();
  CHECK(ReadIds(*reader, AllDocs(5)) == std::vector<uint32_t>{1, 2, 3, 0, 1});
  CHECK(ReadIds(*reader, {0, 2, 4}) == std::vector<uint32_t>{1, 3, 1});
  CHECK(ReadIds(*reader, {}).empty());
}

TEST_CASE("an id beyond the dictionary and documents out of order are refused") {
  const std::string bytes = "\x6c\x40";
  const auto reader = OpenForwardIndex(AsBytes(bytes), DictionaryShape(5, 3, 2)).value();
  std::vector<uint32_t> ids;
  auto scratch = reader->NewScratch();
  CHECK(reader->ReadDictIds(std::vector<uint32_t>{2}, *scratch, ids, nullptr).IsCorrupt());
  CHECK(reader->ReadDictIds(std::vector<uint32_t>{0, 1}, *scratch, ids, nullptr).ok());
  CHECK_FALSE(reader->ReadDictIds(std::vector<uint32_t>{1, 0}, *scratch, ids, nullptr).ok());
  CHECK_FALSE(reader->ReadDictIds(std::vector<uint32_t>{1, 1}, *scratch, ids, nullptr).ok());
  CHECK_FALSE(reader->ReadDictIds(std::vector<uint32_t>{5}, *scratch, ids, nullptr).ok());
  CHECK(OpenForwardIndex(AsBytes(bytes).first(1), DictionaryShape(5, 3, 2)).status().IsCorrupt());
}

TEST_CASE("a sorted column answers ids and document ranges") {
  ForwardIndexShape shape = DictionaryShape(6, 3, 2);
  shape.sorted = true;
  const std::string bytes = Ints({0, 0, 1, 3, 4, 5});
  const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
  CHECK(reader->is_sorted());
  CHECK(ReadIds(*reader, AllDocs(6)) == std::vector<uint32_t>{0, 1, 1, 1, 2, 2});
  CHECK(ReadIds(*reader, {3, 5}) == std::vector<uint32_t>{1, 2});
  CHECK(reader->DocRange(1).value() == std::pair(1U, 3U));
  CHECK(reader->DocRange(3).status().IsCorrupt());
}

TEST_CASE("document ranges that overlap, leave a gap or miss the end are refused") {
  ForwardIndexShape shape = DictionaryShape(6, 3, 2);
  shape.sorted = true;
  for (const std::vector<int32_t>& pairs : {std::vector<int32_t>{0, 1, 1, 3, 4, 5},
                                            {0, 0, 2, 3, 4, 5},
                                            {0, 0, 1, 3, 4, 4},
                                            {0, 0, 1, 3, 4, 6},
                                            {0, -1, 1, 3, 4, 5}}) {
    const std::string bytes = Ints(pairs);
    const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
    std::vector<uint32_t> ids;
    CHECK(reader->ReadDictIds(AllDocs(6), *reader->NewScratch(), ids, nullptr).IsCorrupt());
  }
  CHECK(OpenForwardIndex(AsBytes(Ints({0, 0, 1, 3})), shape).status().IsCorrupt());
}

// Rows {0}, {1, 0}, {1}: four values of one bit; docsPerChunk is 2048.
const std::string kMultiValues = "\0\0\0\0"s + "\xd0" + "\x50";

ForwardIndexShape MultiValueShape() {
  ForwardIndexShape shape = DictionaryShape(3, 2, 1);
  shape.multi_value = true;
  shape.total_entries = 4;
  return shape;
}

TEST_CASE("multi-value rows are found by the bitmap of their starts") {
  const auto reader = OpenForwardIndex(AsBytes(kMultiValues), MultiValueShape()).value();
  std::vector<uint32_t> offsets;
  CHECK(ReadIds(*reader, AllDocs(3), &offsets) == std::vector<uint32_t>{0, 1, 0, 1});
  CHECK(offsets == std::vector<uint32_t>{0, 1, 3, 4});
  CHECK(ReadIds(*reader, {1}, &offsets) == std::vector<uint32_t>{1, 0});
  CHECK(ReadIds(*reader, {0, 2}, &offsets) == std::vector<uint32_t>{0, 1});
}

TEST_CASE("multi-value rows across chunks of one document match a walk of the whole column") {
  // Rows of 3000 values: one document a chunk.
  constexpr uint32_t kRow = 3000, kDocs = 5;
  std::vector<int32_t> chunk_offsets;
  std::string starts((kRow * kDocs + 7) / 8, '\0');
  for (uint32_t doc = 0; doc < kDocs; ++doc) {
    chunk_offsets.push_back(static_cast<int32_t>(doc * kRow));
    starts[doc * kRow / 8] = static_cast<char>(starts[doc * kRow / 8] | 0x80 >> (doc * kRow % 8));
  }
  const std::string bytes = Ints(chunk_offsets) + starts + std::string(starts.size(), '\x55');
  ForwardIndexShape shape = MultiValueShape();
  shape.document_count = kDocs;
  shape.total_entries = kRow * kDocs;
  const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
  std::vector<uint32_t> offsets;
  const std::vector<uint32_t> all = ReadIds(*reader, AllDocs(kDocs), &offsets);
  REQUIRE(all.size() == kRow * kDocs);
  CHECK(offsets.back() == kRow * kDocs);
  CHECK(ReadIds(*reader, {4}, &offsets) == std::vector<uint32_t>(all.end() - kRow, all.end()));
}

TEST_CASE("a multi-value column whose bitmap, offsets or counts disagree is refused") {
  const auto read = [](const std::string& bytes, const ForwardIndexShape& shape) {
    const auto reader = OpenForwardIndex(AsBytes(bytes), shape);
    if (!reader.ok()) return reader.status();
    std::vector<uint32_t> ids, offsets;
    return reader.value()->ReadDictIds(AllDocs(3), *reader.value()->NewScratch(), ids, &offsets);
  };
  REQUIRE(read(kMultiValues, MultiValueShape()).ok());
  CHECK(read("\0\0\0\1"s + "\xd0" + "\x50", MultiValueShape()).IsCorrupt());  // offset
  CHECK(read("\0\0\0\0"s + "\x50" + "\x50", MultiValueShape()).IsCorrupt());  // no start at 0
  CHECK(read("\0\0\0\0"s + "\xf0" + "\x50", MultiValueShape()).IsCorrupt());  // four rows
  CHECK(read("\0\0\0\0"s + "\xc0" + "\x50", MultiValueShape()).IsCorrupt());  // two rows
  ForwardIndexShape shape = MultiValueShape();
  shape.total_entries = 2;
  CHECK(read(kMultiValues, shape).IsCorrupt());
  shape.total_entries = int64_t{1} << 40;
  CHECK(read(kMultiValues, shape).IsCorrupt());
  shape.total_entries = -1;
  CHECK(read(kMultiValues, shape).IsCorrupt());
}

TEST_CASE("the kind of a forward index is told by its first bytes, and unknown kinds refused") {
  const auto message = [](const std::string& bytes, const ForwardIndexShape& shape) {
    const Status status = OpenForwardIndex(AsBytes(bytes), shape).status();
    CHECK(status.IsCorrupt());
    return status.message();
  };
  const ForwardIndexShape text{.type = DataType::kString, .document_count = 1};
  CHECK(message("CLP.v9............", text).find("CLP index of version 9") != std::string::npos);
  CHECK(message("\xFF\xAB\xCD\xEF" + Ints({0}), MultiValueShape()).find("entry dictionary") !=
        std::string::npos);
  CHECK(message(Ints({7, 4096, 0, 24, 0, 0}), text).find("version 7") != std::string::npos);
  CHECK(message(Ints({0, 1, 1, 4}), text).find("version 0") != std::string::npos);
}

}  // namespace
}  // namespace trellis::column
