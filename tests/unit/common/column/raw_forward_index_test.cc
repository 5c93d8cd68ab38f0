#include <malloc.h>

#include <catch2/catch.hpp>

#include "common/column/forward_index_readers.h"
#include "tests/unit/common/column/container_bytes.h"

namespace trellis::column {
namespace {

TEST_CASE("fixed-width values are read from every container version, plain and compressed") {
  for (const int version : {1, 2, 3, 4, 5, 6, 7, 8, 1000, INT32_MAX}) {
    for (const int code : {0, 1, 2, 3, 4, 5}) {
      if (version == 1 && code != 1) continue;
      CAPTURE(version, code);
      const std::string first = BigEndian(7, 8) + BigEndian(-1, 8),
                        second = BigEndian(INT64_MIN, 8);
      const std::string bytes =
          ChunkFile(version, 2, 8, 3, code, {Stored(first, code), Stored(second, code)});
      const ForwardIndexShape shape = Shape(DataType::kLong, 3);
      CHECK(Read(bytes, shape, {0, 1, 2})->values<int64_t>() ==
            std::vector<int64_t>{7, -1, INT64_MIN});
      CHECK(Read(bytes, shape, {0, 2})->values<int64_t>() == std::vector<int64_t>{7, INT64_MIN});
      CHECK(Read(bytes, shape, {})->size() == 0);
    }
  }
}

TEST_CASE("a fixed-width container whose header or chunks disagree with the column is refused") {
  const std::string chunk = BigEndian(7) + BigEndian(8);
  const ForwardIndexShape shape = Shape(DataType::kInt, 2);
  const auto corrupt = [&](const std::string& bytes) {
    return Read(bytes, shape, {0, 1}).status().IsCorrupt();
  };
  REQUIRE(Read(ChunkFile(3, 2, 4, 2, 3, {Lz4(chunk, false)}), shape, {0, 1}).ok());
  CHECK(corrupt(ChunkFile(3, 2, 8, 2, 3, {Lz4(chunk, false)})));         // entry size
  CHECK(corrupt(ChunkFile(3, 2, 4, 3, 3, {Lz4(chunk, false)})));         // documents
  CHECK(corrupt(ChunkFile(3, 1, 4, 2, 3, {Lz4(chunk, false)})));         // chunks
  CHECK(corrupt(ChunkFile(3, 0, 4, 2, 3, {Lz4(chunk, false)})));         // docs per chunk
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 9, {Lz4(chunk, false)})));         // codec
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 3, {Lz4(BigEndian(7), false)})));  // too few values
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 4, {Lz4(chunk + chunk, true)})));  // too many
  CHECK(corrupt(ChunkFile(3, 2, 4, 2, 0, {BigEndian(7)})));              // plain, too short
  const std::string good = ChunkFile(3, 2, 4, 2, 3, {Lz4(chunk, false)});
  for (size_t size = 0; size < good.size(); ++size) {
    CAPTURE(size);
    CHECK(corrupt(good.substr(0, size)));
  }
}

TEST_CASE(
    "a version 1 container whose last chunk has other documents than the segment is refused") {
  // It says nowhere how many there are: three numbers in chunks of two, a text more or less.
  const std::string numbers =
      ChunkFile(1, 2, 4, 3, 1, {Stored(BigEndian(7) + BigEndian(8), 1), Stored(BigEndian(9), 1)});
  REQUIRE(Read(numbers, Shape(DataType::kInt, 3), AllDocs(3)).ok());
  CHECK(Read(numbers, Shape(DataType::kInt, 4), AllDocs(4)).status().IsCorrupt());
  CHECK(Read(numbers, Shape(DataType::kInt, 2), AllDocs(2)).status().IsCorrupt());
  const std::string texts = ChunkFile(1, 4, 3, 3, 1, {Stored(ChunkOfRows({"abc", "", "d"}, 4), 1)});
  CHECK(Texts(*Read(texts, Shape(DataType::kString, 3), AllDocs(3))) ==
        std::vector<std::string>{"abc", "", "d"});
  CHECK(Read(texts, Shape(DataType::kString, 4), AllDocs(4)).status().IsCorrupt());
  CHECK(Read(texts, Shape(DataType::kString, 2), AllDocs(2)).status().IsCorrupt());
  const std::string plain =  // what is not SNAPPY cannot be version 1
      ChunkFile(1, 4, 3, 3, 1, {ChunkOfRows({"abc", "", "d"}, 4)});
  CHECK(Read(plain, Shape(DataType::kString, 3), AllDocs(3)).status().IsCorrupt());
}

