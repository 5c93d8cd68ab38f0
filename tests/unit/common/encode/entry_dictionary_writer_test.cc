#include <catch2/catch.hpp>
#include <random>

#include "common/encode/forward_writers.h"
#include "read_rows.h"
#include "written_file.h"

namespace trellis::encode {
namespace {

using namespace std::string_literals;
using Ids = std::vector<uint32_t>;

TEST_CASE("equal rows are stored once, in the order they come", "[entry_dictionary_writer]") {
  WrittenFile written;
  const auto writer = NewEntryDictionaryWriter(4, 3, written.file());
  const Ids ids = {5, 6, 1, 5, 6};
  REQUIRE(writer->Append(ids, Ids{0, 2, 3}).ok());
  REQUIRE(writer->Append(ids, Ids{3, 5, 5}).ok());  // the first row again, and an empty one
  REQUIRE(writer->Finish().ok());
  // Rows 0 1 0 2 in 2 bits; starts 0 2 3 3 in 2 bits; values 101 110 001.
  CHECK(written.Text() ==
        "\xFF\xAB\xCD\xEF\0\1\3\2"
        "\0\0\0\3\0\0\0\3\0\0\0\x19\0\0\0\x1A"
        "\x12\x2F\xB8\x80"s);
}

TEST_CASE("rows of an entry dictionary are read back", "[entry_dictionary_writer]") {
  std::mt19937 random(2);
  constexpr uint32_t kDocuments = 30'000;
  Ids ids, offsets = {0};
  for (uint32_t row = 0; row < kDocuments; ++row) {
    for (uint32_t size = random() % 4; size > 0; --size) ids.push_back(random() % 20);
    offsets.push_back(static_cast<uint32_t>(ids.size()));
  }
  WrittenFile written;
  const auto writer = NewEntryDictionaryWriter(kDocuments, 5, written.file());
  REQUIRE(writer->Append(ids, std::span(offsets).first(1001)).ok());
  REQUIRE(writer->Append(ids, std::span(offsets).subspan(1000)).ok());
  REQUIRE(writer->Finish().ok());
  // At most 1 + 20 + 400 + 8000 rows are different.
  CHECK(written.Bytes().size() < kDocuments * 14 / 8 + 8421 * 5);
  CheckRows(written.Bytes(), 5, ids, offsets);
}

TEST_CASE("an entry dictionary of other documents is refused", "[entry_dictionary_writer]") {
  const auto code = [](uint32_t documents, const Ids& ids, const Ids& offsets) {
    WrittenFile written;
    const auto writer = NewEntryDictionaryWriter(documents, 2, written.file());
    const Status status = writer->Append(ids, offsets);
    return status.ok() ? writer->Finish().code() : status.code();
  };
  CHECK(code(2, {1, 2}, {0, 1, 2}) == StatusCode::kOk);
  CHECK(code(1, {1, 2}, {0, 1, 2}) == StatusCode::kInvalidArgument);
  CHECK(code(3, {1, 2}, {0, 1, 2}) == StatusCode::kInvalidArgument);
  CHECK(code(2, {1, 4}, {0, 1, 2}) == StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace trellis::encode
