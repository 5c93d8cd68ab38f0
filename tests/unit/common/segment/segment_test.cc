#include "common/segment/segment.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "common/segment/row_dump.h"
#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {
namespace {

const std::vector<std::string> kTinyRows = {R"({"i":9,"s":"a\"b"})", R"({"i":7,"s":"xyz"})",
                                            R"({"i":null,"s":"xyz"})"};

Result<std::vector<std::string>> Dump(const std::filesystem::path& path,
                                      std::vector<std::string> columns = {}) {
  TRELLIS_ASSIGN_OR_RETURN(const auto segment, Segment::Open(path));
  std::vector<std::string> rows;
  TRELLIS_RETURN_IF_ERROR(DumpRows(*segment, columns, [&](std::string_view row) {
    rows.emplace_back(row);
    return true;
  }));
  return rows;
}

TEST_CASE("both layouts of a segment give the same rows") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path() / "three");
  TinySegment().WriteV1(folder.path() / "one");
  for (const char* name : {"one", "three"}) {
    const auto rows = Dump(folder.path() / name);
    CAPTURE(name, rows.status().message());
    REQUIRE(rows.ok());
    CHECK(*rows == kTinyRows);
  }
  CHECK(*Dump(folder.path() / "three" / "v3") == kTinyRows);
}

TEST_CASE("a dump writes the asked columns in the asked order and stops when told") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  CHECK(Dump(folder.path(), {"s", "i"})->front() == R"({"s":"a\"b","i":9})");
  CHECK(Dump(folder.path(), {"S"}).status().code() == StatusCode::kNotFound);
  const auto segment = Segment::Open(folder.path());
  REQUIRE(segment.ok());
  int rows = 0;
  CHECK(DumpRows(**segment, {}, [&](std::string_view) { return ++rows < 2; }).ok());
  CHECK(rows == 2);
}

TEST_CASE("a column is dumped once: an object has one value a key") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  CHECK(Dump(folder.path(), {"i"}).ok());
  const auto twice = Dump(folder.path(), {"i", "i"});
  CHECK(twice.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(twice.status().message(), Catch::Contains("'i'"));
}

TEST_CASE("a dump of several batches, each of another size, has every row once and in order") {
  constexpr int32_t kRows = 10'000;
  TinySegment tiny;
  tiny.MakeRaw();
  std::string& raw = tiny.Buffer("i", "forward_index");
  raw.clear();
  for (const int32_t field : {2, 1, kRows, 4, kRows, 0, 28, 32}) raw += BigEndian<int32_t>(field);
  for (int32_t row = 0; row < kRows; ++row) raw += BigEndian<int32_t>(row);
  tiny.Drop("i", "nullvalue_vector");
  tiny.Metadata("segment.total.docs = 10000\n");
  const ScratchFolder folder;
  tiny.WriteV3(folder.path());
  const auto rows = Dump(folder.path(), {"i"});
  REQUIRE(rows.status().message() == "");
  REQUIRE(rows->size() == kRows);
  for (int32_t row = 0; row < kRows; ++row) {
    const auto at = static_cast<size_t>(row);
    if ((*rows)[at] != fmt::format("{{\"i\":{}}}", row)) FAIL_CHECK((*rows)[at]);
  }
}

TEST_CASE("a segment of no documents has columns of no rows") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Metadata("segment.total.docs = 0\n");
  WriteFile(folder.path() / "v3" / "metadata.properties", segment.metadata(true));
  WriteFile(folder.path() / "v3" / "columns.psf", "");
  const auto rows = Dump(folder.path());
  CAPTURE(rows.status().message());
  REQUIRE(rows.ok());
  CHECK(rows->empty());
  const auto open = Segment::Open(folder.path());
  const auto column = (*open)->OpenColumn("s");
  REQUIRE(column.ok());
  const auto scratch = (*column)->forward().NewScratch();
  ColumnVector out;
  CHECK((*column)->Read({}, *scratch, out).ok());
  CHECK(out.value_type() == ValueType{DataType::kString, false});
  const std::vector<uint32_t> docs = {0};
  CHECK((*column)->Read(docs, *scratch, out).IsCorrupt());
}

