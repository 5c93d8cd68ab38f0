#include "common/segment_writer/segment_builder.h"

#include <sys/resource.h>

#include <csignal>
#include <limits>

#include "common/column/map_frame.h"
#include "tests/unit/common/segment_writer/built_segment.h"

namespace trellis::segment_writer {
namespace {

namespace fs = std::filesystem;
using table_config::FieldIndexing;
using Encoding = FieldIndexing::Encoding;

ColumnVector Ints(std::vector<int32_t> values) {
  ColumnVector vector(DataType::kInt);
  vector.SetSize(values.size());
  vector.values<int32_t>() = std::move(values);
  return vector;
}

ColumnVector Texts(const std::vector<std::string>& values) {
  ColumnVector vector(DataType::kString);
  for (const std::string& value : values) vector.Append(Value::String(value));
  return vector;
}

constexpr DataType kTypes[] = {DataType::kInt,       DataType::kLong,    DataType::kFloat,
                               DataType::kDouble,    DataType::kBoolean, DataType::kTimestamp,
                               DataType::kString,    DataType::kJson,    DataType::kBytes,
                               DataType::kBigDecimal};

Value ValueOf(DataType type, int i) {
  const std::string text = std::string(static_cast<size_t>(i % 5), 'x') + std::to_string(i % 97);
  switch (type) {
    case DataType::kInt:
      return Value::Int(i * 7919 % 1000 - 500);
    case DataType::kLong:
      return Value::Long(int64_t{i} * 1'000'000'007);
    case DataType::kFloat:
      return Value::Float(static_cast<float>(i % 300) / 8);
    case DataType::kDouble:
      return Value::Double(i / 3.0);
    case DataType::kBoolean:
      return Value::Boolean(i % 3 == 0);
    case DataType::kTimestamp:
      return Value::Timestamp(1764504000000 + i);
    case DataType::kJson:
      return Value::Bytes(type, "{\"i\":" + std::to_string(i) + "}");
    case DataType::kBytes:
      return Value::Bytes(type, text);
    case DataType::kBigDecimal:
      return Value::Bytes(type, std::string("\0\2", 2) + static_cast<char>(1 + i % 100));
    default:
      return Value::String(text);
  }
}

// Columns of every type, dictionary (`d_`) and raw (`r_`), single (`s_`) and multi-value (`m_`).
BuildSettings AllTypes(const TestFolder& folder) {
  std::vector<FieldSpec> fields = {Field("map", DataType::kMap)};
  BuildSettings settings = Settings(folder, {});
  for (const DataType type : kTypes) {
    for (const bool raw : {false, true}) {
      for (const bool many : {false, true}) {
        const std::string name =
            std::string(raw ? "r_" : "d_") + (many ? "m_" : "s_") + std::string(DataTypeName(type));
        fields.push_back(Field(name, type, many));
        if (raw) settings.indexing.fields[name].encoding = Encoding::kRaw;
        if (type == DataType::kLong) settings.indexing.fields[name].range = true;
        settings.indexing.fields[name].bloom = type == DataType::kString;
      }
    }
  }
  settings.indexing.null_handling = true;
  settings.schema = Schema("t", std::move(fields));
  return settings;
}

Batch AllTypesRows(const Schema& schema, int from, int count) {
  Batch batch;
  for (const FieldSpec& field : schema.fields()) {
    ColumnVector vector(field.value_type());
    for (int i = from; i < from + count; ++i) {
      const bool null = (i + static_cast<int>(batch.size())) % 11 == 0;
      if (field.type == DataType::kMap) {
        column::MapFrameWriter frame;
        if (!null) frame.Add("k" + std::to_string(i % 4), std::to_string(i));
        vector.Append(Value::Bytes(field.type, std::string(*frame.Finish())));
      } else if (!field.multi_value) {
        vector.Append(null ? field.default_null : ValueOf(field.type, i));
      } else {
        std::vector<Value> elements;
        for (int k = 0; k <= (null ? 0 : i % 3); ++k)
          elements.push_back(null ? field.default_null : ValueOf(field.type, i + k));
        vector.Append(Value::Array(field.type, std::move(elements)));
      }
      if (null) vector.SetNull(vector.size() - 1);
    }
    batch.push_back(std::move(vector));
  }
  return batch;
}

}  // namespace

TEST_CASE("rows of every type come back as they went in, for any number of threads") {
  TestFolder folder;
  BuildSettings settings = AllTypes(folder);
  std::vector<Batch> batches;
  for (const int count : {1, 500, 7, 4096})
    batches.push_back(AllTypesRows(settings.schema, static_cast<int>(batches.size()) * 131, count));
  const auto report = Build(settings, batches);
  INFO(report.status().message());
  REQUIRE(report.ok());
  CHECK(report->rows == 4604);
  CheckVerifies(settings.output);
  const auto segment = segment::Segment::Open(settings.output);
  REQUIRE(segment.ok());
  CHECK((*segment)->metadata().crc == report->crc);
  const auto read = ReadRows(**segment, settings.schema, 5000);
  for (size_t column = 0; column < settings.schema.fields().size(); ++column) {
    INFO(settings.schema.fields()[column].name);
    size_t row = 0, different = 0;
    for (const Batch& batch : batches) {
      for (size_t i = 0; i < batch[column].size(); ++i)
        different += batch[column].Get(i) != read[0][column].Get(row++);
    }
    CHECK(different == 0);
  }
  const auto once = FilesIn(settings.output);
  for (const unsigned threads : {1u, 4u, 200u}) {
    settings.threads = threads;
    settings.overwrite = true;
    size_t last = 0;
    const auto builder = SegmentBuilder::Create(settings);
    REQUIRE(builder.ok());
    for (const Batch& batch : batches) REQUIRE((*builder)->Append(batch).ok());
    REQUIRE((*builder)
                ->Finish([&](size_t done, size_t columns) {
                  CHECK(done > last);
                  CHECK(columns == settings.schema.fields().size());
                  last = done;
                })
                .ok());
    CHECK(last == settings.schema.fields().size());
    CHECK((FilesIn(settings.output) == once));
  }
}

TEST_CASE("layout V1 and an archive hold the same rows; nothing else is left") {
  TestFolder folder;
  BuildSettings settings = AllTypes(folder);
  const std::vector<Batch> batches = {AllTypesRows(settings.schema, 0, 300)};
  REQUIRE(Build(settings, batches).ok());
  const auto rows = RowsOf(settings.output);
  settings.indexing.segment_version = "v1";
  settings.output = folder.path() / "files";
  REQUIRE(Build(settings, batches).ok());
  CheckVerifies(settings.output);
  CHECK(RowsOf(settings.output) == rows);
  settings.archive = true;
  settings.spill_folder = folder.path() / "spill";
  fs::create_directories(settings.spill_folder);
  std::string first;
  for (const char* name : {"one.tar.gz", "two.tar.gz"}) {
    settings.output = folder.path() / name;
    const auto report = Build(settings, batches);
    INFO(report.status().message());
    REQUIRE(report.ok());
    CHECK(report->bytes == fs::file_size(settings.output));
    CHECK(RowsOf(settings.output) == rows);
    std::ifstream file(settings.output, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    CHECK((first.empty() || bytes == first));
    first = bytes;
  }
  CHECK(folder.entries() ==
        std::vector<std::string>{"built", "files", "one.tar.gz", "spill", "two.tar.gz"});
}

TEST_CASE("a sort column sorts rows stably, others move with it") {
  TestFolder folder;
  BuildSettings settings =
      Settings(folder, {Field("key", DataType::kString), Field("many", DataType::kInt, true),
                        Field("raw", DataType::kString), Field("row", DataType::kInt)});
  settings.indexing.sort_columns = {"key"};
  settings.indexing.null_handling = true;
  settings.indexing.fields["raw"].encoding = Encoding::kRaw;
  std::vector<Batch> batches;
  std::vector<std::pair<std::string, int>> expected;
  for (int from = 0; from < 9000; from += 900) {
    Batch batch{ColumnVector({DataType::kString, false}), ColumnVector({DataType::kInt, true}),
                ColumnVector({DataType::kString, false}), ColumnVector({DataType::kInt, false})};
    for (int i = from; i < from + 900; ++i) {
      const std::string key = "k" + std::to_string(i * 7919 % 13);
      batch[0].Append(Value::String(key));
      batch[1].Append(Value::Array(DataType::kInt, {Value::Int(i), Value::Int(-i)}));
      batch[2].Append(Value::String("v" + std::to_string(i)));
      batch[3].Append(i % 10 == 0 ? Value::Int(std::numeric_limits<int32_t>::min())
                                  : Value::Int(i));
      if (i % 10 == 0) batch[3].SetNull(batch[3].size() - 1);
      expected.emplace_back(key, i);
    }
    batches.push_back(std::move(batch));
  }
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  REQUIRE(Build(settings, batches).ok());
  CheckVerifies(settings.output);
  const auto rows = RowsOf(settings.output);
  REQUIRE(rows.size() == expected.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& [key, row] = expected[i];
    const std::string number = row % 10 == 0 ? "null" : std::to_string(row);
    REQUIRE(rows[i] == fmt::format(R"({{"key":"{}","many":[{},{}],"raw":"v{}","row":{}}})", key,
                                   row, -row, row, number));
  }
  const auto segment = segment::Segment::Open(settings.output);
  CHECK((*segment)->metadata().Find("key")->sorted);
  // A raw sort column gives the same order.
  settings.indexing.fields["key"].encoding = Encoding::kRaw;
  settings.overwrite = true;
  REQUIRE(Build(settings, batches).ok());
  CHECK(RowsOf(settings.output) == rows);
}

TEST_CASE("a multi-value row without a value becomes one default where a dictionary asks for it") {
  TestFolder folder;
  BuildSettings settings =
      Settings(folder, {Field("d", DataType::kInt, true), Field("r", DataType::kInt, true)});
  settings.indexing.fields["r"].encoding = Encoding::kRaw;
  ColumnVector many({DataType::kInt, true});
  many.Append(Value::Array(DataType::kInt, {}));
  many.Append(Value::Array(DataType::kInt, {Value::Int(4), Value::Int(5)}));
  many.Append(Value::Array(DataType::kInt, {}));
  REQUIRE(Build(settings, {{many, many}}).ok());
  CHECK(RowsOf(settings.output) == std::vector<std::string>{R"({"d":[-2147483648],"r":[]})",
                                                            R"({"d":[4,5],"r":[4,5]})",
                                                            R"({"d":[-2147483648],"r":[]})"});
}

TEST_CASE("a dictionary that saves nothing is left out where the config says so") {
  TestFolder folder;
  BuildSettings settings =
      Settings(folder, {Field("few", DataType::kInt), Field("many", DataType::kInt),
                        Field("text", DataType::kString)});
  settings.indexing.optimize_dictionary = true;
  settings.indexing.dictionary_cardinality_ratio = 0.5;
  Batch batch{ColumnVector(DataType::kInt), ColumnVector(DataType::kInt),
              ColumnVector(DataType::kString)};
  for (int i = 0; i < 5000; ++i) {
    batch[0].Append(Value::Int(i % 7));
    batch[1].Append(Value::Int(i * 7919));
    batch[2].Append(Value::String("t" + std::to_string(i)));
  }
  REQUIRE(Build(settings, {batch}).ok());
  CheckVerifies(settings.output);
  const auto segment = segment::Segment::Open(settings.output);
  CHECK((*segment)->metadata().Find("few")->has_dictionary);
  CHECK_FALSE((*segment)->metadata().Find("many")->has_dictionary);
  CHECK_FALSE((*segment)->metadata().Find("text")->has_dictionary);
  CHECK((*segment)->metadata().Find("many")->cardinality == 5000);
  CHECK(ReadRows(**segment, settings.schema, 5000)[0][1].Get(4999) == batch[1].Get(4999));
}

TEST_CASE("what no segment can hold is refused before the first row, by name") {
  TestFolder folder;
  const auto refused = [&](const std::function<void(BuildSettings&)>& change, StatusCode code,
                           const char* named) {
    BuildSettings settings =
        Settings(folder, {Field("a", DataType::kInt), Field("many", DataType::kString, true),
                          Field("map", DataType::kMap), Field("text", DataType::kString)});
    change(settings);
    const auto builder = SegmentBuilder::Create(settings);
    INFO(named << ": " << builder.status().message());
    CHECK(builder.status().code() == code);
    CHECK(builder.status().message().find(named) != std::string::npos);
    CHECK(folder.entries().empty());
  };
  const auto with = [](FieldSpec field) {
    return [field](BuildSettings& s) {
      std::vector<FieldSpec> fields = s.schema.fields();
      fields.push_back(field);
      s.schema = Schema("t", fields);
    };
  };
  const auto codec = [](const char* column, const char* name, Encoding encoding) {
    return [=](BuildSettings& s) {
      s.indexing.fields[column].compression_codec = name;
      s.indexing.fields[column].encoding = encoding;
    };
  };
  const auto bad = StatusCode::kInvalidArgument;
  const auto unwritten = StatusCode::kUnimplemented;
  refused(with(Field("a", DataType::kLong)), bad, "'a'");
  refused(with(Field("$docId", DataType::kInt)), bad, "$docId");
  refused(with(Field("x/y", DataType::kInt)), bad, "x/y");
  refused(with(Field("", DataType::kInt)), bad, "no name");
  refused(with(Field("maps", DataType::kMap, true)), bad, "'maps'");
  refused(with(Field("os", DataType::kOpenStruct)), unwritten, "OPEN_STRUCT");
  refused([](auto& s) { s.segment_name = "segment_v3"; }, bad, "segment_v3");
  for (const char* name : {" a", "a ", "a\nb", "#a", "!a", "a\\", "\x01", "\ta"})
    refused([&](auto& s) { s.segment_name = name; }, bad, "properties file");
  refused([](auto& s) { s.segment_name = "../up"; }, bad, "../up");
  refused([&](auto& s) { s.output = folder.path() / "x_v3"; }, bad, "x_v3");
  refused([](auto& s) { s.indexing.segment_version = "v2"; }, bad, "v2");
  refused([](auto& s) { s.indexing.fields["missing"].bloom = true; }, bad, "'missing'");
  refused([](auto& s) { s.indexing.sort_columns = {"gone"}; }, bad, "'gone'");
  refused([](auto& s) { s.indexing.sort_columns = {"many"}; }, bad, "'many'");
  refused([](auto& s) { s.indexing.time_column = "when"; }, bad, "'when'");
  refused([](auto& s) { s.indexing.partitions["p"] = {"Murmur", 2, {}}; }, bad, "'p'");
  refused([](auto& s) { s.indexing.partitions["a"] = {"FNV", 2, {}}; }, unwritten, "FNV");
  refused([](auto& s) { s.indexing.fields["map"].inverted = true; }, bad, "'map'");
  refused([](auto& s) { s.indexing.fields["a"].forward_index_disabled = true; }, bad, "'a'");
  refused(codec("text", "DELTA", Encoding::kRaw), bad, "DELTA");
  refused(codec("text", "CLPV2", Encoding::kRaw), unwritten, "CLPV2");
  refused(codec("text", "LZ4", Encoding::kDefault), bad, "LZ4");
  refused(codec("text", "MV_ENTRY_DICT", Encoding::kDefault), bad, "MV_ENTRY_DICT");
  refused(codec("text", "BROTLI", Encoding::kRaw), bad, "BROTLI");
  refused(
      [](auto& s) {
        s.indexing.fields["text"].encoding = Encoding::kRaw;
        s.indexing.fields["text"].range = true;
      },
      bad, "'text'");
}

TEST_CASE("names that properties files would not give back are refused") {
  TestFolder folder;
  const auto create = [&](const std::string& segment, const std::string& column) {
    BuildSettings settings = Settings(folder, {Field(column, DataType::kInt)});
    settings.segment_name = segment;
    return SegmentBuilder::Create(settings).status();
  };
  using namespace std::string_literals;
  for (const std::string& name :
       {" a"s, "a "s, "\ta"s, "a\t"s, "a\nb"s, "a\rb"s, "\x01"s, "a\0"s, " "s}) {
    CAPTURE(name);
    CHECK(create("s", name).code() == StatusCode::kInvalidArgument);
    CHECK(create(name, "a").code() == StatusCode::kInvalidArgument);
  }
  for (const char* name : {"#a", "!a", "a\\"}) {
    CAPTURE(name);
    CHECK(create("s", name).code() == StatusCode::kInvalidArgument);
  }
  for (const char* name : {"a#b", "a!", "\\a", "a b", "a=b", "\xC3\xA9"}) {
    CAPTURE(name);
    CHECK(create("s", name).ok());
  }
}

TEST_CASE("a column that the schema calls notNull has no null vector") {
  TestFolder folder;
  BuildSettings settings =
      Settings(folder, {Field("a", DataType::kInt), Field("b", DataType::kInt)});
  settings.indexing.null_handling = true;
  settings.indexing.segment_version = "v1";
  settings.indexing.fields["a"].not_null = true;
  ColumnVector nulls = Ints({std::numeric_limits<int32_t>::min()});
  nulls.SetNull(0);
  REQUIRE(Build(settings, {{nulls, nulls}}).ok());
  const auto files = FilesIn(settings.output);
  CHECK_FALSE(files.contains("a.bitmap.nullvalue"));
  CHECK(files.contains("b.bitmap.nullvalue"));
}

TEST_CASE("a build that is stopped while indexes are written leaves nothing") {
  TestFolder folder;
  BuildSettings settings = Settings(folder, {Field("a", DataType::kInt)});
  settings.stopped = [] { return true; };
  {
    const auto builder = SegmentBuilder::Create(settings);
    REQUIRE(builder.ok());
    REQUIRE((*builder)->Append(Batch{Ints({1})}).ok());
    CHECK((*builder)->Finish(nullptr).status().code() == StatusCode::kCancelled);
  }
  CHECK_FALSE(std::filesystem::exists(settings.output));
}

TEST_CASE("rows that are not the schema's are refused, what is there stays unless overwritten") {
  TestFolder folder;
  BuildSettings settings =
      Settings(folder, {Field("a", DataType::kInt), Field("b", DataType::kString)});
  {
    const auto builder = SegmentBuilder::Create(settings);
    REQUIRE(builder.ok());
    CHECK_FALSE((*builder)->Append(Batch{Ints({1})}).ok());
    CHECK_FALSE((*builder)->Append(Batch{Ints({1}), Ints({2})}).ok());
    CHECK_FALSE((*builder)->Append(Batch{Ints({1}), Texts({"x", "y"})}).ok());
    // A constant stands for all its rows.
    REQUIRE((*builder)
                ->Append(Batch{Ints({1, 2}), ColumnVector::Constant(Value::String("c"), 2)})
                .ok());
    REQUIRE((*builder)->Finish(nullptr).ok());
    CHECK_FALSE((*builder)->Append(Batch{Ints({1}), Texts({"x"})}).ok());
    CHECK_FALSE((*builder)->Finish(nullptr).ok());
  }
  CHECK(RowsOf(settings.output) ==
        std::vector<std::string>{R"({"a":1,"b":"c"})", R"({"a":2,"b":"c"})"});
  CHECK(SegmentBuilder::Create(settings).status().code() == StatusCode::kInvalidArgument);
  settings.overwrite = true;
  REQUIRE(Build(settings, {{Ints({7}), Texts({"new"})}}).ok());
  CHECK(RowsOf(settings.output) == std::vector<std::string>{R"({"a":7,"b":"new"})"});
  // Given up on: the old one stays, and nothing beside it.
  REQUIRE((*SegmentBuilder::Create(settings))->Append(Batch{Ints({8}), Texts({"x"})}).ok());
  CHECK(folder.entries() == std::vector<std::string>{"built"});
  // A frame that is none shall not become a row that nobody can read.
  BuildSettings maps = Settings(folder, {Field("m", DataType::kMap)});
  maps.output = folder.path() / "maps";
  ColumnVector broken(DataType::kMap);
  broken.Append(Value::Bytes(DataType::kMap, std::string("\0\0\0\1\0\0\0\7k", 9)));
  CHECK(Build(maps, {{broken}}).status().IsCorrupt());
  CHECK(folder.entries() == std::vector<std::string>{"built"});
}

TEST_CASE("a disk that fills is a clean error, and leaves nothing") {
  TestFolder folder;
  BuildSettings settings = Settings(folder, {Field("a", DataType::kString)});
  settings.indexing.fields["a"].encoding = Encoding::kRaw;
  settings.indexing.fields["a"].compression_codec = "PASS_THROUGH";
  // The packed file is 8 bytes longer than the forward index that goes into it.
  const std::vector<Batch> batches = {
      {Texts(std::vector<std::string>(4000, std::string(1000, 'x')))}};
  REQUIRE(Build(settings, batches).ok());
  const rlim_t packed_bytes = fs::file_size(settings.output / "v3" / "columns.psf");
  fs::remove_all(settings.output);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  // Limits that the spilled rows meet, the forward index, and the packed file alone.
  for (const rlim_t limit : {rlim_t{1} << 16, packed_bytes - 9, packed_bytes - 1}) {
    rlimit small = before;
    small.rlim_cur = limit;
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto report = Build(settings, batches);
    ::setrlimit(RLIMIT_FSIZE, &before);
    INFO(limit << ": " << report.status().message());
    CHECK(report.status().code() == StatusCode::kResourceExhausted);
    CHECK(folder.entries().empty());
  }
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(Build(settings, batches).ok());
}

}  // namespace trellis::segment_writer
