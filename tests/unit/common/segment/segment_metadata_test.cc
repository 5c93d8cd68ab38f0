#include "common/segment/segment_metadata.h"

#include <catch2/catch.hpp>

#include "common/segment/column_metadata.h"

namespace trellis::segment {
namespace {

const std::string kHead =
    "segment.name = s\nsegment.total.docs = 10\nsegment.index.version = v3\nsegment.table.name = "
    "t\n";

std::string Column(const std::string& name, const std::string& type, const std::string& more = "") {
  const std::string prefix = "column." + name + ".";
  return prefix + "columnType = DIMENSION\n" + prefix + "dataType = " + type + "\n" + prefix +
         "cardinality = 3\n" + more;
}

SegmentMetadata Parse(const std::string& text) {
  auto metadata = ParseSegmentMetadata(text, "");
  CAPTURE(metadata.status().message());
  REQUIRE(metadata.ok());
  return std::move(metadata).value();
}

TEST_CASE("columns are the union of the lists, without virtual ones, in name order") {
  const SegmentMetadata metadata = Parse(
      kHead + "segment.dimension.column.names = b,$docId,a\nsegment.complex.column.names = b\n" +
      "segment.time.column.name = c\n" + Column("a", "INT") + Column("b", "STRING") +
      Column("c", "LONG"));
  REQUIRE(metadata.columns.size() == 3);
  CHECK(metadata.columns[0].field.name == "a");
  CHECK(metadata.columns[2].field.name == "c");
  CHECK(metadata.Find("b")->field.type == DataType::kString);
  CHECK(metadata.Find("B") == nullptr);
  CHECK(metadata.document_count == 10);
}

TEST_CASE("encoding follows forwardIndexEncoding, and hasDictionary where that is absent") {
  const std::string lists = "segment.dimension.column.names = a,b,c\n";
  const SegmentMetadata metadata =
      Parse(kHead + lists + Column("a", "INT", "column.a.forwardIndexEncoding = RAW\n") +
            Column("b", "INT", "column.b.hasDictionary = false\n") + Column("c", "INT"));
  CHECK(metadata.Find("a")->has_dictionary);
  CHECK_FALSE(metadata.Find("a")->dictionary_encoded);
  CHECK_FALSE(metadata.Find("b")->dictionary_encoded);
  CHECK(metadata.Find("c")->dictionary_encoded);
}

TEST_CASE("bounds are typed as their column and left out when they cannot be read") {
  const std::string lists = "segment.dimension.column.names = d,i,s,x\n";
  const SegmentMetadata metadata = Parse(
      kHead + lists + Column("i", "INT", "column.i.minValue = -5\ncolumn.i.maxValue = 7\n") +
      Column("d", "DOUBLE", "column.d.minValue = -Infinity\ncolumn.d.maxValue = 1.0E10\n") +
      Column("s", "STRING",
             "column.s.minValue = \\u0000 a\\u0000\\u0000b \\u0000\ncolumn.s.maxValue = x,y\n") +
      Column("x", "LONG", "column.x.minValue = many\n"));
  CHECK(*metadata.Find("i")->min_value == Value::Int(-5));
  CHECK(metadata.Find("d")->max_value->float64() == 1e10);
  CHECK(metadata.Find("s")->min_value->bytes() == " a,b ");
  CHECK(metadata.Find("s")->max_value->bytes() == "x,y");  // an older writer's comma
  CHECK_FALSE(metadata.Find("x")->min_value.has_value());
}

TEST_CASE("bounds of text are certain when 1.5.0 or later wrote them and they are not cut") {
  const std::string cut(512, '1');
  const std::string text =
      kHead + "segment.dimension.column.names = b,i,n,s,t\n" +
      Column("i", "INT", "column.i.minValue = 1\n") +
      Column("s", "STRING", "column.s.minValue = a\ncolumn.s.maxValue = b\n") +
      Column("t", "STRING", "column.t.minValue = 1\ncolumn.t.maxValue = " + cut + "\n") +
      Column("n", "BIG_DECIMAL", "column.n.minValue = -" + cut + "\ncolumn.n.maxValue = 1\n") +
      Column("b", "BYTES", "column.b.minValue = 01\ncolumn.b.maxValue = " + cut + "\n");
  for (const bool data_crc : {false, true}) {
    const auto metadata = ParseSegmentMetadata(text, std::string(data_crc ? 24 : 16, '\0'));
    REQUIRE(metadata.ok());
    CHECK(metadata->Find("i")->min_certain);
    CHECK(metadata->Find("s")->min_certain == data_crc);
    CHECK(metadata->Find("s")->max_certain == data_crc);
    CHECK(metadata->Find("t")->min_certain == data_crc);
    CHECK_FALSE(metadata->Find("t")->max_certain);
    CHECK(metadata->Find("t")->max_value->bytes() == cut);
    // Other digits are another number.
    CHECK_FALSE(metadata->Find("n")->min_value.has_value());
    CHECK(metadata->Find("n")->max_value.has_value());
    CHECK(metadata->Find("b")->min_value.has_value());
    CHECK_FALSE(metadata->Find("b")->max_value.has_value());
  }
}

TEST_CASE("a default null value is typed, and falls back to the type's own") {
  const std::string lists = "segment.dimension.column.names = a,b\n";
  const SegmentMetadata metadata =
      Parse(kHead + lists + Column("a", "LONG", "column.a.defaultNullValue = -1\n") +
            Column("b", "STRING"));
  CHECK(metadata.Find("a")->field.default_null == Value::Long(-1));
  CHECK(metadata.Find("b")->field.default_null == Value::String("null"));
}

TEST_CASE("a column whose name holds dots, blanks and = keeps its keys") {
  const SegmentMetadata metadata =
      Parse(kHead + "segment.dimension.column.names = a.b,a,k=v w\n" + Column("a.b", "INT") +
            Column("a", "LONG") + Column("k\\=v\\ w", "FLOAT"));
  CHECK(metadata.Find("a.b")->field.type == DataType::kInt);
  CHECK(metadata.Find("a.b")->cardinality == 3);
  CHECK(metadata.Find("a")->field.type == DataType::kLong);
  CHECK(metadata.Find("k=v w")->field.type == DataType::kFloat);
}

TEST_CASE("legacy partition ranges are spread out and wild ones are dropped whole") {
  const std::string partitioned =
      "column.a.partitionFunction = Modulo\ncolumn.a.numPartitions = 4\n";
  const std::string lists = "segment.dimension.column.names = a\n";
  const auto partitions = [&](const std::string& values) {
    return Parse(kHead + lists +
                 Column("a", "INT", partitioned + "column.a.partitionValues = " + values + "\n"))
        .columns[0]
        .partitions;
  };
  CHECK(partitions("1,3") == std::vector<int>{1, 3});
  CHECK(partitions("[1 3]") == std::vector<int>{1, 2, 3});
  CHECK(partitions("[0 2000000000]").empty());
  CHECK(partitions("1,x").empty());
}

TEST_CASE("segment metadata without a required key is refused by the key's name") {
  const std::string lists = "segment.dimension.column.names = a\n";
  const std::pair<std::string, std::string> cases[] = {
      {"segment.total.docs = 1\n", "segment.name"},
      {"segment.name = s\n", "segment.total.docs"},
      {"segment.name = s\nsegment.total.docs = -1\n", "segment.total.docs"},
      {"segment.name = s\nsegment.total.docs = 3000000000\n", "segment.total.docs"},
      {kHead + lists, "column.a.columnType"},
      {kHead + lists + "column.a.columnType = DIMENSION\n", "column.a.dataType"},
      {kHead + lists + "column.a.columnType = DIMENSION\ncolumn.a.dataType = QUATERNION\n",
       "QUATERNION"},
      {kHead + lists + "column.a.columnType = DIMENSION\ncolumn.a.dataType = INT\n",
       "column.a.cardinality"},
      {kHead + lists + Column("a", "INT", "column.a.isSorted = maybe\n"), "isSorted"},
      {kHead + lists + Column("a", "INT", "column.a.defaultNullValue = x\n"), "defaultNullValue"},
  };
  for (const auto& [text, named] : cases) {
    const auto metadata = ParseSegmentMetadata(text, "");
    CAPTURE(text, metadata.status().message());
    CHECK(metadata.status().IsCorrupt());
    CHECK(metadata.status().message().find(named) != std::string::npos);
  }
}

TEST_CASE("a column that counts other documents than the segment makes it corrupt") {
  const std::string text = kHead + "segment.dimension.column.names = a\n";
  CHECK(Parse(text + Column("a", "INT", "column.a.totalDocs = 10\n")).document_count == 10);
  const auto other =
      ParseSegmentMetadata(text + Column("a", "INT", "column.a.totalDocs = 9\n"), "");
  CHECK(other.status().IsCorrupt());
  CHECK_THAT(other.status().message(), Catch::Contains("column.a.totalDocs is 9"));
}

TEST_CASE("creation.meta gives crc and times, the data crc only when it is there") {
  const std::string bytes("\0\0\0\0\x12\x34\x56\x78\0\0\0\0\0\0\x03\xe8\0\0\0\0\0\0\0\x09", 24);
  const auto with = ParseSegmentMetadata(kHead, bytes);
  REQUIRE(with.ok());
  CHECK(with->crc == 0x12345678u);
  CHECK(with->creation_ms == 1000);
  CHECK(with->data_crc == 9u);
  CHECK_FALSE(ParseSegmentMetadata(kHead, bytes.substr(0, 16))->data_crc.has_value());
  CHECK(ParseSegmentMetadata(kHead, bytes.substr(0, 15)).status().IsCorrupt());
}

TEST_CASE("a derived schema leaves out the parts of an OPEN_STRUCT") {
  const SegmentMetadata metadata =
      Parse(kHead + "segment.dimension.column.names = a,o$k\n" + Column("a", "INT") +
            Column("o$k", "INT", "column.o$k.parentColumn = o\n"));
  CHECK(DeriveSchema("t", metadata).names() == std::vector<std::string>{"a"});
}

TEST_CASE("an OPEN_STRUCT tells its children, its sparse keys and who belongs to it") {
  const SegmentMetadata metadata =
      Parse(kHead + "segment.padding.character = \\u0000\n" +
            "segment.dimension.column.names = ms,ms$cpu,ms$__sparse__\n"
            "segment.complex.column.names = ms\n" +
            Column("ms", "OPEN_STRUCT",
                   "column.ms.complexChildFieldNames = cpu,odd\ncolumn.ms.hasSparseColumn = true\n"
                   "column.ms.sparseKeys = [\"rare2\",\"rare\"]\n"
                   "column.ms$$cpu.columnType = DIMENSION\ncolumn.ms$$cpu.dataType = DOUBLE\n") +
            Column("ms$cpu", "DOUBLE", "column.ms$cpu.parentColumn = ms\n") +
            Column("ms$__sparse__", "STRING", "column.ms$__sparse__.parentColumn = ms\n"));
  CHECK(metadata.padding_character == std::string(1, '\0'));
  const ColumnMetadata& parent = *metadata.Find("ms");
  REQUIRE(parent.children.size() == 2);
  CHECK(parent.children[0].name == "cpu");
  CHECK(parent.children[0].type == DataType::kDouble);
  CHECK(parent.children[1].name == "odd");
  CHECK(parent.children[1].type == DataType::kUnknown);
  CHECK(parent.has_sparse_column);
  CHECK(*parent.sparse_keys == std::vector<std::string>{"rare2", "rare"});
  CHECK(parent.parent_column.empty());
  CHECK(metadata.Find("ms$cpu")->parent_column == "ms");
  CHECK(metadata.Find("ms$cpu")->children.empty());
  CHECK(DeriveSchema("t", metadata).names() == std::vector<std::string>{"ms"});
}

TEST_CASE("sparse keys that may have lost something in the file stand for any key") {
  for (const char* text : {"[\"a\\,b\"]", "[\"a, b\",\"c\"]", "[\"a\\\\\\\\b\"]", "[\"a\"", "a,b",
                           "", "[\"a\"] x", "[1]"}) {
    CAPTURE(text);
    const SegmentMetadata metadata =
        Parse(kHead + "segment.complex.column.names = m\n" +
              Column("m", "OPEN_STRUCT", std::string("column.m.sparseKeys = ") + text + "\n"));
    CHECK_FALSE(metadata.Find("m")->sparse_keys.has_value());
  }
  const SegmentMetadata none = Parse(kHead + "segment.complex.column.names = m\n" +
                                     Column("m", "OPEN_STRUCT", "column.m.sparseKeys = []\n"));
  CHECK(none.Find("m")->sparse_keys->empty());
}

}  // namespace
}  // namespace trellis::segment