TEST_CASE("nulls are marked for sparse documents too") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  const auto segment = Segment::Open(folder.path());
  const auto column = (*segment)->OpenColumn("i");
  REQUIRE(column.ok());
  const auto scratch = (*column)->forward().NewScratch();
  ColumnVector out;
  const std::vector<uint32_t> last = {2};
  REQUIRE((*column)->Read(last, *scratch, out).ok());
  CHECK(out.is_null(0));
  const std::vector<uint32_t> others = {0, 1};
  REQUIRE((*column)->Read(others, *scratch, out).ok());
  CHECK_FALSE(out.has_nulls());
}

TEST_CASE("a V3 file cut short anywhere is refused when the segment is opened") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  const auto psf = folder.path() / "v3" / "columns.psf";
  for (auto size_bytes = std::filesystem::file_size(psf); size_bytes-- > 0;) {
    CAPTURE(size_bytes);
    std::filesystem::resize_file(psf, size_bytes);
    const Status status = Segment::Open(folder.path()).status();
    CHECK(status.IsCorrupt());
    CHECK(status.message().find("columns.psf") != std::string::npos);
  }
}

TEST_CASE("a wrong marker is refused with its offset") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path());
  std::fstream(folder.path() / "v3" / "columns.psf",
               std::ios::binary | std::ios::in | std::ios::out)
      .put('x');
  const Status status = Dump(folder.path()).status();
  CHECK(status.IsCorrupt());
  CHECK(status.message().find("marker 78adbeef") != std::string::npos);
}

TEST_CASE("metadata that disagrees with the buffers is refused by column and index") {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"column.i.cardinality = 3\n", "'i'", "dictionary"},
      {"column.s.lengthOfEachEntry = 4\n", "'s'", "dictionary"},
      {"column.i.bitsPerElement = 5\n", "'i'", "forward_index"},
      {"segment.total.docs = 9\n", "'i'", "forward_index"},
      {"segment.total.docs = 2\n", "'i'", "nullvalue_vector"},
      {"column.i.isSingleValues = false\n", "'i'", "forward_index"},
  };
  for (const auto& [line, column, index] : cases) {
    const ScratchFolder folder;
    TinySegment segment;
    segment.Metadata(line).WriteV3(folder.path());
    const Status status = Dump(folder.path()).status();
    CAPTURE(line, status.message());
    CHECK(status.IsCorrupt());
    CHECK(status.message().find(column) != std::string::npos);
    CHECK(status.message().find(index) != std::string::npos);
  }
}

TEST_CASE("a column without a forward index, or without its dictionary, is corrupt") {
  const ScratchFolder folder;
  TinySegment segment;
  segment.Drop("i", "forward_index");
  segment.Drop("s", "dictionary");
  segment.WriteV3(folder.path());
  CHECK(Dump(folder.path(), {"i"}).status().IsCorrupt());
  CHECK(Dump(folder.path(), {"s"}).status().IsCorrupt());
}

TEST_CASE("two forward indexes of one column in the V1 layout are refused") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path());
  WriteFile(folder.path() / "i.sv.raw.fwd", "x");
  CHECK(Dump(folder.path(), {"i"}).status().IsCorrupt());
  CHECK(Dump(folder.path(), {"s"}).ok());
}

TEST_CASE("a V1 file replaced after its segment was opened is not read as that segment's") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path());
  const auto segment = Segment::Open(folder.path()).value();
  REQUIRE(segment->OpenColumn("i").status().message() == "");
  std::filesystem::path dictionary = folder.path() / "s.dict";
  REQUIRE(std::filesystem::exists(dictionary));
  WriteFile(folder.path() / "new", "a\"bxyz");
  std::filesystem::rename(folder.path() / "new", dictionary);
  const Status replaced = segment->OpenColumn("s").status();
  CHECK(replaced.code() == StatusCode::kUnavailable);
  CHECK_THAT(replaced.message(), Catch::Contains("s.dict") && Catch::Contains("replaced"));
  CHECK(segment->OpenColumn("i").ok());  // mapped already
  CHECK(Segment::Open(folder.path()).value()->OpenColumn("s").ok());
}

TEST_CASE("a folder that is no segment is not found and an index_map may not be missing") {
  const ScratchFolder folder;
  CHECK(Segment::Open(folder.path()).status().code() == StatusCode::kNotFound);
  CHECK(Segment::Open(folder.path() / "absent").status().code() == StatusCode::kNotFound);
  TinySegment().WriteV3(folder.path());
  std::filesystem::remove(folder.path() / "v3" / "index_map");
  CHECK(Segment::Open(folder.path()).status().IsCorrupt());
}

