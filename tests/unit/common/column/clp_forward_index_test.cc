#include <catch2/catch.hpp>

#include "tests/unit/common/column/container_bytes.h"

namespace trellis::column {
namespace {

// Five messages: two variables of the dictionary, an encoded number, an encoded fraction, nothing.
const std::vector<std::string> kLogtypes = {"host \x12 took \x11 ms", "at \x13 of \x12 \x12",
                                            "idle"};
const std::vector<std::string> kVariables = {"h1", "", "null"};
const std::vector<std::string> kMessages = {"host h1 took 15 ms", "at -12.50 of h1 ", "idle",
                                            "host  took -1 ms", "idle"};
const std::vector<uint32_t> kLogtypeIds = {0, 1, 2, 0, 2};
// Digits after the point 2, digits 4, 1250, negative.
const int64_t kFraction = static_cast<int64_t>(0x8000000000000000 | 1250 << 8 | 3 << 4 | 1);

std::string Parts(const std::vector<std::string>& parts) {
  std::string lengths, bytes;
  for (const std::string& part : parts) {
    lengths += BigEndian(static_cast<int64_t>(part.size()));
    bytes += part;
  }
  return lengths + bytes;
}

// Rows of bit-packed multi-values: one chunk offset, the bitmap of starts, the ids.
std::string Version1(std::string encoded_rows = "") {
  const std::vector<uint32_t> starts = {1, 1, 0, 1, 1, 1}, ids = {0, 0, 1, 2, 1, 2};
  const auto row = [](std::vector<int64_t> values) {
    std::string bytes = BigEndian(static_cast<int64_t>(values.size()));
    for (const int64_t value : values) bytes += BigEndian(value, 8);
    return bytes;
  };
  if (encoded_rows.empty()) {
    encoded_rows =
        V4Chunk({row({15}), row({kFraction}), row({INT64_MIN}), row({-1}), row({INT64_MIN})});
  }
  return "CLP.v1" + BigEndian(1) + BigEndian(static_cast<int64_t>(ids.size())) + BigEndian(14) +
         BigEndian(4) +
         Parts({VarLengthBytes(kLogtypes), VarLengthBytes(kVariables), Packed(kLogtypeIds, 2),
                BigEndian(0) + Packed(starts, 1) + Packed(ids, 2),
                V4File(4, 4, {{0, false, Lz4(encoded_rows, true)}})});
}

std::string Version2(const std::vector<uint32_t>& logtype_ids = kLogtypeIds) {
  std::string logtypes;
  for (const uint32_t id : logtype_ids) logtypes += BigEndian(id);
  const std::string ids =
      V4Chunk({BigEndian(0), BigEndian(0) + BigEndian(1), "", BigEndian(1), ""});
  const std::string encoded =
      V4Chunk({BigEndian(15, 8), BigEndian(kFraction, 8), "", BigEndian(-1, 8), ""});
  return "CLP.v2" + BigEndian(2) + BigEndian(1) + BigEndian(3) + BigEndian(3) +
         Parts({VarLengthBytes(kLogtypes), VarLengthBytes(kVariables),
                ChunkFile(5, 262144, 4, 5, 4, {Lz4(logtypes, true)}),
                V4File(5, 4, {{0, false, Lz4(ids, true)}}),
                V4File(5, 4, {{0, false, Lz4(encoded, true)}})});
}

TEST_CASE("messages are put together again from both versions, whole and in part") {
  const ForwardIndexShape shape = Shape(DataType::kString, 5);
  for (const std::string& bytes : {Version1(), Version2()}) {
    CAPTURE(bytes.substr(0, 6));
    CHECK(Texts(Read(bytes, shape, AllDocs(5)).value()) == kMessages);
    CHECK(Texts(Read(bytes, shape, {1, 3}).value()) ==
          std::vector<std::string>{kMessages[1], kMessages[3]});
    CHECK(Texts(Read(bytes, shape, {4}).value()) == std::vector<std::string>{"idle"});
    CHECK(Read(bytes, shape, {})->size() == 0);
    CHECK_FALSE(Read(bytes, shape, {5}).ok());
  }
}

TEST_CASE("one scratch serves batch after batch, and messages outlive it") {
  for (const std::string& bytes : {Version1(), Version2()}) {
    const auto reader = OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, 5)).value();
    CHECK_FALSE(reader->is_dictionary_encoded());
    auto scratch = reader->NewScratch();
    ColumnVector first, second;
    REQUIRE(reader->ReadValues(std::vector<uint32_t>{0, 1}, *scratch, first).ok());
    REQUIRE(reader->ReadValues(std::vector<uint32_t>{2, 3, 4}, *scratch, second).ok());
    scratch.reset();
    CHECK(Texts(first) == std::vector<std::string>{kMessages[0], kMessages[1]});
    CHECK(Texts(second) == std::vector<std::string>{kMessages[2], kMessages[3], kMessages[4]});
  }
}

