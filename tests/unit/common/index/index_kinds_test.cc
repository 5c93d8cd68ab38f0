#include "common/index/index_kinds.h"

#include <catch2/catch.hpp>

#include "tests/unit/common/index/range_index_bytes.h"

namespace trellis::index {
namespace {

std::string Described(std::string_view id, const std::string& bytes) {
  const IndexDescription description = DescribeIndex(id, AsBytes(bytes));
  return description.kind + ": " + description.detail + (description.used ? "" : ", not used");
}

TEST_CASE("each kind of index is named with what its header says") {
  CHECK(Described("range_index", BitSlicedBytes({5, 9, 1})) ==
        "bit-sliced range index: version 2, 4 slices, 3 rows");
  CHECK(Described("range_index", BucketedBytes<int64_t>("LONG", {1, 5, 9}, {{1}, {9}})) ==
        "bucketed range index: version 1, 2 ranges of LONG");
  CHECK(Described("inverted_index", InvertedBytes({Roaring::bitmapOf(1, 0u)})) ==
        "inverted index: 26 bytes");
  CHECK_THAT(Described("inverted_index", LegacyInvertedBytes({"a"}, {Roaring::bitmapOf(1, 0u)})),
             Catch::StartsWith("inverted index with a dictionary of its own: as releases 1.5.0 and "
                               "1.5.1 wrote it, 1 values"));
  CHECK(Described("json_index", JsonIndexBytes({{".a", {0, 1}}}, {0, 1})) ==
        "JSON index: version 2, 26 bytes of keys, 2 flattened documents, not used");
  const std::string h3 = BigEndianBytes<int32_t>(1) + BigEndianBytes<int32_t>(12) +
                         BigEndianBytes<uint16_t>(1 << 5 | 1 << 13);
  CHECK(Described("h3_index", h3) == "H3 index: version 1, 12 cells, resolutions 5,13, not used");
  const std::string text = "LUCENE_V2" + LittleEndianBytes<int32_t>(2) +
                           LittleEndianBytes<int64_t>(4711) + LittleEndianBytes<int32_t>(6) +
                           LittleEndianBytes<int32_t>(0);
  CHECK(Described("text_index", text) ==
        "Lucene text index in one file: version 2, 6 files, 4711 bytes, not used");
  CHECK(Described("text_index", "abc") == "Lucene text index: 3 bytes, not used");
  CHECK(Described("ifst_index", "abc") ==
        "case-insensitive FST index: Lucene transducer, 3 bytes, not used");
  CHECK(Described("vector_index", "ab") == "vector index: 2 bytes, not used");
  CHECK(Described("map_index", "abcd") == "unknown index: 4 bytes, not used");
}

TEST_CASE("a header cut short, or of an unknown version, is said to be so") {
  for (const char* id : {"range_index", "inverted_index", "bloom_filter", "json_index", "h3_index"})
    CHECK_THAT(Described(id, "abc"), Catch::Contains("damaged header, 3 bytes"));
  CHECK_THAT(Described("text_index", "LUCENE_V2abcd"), Catch::Contains("damaged header"));
  CHECK(Described("range_index", BigEndianBytes<int32_t>(9)) ==
        "range index: unknown version 9, 4 bytes, not used");
}

}  // namespace
}  // namespace trellis::index
