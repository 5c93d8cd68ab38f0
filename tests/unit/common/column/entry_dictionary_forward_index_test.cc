#include <catch2/catch.hpp>

#include "tests/unit/common/column/container_bytes.h"

namespace trellis::column {
namespace {

// The rows {2, 0}, {} and {1}; documents 0 and 3 share the first.
struct Fields {
  int version = 1;
  int id_bits = 2, row_bits = 2;
  int64_t rows = 3, values = 3;
  std::vector<uint32_t> documents = {0, 2, 1, 0};
  std::vector<uint32_t> starts = {0, 2, 2, 3};
  std::vector<uint32_t> ids = {2, 0, 1};
  int64_t starts_at = 25, ids_at = 26;
};

std::string Bytes(const Fields& f) {
  return "\xFF\xAB\xCD\xEF" + BigEndian(f.version, 2) +
         std::string(1, static_cast<char>(f.id_bits)) +
         std::string(1, static_cast<char>(f.row_bits)) + BigEndian(f.rows) + BigEndian(f.values) +
         BigEndian(f.starts_at) + BigEndian(f.ids_at) + Packed(f.documents, 2) +
         Packed(f.starts, 2) + Packed(f.ids, 2);
}

ForwardIndexShape MultiValue(uint32_t docs, uint32_t cardinality = 3) {
  return {.type = DataType::kInt,
          .multi_value = true,
          .dictionary_encoded = true,
          .document_count = docs,
          .cardinality = cardinality,
          .bits_per_element = 2,
          .total_entries = 5};
}

Status ReadIds(const std::string& bytes, const ForwardIndexShape& shape,
               const std::vector<uint32_t>& docs, std::vector<uint32_t>& ids,
               std::vector<uint32_t>& offsets) {
  TRELLIS_ASSIGN_OR_RETURN(const auto reader, OpenForwardIndex(AsBytes(bytes), shape));
  return reader->ReadDictIds(docs, *reader->NewScratch(), ids, &offsets);
}

TEST_CASE("rows that are stored once are read for each of their documents, empty ones too") {
  std::vector<uint32_t> ids, offsets;
  REQUIRE(ReadIds(Bytes({}), MultiValue(4), AllDocs(4), ids, offsets).ok());
  CHECK(ids == std::vector<uint32_t>{2, 0, 1, 2, 0});
  CHECK(offsets == std::vector<uint32_t>{0, 2, 3, 3, 5});
  REQUIRE(ReadIds(Bytes({}), MultiValue(4), {1, 3}, ids, offsets).ok());
  CHECK(ids == std::vector<uint32_t>{1, 2, 0});
  CHECK(offsets == std::vector<uint32_t>{0, 1, 3});
  REQUIRE(ReadIds(Bytes({}), MultiValue(4), {}, ids, offsets).ok());
  CHECK(offsets == std::vector<uint32_t>{0});
  CHECK_FALSE(ReadIds(Bytes({}), MultiValue(4), {4}, ids, offsets).ok());
}

TEST_CASE("headers, counts and offsets that disagree are refused") {
  const auto corrupt = [](const Fields& fields, uint32_t cardinality = 3) {
    std::vector<uint32_t> ids, offsets;
    return ReadIds(Bytes(fields), MultiValue(4, cardinality), AllDocs(4), ids, offsets).IsCorrupt();
  };
  REQUIRE_FALSE(corrupt({}));
  CHECK(corrupt({}, 2));  // a dictId beyond the dictionary
  CHECK(corrupt({.version = 2}));
  CHECK(corrupt({.id_bits = 3}));
  CHECK(corrupt({.row_bits = 1}));
  for (const int64_t bad : {int64_t{-1}, int64_t{0}, int64_t{INT32_MAX}, int64_t{INT32_MIN}}) {
    CHECK(corrupt({.rows = bad}));
    CHECK(corrupt({.values = bad}));
    CHECK(corrupt({.starts_at = bad}));
    CHECK(corrupt({.ids_at = bad}));
  }
  CHECK(corrupt({.starts_at = 26, .ids_at = 25}));
  CHECK(corrupt({.documents = {0, 3, 1, 0}}));   // a row that is not there
  CHECK(corrupt({.starts = {0, 2, 1, 3}}));      // a row that ends before it starts
  CHECK(corrupt({.values = 2, .ids = {2, 0}}));  // a row beyond the values
  const std::string good = Bytes({});
  for (size_t size = 0; size < good.size(); ++size) {
    std::vector<uint32_t> ids, offsets;
    CHECK(ReadIds(good.substr(0, size), MultiValue(4), AllDocs(4), ids, offsets).IsCorrupt());
  }
}

TEST_CASE("a batch cannot grow without bound by referring to one long row") {
  // 300 documents share one row of a million values of one bit.
  constexpr int64_t kValues = 1 << 20;
  constexpr uint32_t kDocs = 300;
  const std::string documents(38, '\0'), starts = Packed({0, kValues}, 21);
  const std::string bytes = "\xFF\xAB\xCD\xEF" + BigEndian(1, 2) + "\x01\x01" + BigEndian(1) +
                            BigEndian(kValues) + BigEndian(62) + BigEndian(68) + documents +
                            starts + std::string(kValues / 8, '\0');
  ForwardIndexShape shape = MultiValue(kDocs, 1);
  shape.bits_per_element = 1;
  std::vector<uint32_t> ids, offsets;
  REQUIRE(ReadIds(bytes, shape, {0, 299}, ids, offsets).ok());
  CHECK(ids.size() == 2 * kValues);
  const Status status = ReadIds(bytes, shape, AllDocs(kDocs), ids, offsets);
  CHECK(status.code() == StatusCode::kResourceExhausted);
  CHECK(status.message().find("batch_values_max") != std::string::npos);
}

}  // namespace
}  // namespace trellis::column