TEST_CASE("DELTA and DELTADELTA chunks are read as the column's type, whatever width they have") {
  // Two ints are one number of 64 bits, the one of the last chunk has 32.
  const std::string first = std::string(1, '\1') + BigEndian(1) + BigEndian(7) + BigEndian(-8);
  const std::string last = std::string(1, '\0') + BigEndian(1) + BigEndian(9);
  for (const int code : {6, 7}) {
    const std::string bytes = ChunkFile(4, 2, 4, 3, code, {first, last});
    CHECK(Read(bytes, Shape(DataType::kInt, 3), AllDocs(3))->values<int32_t>() ==
          std::vector<int32_t>{7, -8, 9});
    CHECK(Read(bytes, Shape(DataType::kInt, 3), {1, 2})->values<int32_t>() ==
          std::vector<int32_t>{-8, 9});
    CHECK(Read(ChunkFile(4, 2, 4, 3, code, {first, first}), Shape(DataType::kInt, 3), AllDocs(3))
              .status()
              .IsCorrupt());  // two values where one document is
  }
}

TEST_CASE("rows of text are read from the fixed-docs container, unused slots skipped") {
  for (const int version : {1, 2, 3}) {
    for (const int code : {0, 1, 2, 3, 4, 5}) {
      if (version == 1 && code != 1) continue;
      CAPTURE(version, code);
      const std::string bytes = ChunkFile(
          version, 2, 3, 3, code,
          {Stored(ChunkOfRows({"abc", ""}, 2), code), Stored(ChunkOfRows({"d"}, 2), code)});
      const auto out = Read(bytes, Shape(DataType::kString, 3), {0, 1, 2});
      CHECK(Texts(*out) == std::vector<std::string>{"abc", "", "d"});
      CHECK(Texts(*Read(bytes, Shape(DataType::kString, 3), {2})) == std::vector<std::string>{"d"});
    }
  }
}

TEST_CASE("a zero row offset before the last document is refused") {
  std::string chunk = ChunkOfRows({"abc", "d"}, 2);
  chunk.replace(4, 4, 4, '\0');
  CHECK(Read(ChunkFile(3, 2, 3, 2, 0, {chunk}), Shape(DataType::kString, 2), {0, 1})
            .status()
            .IsCorrupt());
}

// A version 4 to 6 container of the rows of each chunk; a chunk of one row longer than the target
// less its head is huge.
std::string RowFile(int version, int code, const std::vector<std::vector<std::string>>& chunks,
                    size_t target = 4096) {
  std::vector<V4Entry> entries;
  uint32_t doc = 0;
  for (const std::vector<std::string>& rows : chunks) {
    const bool huge = rows.size() == 1 && rows[0].size() > target - 8;
    const std::string chunk = huge ? rows[0] : V4Chunk(rows, version == 6 && code != 0);
    entries.push_back({doc, huge, Stored(chunk, code, true)});
    doc += static_cast<uint32_t>(rows.size());
  }
  return V4File(version, code, entries, static_cast<int>(target));
}