TEST_CASE("many threads that open one column get the same object") {
  const ScratchFolder folder;
  TinySegment().WriteV1(folder.path());
  const auto segment = Segment::Open(folder.path());
  REQUIRE(segment.ok());
  std::vector<ColumnPointer> seen(8);
  std::vector<std::thread> threads;
  for (auto& slot : seen) {
    threads.emplace_back([&] {
      const auto column = (*segment)->OpenColumn("s");
      if (column.ok()) slot = *column;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(seen[0] != nullptr);
  CHECK(seen == std::vector<ColumnPointer>(8, seen[0]));
}

TEST_CASE("a dump of a segment whose file is cut short meanwhile ends in an error that names it") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path() / "three");
  TinySegment().WriteV1(folder.path() / "one");
  for (const auto& [name, file] :
       {std::pair{"three", "three/v3/columns.psf"}, std::pair{"one", "one/s.dict"}}) {
    const auto path = folder.path() / file;
    const auto segment = Segment::Open(folder.path() / name).value();
    CHECK(segment->CheckIntact().ok());
    REQUIRE(segment->OpenColumn("s").ok());
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
    CHECK(segment->CheckTorn().ok());  // within the page: no read can meet it
    int rows = 0;
    const Status status = DumpRows(*segment, {}, [&](std::string_view) { return ++rows > 0; });
    CHECK(status.IsCorrupt());
    CHECK_THAT(status.message(), Catch::Contains(path.string()) && Catch::Contains("'tiny'"));
    CHECK(rows == 0);
    CHECK(segment->CheckTorn().IsCorrupt());
  }
}

TEST_CASE("a segment whose name ends in v3 opens like any other, in both layouts") {
  const ScratchFolder folder;
  TinySegment().WriteV3(folder.path() / "events_v3");
  TinySegment().WriteV1(folder.path() / "v3");
  for (const char* name : {"events_v3", "v3"}) {
    CAPTURE(name);
    CHECK(Dump(folder.path() / name).value() == kTinyRows);
  }
}

TEST_CASE("what stands where metadata should is named when it is no file or may not be read") {
  const ScratchFolder folder;
  const auto file = folder.path() / "v3" / "metadata.properties";
  std::filesystem::create_directories(file);
  const Status is_folder = Segment::Open(folder.path()).status();
  CHECK(is_folder.code() == StatusCode::kInvalidArgument);
  CHECK_THAT(is_folder.message(), Catch::Contains(file.string()));
  std::filesystem::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(Segment::Open(folder.path()).status().code() == StatusCode::kInvalidArgument);
  std::filesystem::remove(file);
  if (::geteuid() == 0) return;  // may read everything
  TinySegment().WriteV3(folder.path());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  CHECK(Segment::Open(folder.path()).status().code() == StatusCode::kPermissionDenied);
}

TEST_CASE("no page of an index is resident after segments were opened by many threads") {
  const ScratchFolder folder;
  std::vector<std::shared_ptr<Segment>> segments(64);
  for (size_t i = 0; i < segments.size(); ++i)
    TinySegment().WriteV3(folder.path() / std::to_string(i));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t; i < segments.size(); i += 4)
        segments[i] = Segment::Open(folder.path() / std::to_string(i)).value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Of each mapping of this process, how much of it is in memory (proc(5), smaps).
  const auto resident_kb = [&] {
    std::ifstream maps("/proc/self/smaps");
    std::string line;
    bool ours = false;
    size_t mappings = 0;
    size_t kb = 0;
    while (std::getline(maps, line)) {
      if (line.find('-') < line.find(' '))
        mappings += ours = line.find(folder.path().string()) != std::string::npos;
      if (ours && line.starts_with("Rss:")) kb += std::stoul(line.substr(4));
    }
    CHECK(mappings == segments.size());
    return kb;
  };
  CHECK(resident_kb() == 0);
  REQUIRE(segments[0]->OpenColumn("i").ok());
  CHECK(resident_kb() > 0);
}

}  // namespace
}  // namespace trellis::segment
