#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/base/bits.h"
#include "common/column/forward_index.h"

// Whatever way a reader chooses for a list of documents, it answers what reading each of them alone
// answers.

namespace trellis::column {
namespace {

constexpr uint32_t kDocs = 20000;

std::vector<std::vector<uint32_t>> DocLists() {
  std::mt19937 random(7);
  std::vector<std::vector<uint32_t>> lists = {{}, {kDocs - 1}};
  for (const uint32_t one_in : {1, 2, 3, 7, 9, 100, 1000}) {
    lists.emplace_back();
    for (uint32_t doc = 0; doc < kDocs; ++doc) {
      if (random() % one_in == 0) lists.back().push_back(doc);
    }
  }
  // Runs of every length between gaps of every length.
  lists.emplace_back();
  for (uint32_t doc = 3; doc < kDocs;) {
    for (uint32_t run = random() % 600; run > 0 && doc < kDocs; --run)
      lists.back().push_back(doc++);
    doc += random() % 700;
  }
  return lists;
}

// Values of `width` bits, most significant bit first.
class BitWriter {
 public:
  void Add(uint32_t value, int width) {
    for (int bit = width - 1; bit >= 0; --bit, ++at_) {
      if (at_ % 8 == 0) bytes_.push_back('\0');
      if (value >> bit & 1) bytes_.back() = static_cast<char>(bytes_.back() | 0x80 >> at_ % 8);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

TEST_CASE("bit-packed ids are the same however many of them are wanted") {
  for (const int width : {1, 5, 8, 13, 20, 25, 26, 31}) {
    std::mt19937 random(static_cast<uint32_t>(width));
    std::vector<uint32_t> values(kDocs);
    BitWriter bits;
    for (uint32_t& value : values) bits.Add(value = random() & ((1U << width) - 1), width);
    const ForwardIndexShape shape = {.type = DataType::kInt,
                                     .dictionary_encoded = true,
                                     .document_count = kDocs,
                                     .cardinality = 1U << width,
                                     .bits_per_element = width};
    const auto reader = OpenForwardIndex(AsBytes(bits.bytes()), shape).value();
    for (const std::vector<uint32_t>& docs : DocLists()) {
      CAPTURE(width, docs.size());
      std::vector<uint32_t> ids;
      REQUIRE(reader->ReadDictIds(docs, *reader->NewScratch(), ids, nullptr).ok());
      REQUIRE(ids.size() == docs.size());
      for (size_t i = 0; i < docs.size(); ++i) REQUIRE(ids[i] == values[docs[i]]);
    }
  }
}

TEST_CASE("a bad id is refused wherever and however it is read") {
  constexpr uint32_t kCardinality = 1000;  // 10 bits could say up to 1023
  for (const uint32_t bad : {0U, 5000U, kDocs - 1}) {
    BitWriter bits;
    for (uint32_t doc = 0; doc < kDocs; ++doc) bits.Add(doc == bad ? kCardinality : 999, 10);
    const ForwardIndexShape shape = {.type = DataType::kInt,
                                     .dictionary_encoded = true,
                                     .document_count = kDocs,
                                     .cardinality = kCardinality,
                                     .bits_per_element = 10};
    const auto reader = OpenForwardIndex(AsBytes(bits.bytes()), shape).value();
    for (std::vector<uint32_t> docs : DocLists()) {
      CAPTURE(bad, docs.size());
      std::vector<uint32_t> ids;
      const bool wanted = std::binary_search(docs.begin(), docs.end(), bad);
      const Status status = reader->ReadDictIds(docs, *reader->NewScratch(), ids, nullptr);
      REQUIRE(status.IsCorrupt() == wanted);
      REQUIRE(status.ok() != wanted);
    }
  }
}

TEST_CASE("multi-value rows are the same however many of them are wanted") {
  std::mt19937 random(3);
  std::vector<std::vector<uint32_t>> rows(kDocs);
  BitWriter starts, bits;
  size_t values = 0;
  std::vector<size_t> row_starts;
  for (std::vector<uint32_t>& row : rows) {
    // Mostly short rows, some longer than a word of the bitmap.
    row.resize(1 + (random() % 50 == 0 ? random() % 300 : random() % 4));
    row_starts.push_back(values);
    values += row.size();
    for (size_t i = 0; i < row.size(); ++i) {
      starts.Add(i == 0, 1);
      bits.Add(row[i] = random() % 512, 9);
    }
  }
  const auto docs_per_chunk = static_cast<uint32_t>(CeilDivide(2048, values / kDocs));
  std::string bytes;
  for (uint32_t doc = 0; doc < kDocs; doc += docs_per_chunk) {
    uint8_t offset[4];
    StoreBigEndian(static_cast<uint32_t>(row_starts[doc]), offset);
    bytes.append(reinterpret_cast<const char*>(offset), 4);
  }
  bytes += starts.bytes() + bits.bytes();
  const ForwardIndexShape shape = {.type = DataType::kInt,
                                   .multi_value = true,
                                   .dictionary_encoded = true,
                                   .document_count = kDocs,
                                   .cardinality = 512,
                                   .bits_per_element = 9,
                                   .total_entries = static_cast<int64_t>(values)};
  const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
  for (const std::vector<uint32_t>& docs : DocLists()) {
    CAPTURE(docs.size());
    std::vector<uint32_t> ids, offsets;
    REQUIRE(reader->ReadDictIds(docs, *reader->NewScratch(), ids, &offsets).ok());
    std::vector<uint32_t> expected, expected_offsets = {0};
    for (const uint32_t doc : docs) {
      expected.insert(expected.end(), rows[doc].begin(), rows[doc].end());
      expected_offsets.push_back(static_cast<uint32_t>(expected.size()));
    }
    REQUIRE(offsets == expected_offsets);
    REQUIRE(ids == expected);
  }
  // A chunk that does not start where the rows before it end is refused by every walk over it.
  StoreBigEndian(static_cast<uint32_t>(row_starts[docs_per_chunk + 1]),
                 reinterpret_cast<uint8_t*>(bytes.data()) + 4);
  std::vector<uint32_t> all(kDocs), ids, offsets;
  std::iota(all.begin(), all.end(), 0);
  CHECK(reader->ReadDictIds(all, *reader->NewScratch(), ids, &offsets).IsCorrupt());
}

TEST_CASE("uncompressed values are the same however many of them are wanted") {
  std::string bytes;
  const auto add = [&](uint32_t number) {
    uint8_t stored[4];
    StoreBigEndian(number, stored);
    bytes.append(reinterpret_cast<const char*>(stored), 4);
  };
  constexpr uint32_t kChunkDocs = 1024, kChunks = (kDocs + kChunkDocs - 1) / kChunkDocs;
  for (const uint32_t field : {2U, kChunks, kChunkDocs, 4U, kDocs, 0U, 28U}) add(field);
  for (uint32_t chunk = 0; chunk < kChunks; ++chunk) add(28 + kChunks * 4 + chunk * kChunkDocs * 4);
  for (uint32_t doc = 0; doc < kDocs; ++doc) add(doc * 2654435761U);
  const ForwardIndexShape shape = {.type = DataType::kInt, .document_count = kDocs};
  const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
  ColumnVector out(DataType::kString);
  for (const std::vector<uint32_t>& docs : DocLists()) {
    CAPTURE(docs.size());
    REQUIRE(reader->ReadValues(docs, *reader->NewScratch(), out).ok());
    REQUIRE(out.value_type() == ValueType{DataType::kInt, false});
    REQUIRE(out.size() == docs.size());
    REQUIRE(out.flat_size() == docs.size());
    for (size_t i = 0; i < docs.size(); ++i) {
      REQUIRE(out.values<int32_t>()[i] == static_cast<int32_t>(docs[i] * 2654435761U));
    }
  }
}

TEST_CASE("a list that does not ascend or leaves the column is refused, sparse or dense") {
  BitWriter bits, numbers;
  for (uint32_t doc = 0; doc < kDocs; ++doc) bits.Add(doc % 8, 3);
  for (uint32_t doc = 0; doc < kDocs; ++doc) numbers.Add(doc, 32);
  const ForwardIndexShape id_shape = {.type = DataType::kInt,
                                      .dictionary_encoded = true,
                                      .document_count = kDocs,
                                      .cardinality = 8,
                                      .bits_per_element = 3};
  const auto ids_reader = OpenForwardIndex(AsBytes(bits.bytes()), id_shape).value();
  BitWriter header;
  constexpr uint32_t kChunkDocs = kDocs;
  for (const uint32_t field : {2U, 1U, kChunkDocs, 4U, kDocs, 0U, 28U, 32U}) header.Add(field, 32);
  const std::string file = header.bytes() + numbers.bytes();
  const auto reader =
      OpenForwardIndex(AsBytes(file), {.type = DataType::kInt, .document_count = kDocs}).value();
  for (const std::vector<uint32_t>& docs : DocLists()) {
    if (docs.size() < 3 || docs.back() - docs.front() == docs.size() - 1) continue;
    for (const size_t at : {size_t{1}, docs.size() / 2, docs.size() - 1}) {
      for (const uint32_t bad : {docs[at - 1], kDocs, UINT32_MAX}) {
        CAPTURE(docs.size(), at, bad);
        std::vector<uint32_t> list = docs, ids;
        list[at] = bad;
        CHECK(ids_reader->ReadDictIds(list, *ids_reader->NewScratch(), ids, nullptr).code() ==
              StatusCode::kInvalidArgument);
        ColumnVector out;
        CHECK(reader->ReadValues(list, *reader->NewScratch(), out).code() ==
              StatusCode::kInvalidArgument);
      }
    }
  }
}

}  // namespace
}  // namespace trellis::column