TEST_CASE("versions 4 to 6 read regular and huge chunks of every codec, and a huge value twice") {
  const std::string huge(10000, 'h'), other(5000, 'o');
  const std::vector<std::vector<std::vector<std::string>>> files = {
      {{"a", "", "ccc"}, {huge}, {"z"}},
      {{huge}, {"a", "b"}},             // first
      {{"a", "b"}, {huge}},             // last
      {{huge}, {other}, {huge}, {""}},  // consecutive
      {{huge}, {other}}};               // nothing else
  for (const int version : {4, 5, 6}) {
    for (const int code : {0, 1, 2, 3, 4, 5}) {
      for (const auto& chunks : files) {
        CAPTURE(version, code);
        std::vector<std::string> rows;
        for (const auto& chunk : chunks) rows.insert(rows.end(), chunk.begin(), chunk.end());
        const std::string bytes = RowFile(version, code, chunks);
        const auto docs = static_cast<uint32_t>(rows.size());
        const ForwardIndexShape shape = Shape(DataType::kString, docs);
        CHECK(Texts(*Read(bytes, shape, AllDocs(docs))) == rows);
        const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
        const auto scratch = reader->NewScratch();
        for (uint32_t doc = 0; doc < docs; ++doc) {
          ColumnVector first, second;
          REQUIRE(reader->ReadValues(std::vector<uint32_t>{doc}, *scratch, first).ok());
          REQUIRE(reader->ReadValues(std::vector<uint32_t>{doc}, *scratch, second).ok());
          CHECK(Texts(second) == std::vector<std::string>{rows[doc]});
          REQUIRE(reader->ReadValues(std::vector<uint32_t>{0}, *scratch, second).ok());
          CHECK(Texts(first) == std::vector<std::string>{rows[doc]});  // the scratch moved on
        }
      }
    }
  }
}

TEST_CASE("a value that fills a regular chunk is read, one byte more makes it huge") {
  for (const int version : {4, 5, 6}) {
    for (const int code : {0, 1, 2, 3, 4, 5}) {
      CAPTURE(version, code);
      const std::string fits(4096 - 8, 'f'), huge(4096 - 7, 'h');
      const std::string bytes = RowFile(version, code, {{fits}, {huge}, {"a"}});
      CHECK(Texts(*Read(bytes, Shape(DataType::kString, 3), {0, 1, 2})) ==
            std::vector<std::string>{fits, huge, "a"});
    }
  }
  // The longer value as a regular chunk passes the target.
  const std::string chunk = V4Chunk({std::string(4096 - 7, 'h')});
  for (const int code : {1, 2, 3, 4, 5}) {
    CHECK(Read(V4File(4, code, {{0, false, Stored(chunk, code, true)}}),
               Shape(DataType::kString, 1), {0})
              .status()
              .IsCorrupt());
  }
}

TEST_CASE("chunks of length-prefixed LZ4 are read in any order (F1)") {
  const std::string bytes = RowFile(4, 4, {{"a", "bb"}, {"ccc", ""}, {"dddd", "e"}});
  const auto reader = OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, 6)).value();
  const auto scratch = reader->NewScratch();
  ColumnVector out;
  const auto texts = [&](std::vector<uint32_t> docs) {
    REQUIRE(reader->ReadValues(docs, *scratch, out).ok());
    return Texts(out);
  };
  CHECK(texts({2, 3}) == std::vector<std::string>{"ccc", ""});
  CHECK(texts({0, 1}) == std::vector<std::string>{"a", "bb"});
  CHECK(texts({4, 5}) == std::vector<std::string>{"dddd", "e"});
  CHECK(texts({3}) == std::vector<std::string>{""});
  CHECK(texts({1, 5}) == std::vector<std::string>{"bb", "e"});
}

TEST_CASE("one value of 21 MB among 999 of one byte costs less than thrice its memory (F3)") {
  std::vector<std::string> rows(1000, "x");
  rows[500].clear();
  for (int i = 0; rows[500].size() < 21 << 20; ++i) rows[500] += std::to_string(i) + ";";
  const std::vector<std::string> before(rows.begin(), rows.begin() + 500),
      behind(rows.begin() + 501, rows.end());
  const int longest = static_cast<int>(rows[500].size());
  for (const std::string& bytes :
       {ChunkFile(3, 1000, longest, 1000, 3, {Stored(ChunkOfRows(rows, 1000), 3)}),
        ChunkFile(3, 1000, longest, 1000, 2, {Stored(ChunkOfRows(rows, 1000), 2)}),
        RowFile(4, 4, {before, {rows[500]}, behind}, 1 << 20)}) {
    const auto in_use = [] {
      const struct mallinfo2 heap = mallinfo2();
      return heap.uordblks + heap.hblkhd;
    };
    const size_t at_first = in_use();
    const auto reader = OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, 1000)).value();
    const auto scratch = reader->NewScratch();
    ColumnVector out;
    REQUIRE(reader->ReadValues(AllDocs(1000), *scratch, out).ok());
    CHECK(in_use() - at_first < 3 * rows[500].size());
    const auto& values = out.values<std::string_view>();
    CHECK(std::equal(values.begin(), values.end(), rows.begin(), rows.end()));
  }
}