TEST_CASE("the messages of version 2 may be stored as they are") {
  const std::string file = V4File(5, 4, {{0, false, Lz4(V4Chunk(kMessages), true)}});
  const std::string bytes =
      "CLP.v2" + BigEndian(2) + BigEndian(0) + BigEndian(static_cast<int64_t>(file.size())) + file;
  CHECK(Texts(Read(bytes, Shape(DataType::kString, 5), AllDocs(5)).value()) == kMessages);
}

TEST_CASE("a column without any variable has an empty dictionary of them") {
  const std::string none = V4Chunk({"", ""});
  const std::string bytes =
      "CLP.v2" + BigEndian(2) + BigEndian(1) + BigEndian(1) + BigEndian(0) +
      Parts({VarLengthBytes({"idle"}), VarLengthBytes({}),
             ChunkFile(5, 262144, 4, 2, 0, {BigEndian(0) + BigEndian(0)}),
             V4File(5, 0, {{0, false, none}}), V4File(5, 0, {{0, false, none}})});
  CHECK(Texts(Read(bytes, Shape(DataType::kString, 2), {0, 1}).value()) ==
        std::vector<std::string>{"idle", "idle"});
}

TEST_CASE("ids outside the dictionaries and wrong counts of variables name the document") {
  const auto status = [](const std::string& bytes) {
    return Read(bytes, Shape(DataType::kString, 5), AllDocs(5)).status();
  };
  for (const uint32_t logtype : {3U, 0x80000000U, 0xffffffffU}) {
    const Status found = status(Version2({0, 1, logtype, 0, 2}));
    CHECK(found.IsCorrupt());
    CHECK(found.message().find("document 2 ") != std::string::npos);
  }
  const Status wrong = status(Version2({0, 1, 2, 1, 2}));  // uses a variable more than its row has
  CHECK(wrong.IsCorrupt());
  CHECK(wrong.message().find("document 3:") != std::string::npos);
  const std::string row = BigEndian(1) + BigEndian(15, 8), rows = V4Chunk({row, row, row, row});
  CHECK(status(Version1(rows)).IsCorrupt());  // four rows for five documents
}

TEST_CASE("a CLP index of a column that holds no single texts is refused") {
  for (const std::string& bytes : {Version1(), Version2()}) {
    CHECK(OpenForwardIndex(AsBytes(bytes), Shape(DataType::kInt, 5)).status().IsCorrupt());
    CHECK(OpenForwardIndex(AsBytes(bytes), Shape(DataType::kBytes, 5)).status().IsCorrupt());
    CHECK(OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, 5, true)).status().IsCorrupt());
    for (size_t size = 0; size < bytes.size(); ++size) {
      CHECK(Read(bytes.substr(0, size), Shape(DataType::kString, 5), AllDocs(5))
                .status()
                .IsCorrupt());
    }
  }
  CHECK(OpenForwardIndex(AsBytes("CLP.v3" + Version2().substr(6)), Shape(DataType::kString, 5))
            .status()
            .IsCorrupt());
}

}  // namespace
}  // namespace trellis::column