TEST_CASE("a flipped byte of a chunk names that chunk and leaves the others readable (F4)") {
  const std::vector<std::string> rows = {"value 1 of a chunk", "value 2 of a chunk"};
  for (const int code : {1, 2, 3, 4, 5}) {
    for (const bool fixed_docs : {true, false}) {
      const std::string chunk = fixed_docs ? ChunkOfRows(rows, 2) : V4Chunk(rows);
      const std::string stored = Stored(chunk, code, !fixed_docs);
      const std::string good = fixed_docs
                                   ? ChunkFile(3, 2, 18, 4, code, {stored, stored})
                                   : V4File(4, code, {{0, false, stored}, {2, false, stored}});
      const ForwardIndexShape shape = Shape(DataType::kString, 4);
      size_t refused = 0;
      for (size_t at = good.size() - stored.size(); at < good.size(); ++at) {
        CAPTURE(code, fixed_docs, at);
        std::string bytes = good;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
        CHECK(Texts(*Read(bytes, shape, {0, 1})) == rows);
        const auto damaged = Read(bytes, shape, {2, 3});
        if (damaged.ok()) continue;  // these codecs have no checksum, but for GZIP
        CHECK(damaged.status().IsCorrupt());
        CHECK(damaged.status().message().find("chunk 1") != std::string::npos);
        ++refused;
      }
      CHECK(refused >= (code == 5 ? stored.size() : 1));
    }
  }
}

TEST_CASE("a flipped byte of a chunk of numbers names that chunk (F4)") {
  const std::string chunk = BigEndian(7) + BigEndian(7) + BigEndian(7) + BigEndian(8);
  for (const int code : {1, 2, 3, 4, 5}) {
    const std::string stored = Stored(chunk, code);
    std::string bytes = ChunkFile(3, 4, 4, 8, code, {stored, stored});
    bytes.back() = static_cast<char>(bytes.back() ^ 0x55);
    bytes[bytes.size() - stored.size()] ^= 0x7f;
    const ForwardIndexShape shape = Shape(DataType::kInt, 8);
    CHECK(Read(bytes, shape, {0, 3})->values<int32_t>() == std::vector<int32_t>{7, 8});
    const Status status = Read(bytes, shape, {0, 4}).status();
    CHECK(status.IsCorrupt());
    CHECK(status.message().find("chunk 1") != std::string::npos);
  }
}

TEST_CASE("a long range of rows is announced as a scan, single documents are not") {
  const std::vector<std::string> rows(kScanDocsMin, "a");
  const auto docs = static_cast<uint32_t>(rows.size());
  const std::string fixed_docs =
      ChunkFile(3, static_cast<int>(docs), 1, static_cast<int>(docs), 0, {ChunkOfRows(rows, docs)});
  for (const std::string& bytes : {fixed_docs, V4File(4, 0, {{0, false, V4Chunk(rows)}})}) {
    const auto reader = OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, docs)).value();
    const auto scratch = reader->NewScratch();
    ColumnVector out;
    REQUIRE(reader->ReadValues(std::vector<uint32_t>{1, 2, 7}, *scratch, out).ok());
    CHECK_FALSE(scratch->scan_advised);
    REQUIRE(reader->ReadValues(AllDocs(docs), *scratch, out).ok());
    CHECK(scratch->scan_advised);
    CHECK(Texts(out) == rows);
  }
}

TEST_CASE("uncompressed strings are views into the mapping") {
  const std::string bytes = V4File(4, 0, {{0, false, V4Chunk({"abc"})}});
  const ColumnVector out = Read(bytes, Shape(DataType::kString, 1), {0}).value();
  const char* at = out.values<std::string_view>()[0].data();
  CHECK((at > bytes.data() && at < bytes.data() + bytes.size()));
}

TEST_CASE("a chunk table that does not tile the documents and the data is refused") {
  const std::string chunk = V4Chunk({"a"});
  const auto corrupt = [](const std::string& bytes, uint32_t docs) {
    return OpenForwardIndex(AsBytes(bytes), Shape(DataType::kString, docs)).status().IsCorrupt();
  };
  REQUIRE_FALSE(corrupt(V4File(4, 0, {{0, false, chunk}, {1, false, chunk}}), 2));
  CHECK(corrupt(V4File(4, 0, {{1, false, chunk}}), 2));  // first document is not 0
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}, {0, false, chunk}}), 2));  // no progress
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}, {2, false, chunk}}), 2));  // beyond the segment
  CHECK(corrupt(V4File(4, 0, {{0, true, chunk}}), 2));                 // huge with two documents
  CHECK(corrupt(V4File(4, 0, {}), 2));                                 // nothing
  CHECK(corrupt(V4File(4, 0, {{0, false, chunk}}).substr(0, 20), 1));  // table cut
  CHECK(corrupt(V4File(4, 9, {{0, false, chunk}}), 1));                // codec
}

TEST_CASE("a version 4 chunk cut short anywhere or with other counts is refused") {
  const ForwardIndexShape shape = Shape(DataType::kString, 2);
  const std::string good = V4File(4, 0, {{0, false, V4Chunk({"abc", "de"})}});
  REQUIRE(Read(good, shape, {0, 1}).ok());
  for (size_t size = 0; size < good.size() - 5; ++size) {  // the last row ends with the buffer
    CAPTURE(size);
    CHECK(Read(good.substr(0, size), shape, {0, 1}).status().IsCorrupt());
  }
  CHECK(Read(V4File(4, 0, {{0, false, V4Chunk({"abc"})}}), shape, {0}).status().IsCorrupt());
  CHECK(Read(V4File(4, 4, {{0, false, Lz4(V4Chunk({"abc", std::string(100, 'x')}), true)}}, 64),
             shape, {0})
            .status()
            .IsCorrupt());  // beyond the target size
}

TEST_CASE("multi-value numbers are read with stored and with implied lengths") {
  const std::string one = BigEndian(5), two = BigEndian(6) + BigEndian(-7);
  const std::vector<std::string> stored = {BigEndian(1) + one, BigEndian(0), BigEndian(2) + two};
  const std::vector<std::string> implied = {one, "", two};
  const ForwardIndexShape shape = Shape(DataType::kInt, 3, true);
  for (const std::string& bytes :
       {ChunkFile(3, 4, 12, 3, 0, {ChunkOfRows(stored, 4)}),
        V4File(4, 0, {{0, false, V4Chunk(stored)}}), V4File(5, 0, {{0, false, V4Chunk(implied)}}),
        V4File(6, 4, {{0, false, Lz4(V4Chunk(implied, true), true)}})}) {
    const ColumnVector out = Read(bytes, shape, {0, 1, 2}).value();
    CHECK(out.size() == 3);
    CHECK(out.offsets() == std::vector<uint32_t>{0, 1, 1, 3});
    CHECK(out.values<int32_t>() == std::vector<int32_t>{5, 6, -7});
  }
}

TEST_CASE("multi-value rows of no, one and a thousand values are read in every version (F9)") {
  const std::vector<size_t> lengths = {0, 1, 1000, 0};
  std::vector<std::string> stored, implied, texts;
  std::vector<int32_t> numbers;
  std::vector<std::string> words;
  for (const size_t length : lengths) {
    std::string values, sizes, letters;
    for (size_t i = 0; i < length; ++i) {
      numbers.push_back(static_cast<int32_t>(i) - 7);
      values += BigEndian(numbers.back());
      words.push_back(std::string(i % 3, static_cast<char>('a' + i % 26)));
      sizes += BigEndian(static_cast<int64_t>(words.back().size()));
      letters += words.back();
    }
    const std::string count = BigEndian(static_cast<int64_t>(length));
    implied.push_back(values);
    stored.push_back(count + values);
    texts.push_back(count + sizes + letters);
  }
  const std::vector<uint32_t> offsets = {0, 0, 1, 1001, 1001};
  for (const int version : {1, 2, 3, 4, 5, 6}) {
    for (const int code : {0, 1, 2, 3, 4, 5}) {
      if (version == 1 && code != 1) continue;
      CAPTURE(version, code);
      const auto file = [&](const std::vector<std::string>& rows) {
        if (version >= 4) return RowFile(version, code, {{rows[0], rows[1]}, {rows[2]}, {rows[3]}});
        return ChunkFile(version, 3, 9000, 4, code,
                         {Stored(ChunkOfRows({rows[0], rows[1], rows[2]}, 3), code),
                          Stored(ChunkOfRows({rows[3]}, 3), code)});
      };
      const auto ints =
          Read(file(version >= 5 ? implied : stored), Shape(DataType::kInt, 4, true), AllDocs(4));
      REQUIRE(ints.ok());
      CHECK(ints->offsets() == offsets);
      CHECK(ints->values<int32_t>() == numbers);
      const std::string payload = file(texts);  // which views point into
      const auto strings = Read(payload, Shape(DataType::kString, 4, true), AllDocs(4));
      REQUIRE(strings.ok());
      CHECK(strings->offsets() == offsets);
      CHECK(Texts(*strings) == words);
    }
  }
}

TEST_CASE("multi-value strings are read and damaged rows refused") {
  const std::string row = BigEndian(2) + BigEndian(1) + BigEndian(2) + "abc";
  const ForwardIndexShape shape = Shape(DataType::kString, 1, true);
  const ColumnVector out =
      Read(V4File(4, 4, {{0, false, Lz4(V4Chunk({row}), true)}}), shape, {0}).value();
  CHECK(Texts(out) == std::vector<std::string>{"a", "bc"});
  CHECK(out.offsets() == std::vector<uint32_t>{0, 2});
  CHECK(Read(V4File(4, 0, {{0, false, V4Chunk({row + "x"})}}), shape, {0}).status().IsCorrupt());
}

TEST_CASE("decimals and UUIDs of impossible lengths are refused") {
  const std::string bytes = V4File(4, 0, {{0, false, V4Chunk({"ab"})}});
  CHECK(Read(bytes, Shape(DataType::kBigDecimal, 1), {0}).status().IsCorrupt());
  CHECK(Read(bytes, Shape(DataType::kUuid, 1), {0}).status().IsCorrupt());
  CHECK(Read(bytes, Shape(DataType::kBytes, 1), {0}).ok());
}

TEST_CASE("a V4 chunk table that changes after opening is an error, not a read outside") {
  const std::string chunk = V4Chunk({"a"});
  const std::string good =
      V4File(4, 0, {{0, false, chunk}, {1, false, chunk}, {2, false, V4Chunk({"b", "c"})}});
  const ForwardIndexShape shape = Shape(DataType::kString, 4);
  REQUIRE(Texts(*Read(good, shape, AllDocs(4))) == std::vector<std::string>{"a", "a", "b", "c"});
  size_t refused = 0;
  for (size_t at = 16; at < 40; at += 4) {
    for (const uint32_t written : {0U, 1U, 9U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
      CAPTURE(at, written);
      std::string bytes = good;
      const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
      bytes.replace(at, 4, LittleEndian(written));
      for (uint32_t doc = 0; doc < 4; ++doc) {
        const auto scratch = reader->NewScratch();
        ColumnVector out;
        const Status status = reader->ReadValues(std::vector<uint32_t>{doc}, *scratch, out);
        refused += status.ok() ? 0 : 1;
        if (!status.ok()) CHECK(status.IsCorrupt());
      }
    }
  }
  CHECK(refused > 0);
  std::string bytes = good;
  const auto reader = OpenForwardIndex(AsBytes(bytes), shape).value();
  bytes.replace(28, 4, LittleEndian(0xffffffff));  // where the second chunk starts
  const auto scratch = reader->NewScratch();
  ColumnVector out;
  CHECK(reader->ReadValues(AllDocs(4), *scratch, out).IsCorrupt());
}

}  // namespace
}  // namespace trellis::column
