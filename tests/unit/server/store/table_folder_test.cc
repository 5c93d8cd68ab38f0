#include "server/store/table_folder.h"

#include <map>

#include "common/table_config/table_name.h"
#include "tests/unit/server/store/data_folder.h"

namespace trellis::server {
namespace {

using Names = std::vector<std::string>;

// The folder "t" of a data directory, and what an inventory told of its changes holds.
struct Folder {
  explicit Folder(const DataFolder& data, const std::string& within = "t",
                  bool follow_links = false)
      : folder(data.path() / within, "t_OFFLINE", {fs::canonical(data.path()), follow_links}) {}
  TableFolder::Change Look() {
    REQUIRE(folder.List().ok());
    auto change = folder.Refresh(3).value();
    for (const std::string& name : change.drop) CHECK(held.erase(name) == 1);
    for (const InventorySegment& segment : change.add)
      held[segment.facts.name] = segment.segment.get();
    return change;
  }
  Names names() const {
    Names all;
    for (const auto& [name, segment] : held) all.push_back(name);
    return all;
  }
  std::map<std::string, std::string> broken() const {
    std::map<std::string, std::string> all;
    for (const BrokenSegment& segment : folder.info().broken) all[segment.name] = segment.reason;
    return all;
  }
  TableFolder folder;
  std::map<std::string, const segment::Segment*> held;
};

TEST_CASE("an archive is a segment, unless a directory has its name") {
  DataFolder data;
  data.Segment("t", kSegment)
      .File(fmt::format("t/{}.tar.gz", kSegment), "not an archive")
      .Archive("t", kOther);
  Folder folder(data);
  folder.Look();
  CHECK(folder.broken().empty());
  CHECK(folder.names() == Names{kSegment, kOther});
  CHECK(folder.held[kOther]->document_count() == 1000);
  CHECK(folder.held[kOther]->OpenColumn("station").ok());
}

TEST_CASE("when asked to, a segment is checked whole, and one with faults is broken") {
  DataFolder data;
  data.Segment("t", kSegment).Archive("t", kOther);
  const fs::path file = data.path() / "t" / kSegment / "v3" / "columns.psf";
  std::string bytes = Slurp(file);
  bytes[bytes.size() / 2] ^= 1;
  data.File(fmt::format("t/{}/v3/columns.psf", kSegment), bytes);
  for (const bool verify : {false, true}) {
    TableFolder folder(data.path() / "t", "t_OFFLINE", {fs::canonical(data.path()), false, verify});
    REQUIRE(folder.List().ok());
    const auto change = folder.Refresh(2).value();
    CHECK(change.add.size() == (verify ? 1 : 2));
    if (!verify) continue;
    CHECK(change.add[0].segment->name() == kOther);
    REQUIRE(folder.info().broken.size() == 1);
    CHECK(folder.info().broken[0].name == kSegment);
    CHECK_THAT(folder.info().broken[0].reason, Catch::Contains("the first: fault: segment"));
  }
}

TEST_CASE("segments that cannot be opened are kept by name and reason, and looked at again") {
  DataFolder data;
  data.Segment("t", kSegment).Segment("t", kOther);
  data.File("t/torn.tar.gz", "not an archive").File("t/empty/readme", "no segment");
  const fs::path metadata = data.path() / "t" / kOther / "v3" / "metadata.properties";
  fs::resize_file(metadata, 100);
  Folder folder(data);
  folder.Look();
  CHECK(folder.names() == Names{kSegment});
  CHECK(folder.broken().size() == 3);
  for (const char* name : {"torn", "empty", kOther}) {
    INFO(name);
    CHECK_FALSE(folder.broken()[name].empty());
  }
  CHECK(folder.Look().empty());
  fs::copy_file(kExamples / "rides" / kOther / "v3" / "metadata.properties", metadata,
                fs::copy_options::overwrite_existing);
  data.Remove("t/empty");
  const auto change = folder.Look();
  CHECK(change.add.size() == 1);
  CHECK(folder.names() == Names{kSegment, kOther});
  CHECK(folder.broken().size() == 1);
  CHECK(change.info->broken.size() == 1);
}

TEST_CASE("a segment that is being written is broken until it is whole, whatever comes first") {
  Names files;
  for (const auto& entry : fs::directory_iterator(kExamples / "rides" / kSegment / "v3"))
    files.push_back(entry.path().filename().string());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() == 4);
  do {
    INFO(fmt::format("{} {} {} {}", files[0], files[1], files[2], files[3]));
    DataFolder data;
    fs::create_directories(data.path() / "t");
    Folder folder(data);
    folder.Look();
    for (const std::string& file : files) {
      const std::string name = fmt::format("t/{}/v3/{}", kSegment, file);
      const std::string text = Slurp(kExamples / "rides" / kSegment / "v3" / file);
      for (const size_t part : {size_t{0}, text.size() / 2, text.size()}) {
        data.File(name, text.substr(0, part));
        folder.Look();
      }
    }
    REQUIRE(folder.names() == Names{kSegment});
    CHECK(folder.broken().empty());
    const segment::Segment& segment = *folder.held[kSegment];
    CHECK(segment.metadata().crc == ExampleTable("rides_OFFLINE")->Find(0)->facts.crc);
    for (const segment::ColumnMetadata& column : segment.metadata().columns)
      CHECK(segment.OpenColumn(column.field.name).status().message() == "");
  } while (std::next_permutation(files.begin(), files.end()));
}

TEST_CASE("a segment written anew is replaced") {
  DataFolder data;
  data.Segment("t", kSegment).Archive("t", kOther);
  Folder folder(data);
  folder.Look();
  const auto before = folder.held;
  // Another file in its place, of the same size and time.
  const fs::path metadata = data.path() / "t" / kSegment / "v3" / "metadata.properties";
  const auto time = fs::last_write_time(metadata);
  fs::copy_file(metadata, data.path() / "new");
  fs::rename(data.path() / "new", metadata);
  fs::last_write_time(metadata, time);
  auto change = folder.Look();
  REQUIRE(change.add.size() == 1);
  CHECK(change.add[0].facts.name == kSegment);
  CHECK(change.drop.empty());
  data.File(fmt::format("t/{}/v3/creation.meta", kSegment),
            std::string(4, '\0') + std::string(20, '\x01'));
  change = folder.Look();
  REQUIRE(change.add.size() == 1);
  CHECK(change.add[0].facts.crc == 0x01010101);
  CHECK(folder.held[kOther] == before.at(kOther));
  // An archive when it has not changed for a look: it may still grow.
  data.Archive("t", kOther);
  CHECK(folder.Look().empty());
  change = folder.Look();
  REQUIRE(change.add.size() == 1);
  CHECK(change.add[0].facts.name == kOther);
  CHECK(folder.Look().empty());
}

TEST_CASE("an archive that grows is opened when it has stopped, and not at every look") {
  DataFolder data;
  data.Archive("whole", kOther);
  const std::string archive = Slurp(data.path() / "whole" / (std::string(kOther) + ".tar.gz"));
  const std::string file = fmt::format("t/{}.tar.gz", kOther);
  data.File(file, archive.substr(0, archive.size() / 4));
  Folder folder(data);
  folder.Look();
  const std::string reason = folder.broken()[kOther];
  CHECK_FALSE(reason.empty());
  for (const size_t part : {2, 3, 4}) {
    data.File(file, archive.substr(0, archive.size() * part / 4));
    CHECK(folder.Look().empty());
  }
  const auto change = folder.Look();
  CHECK(change.add.size() == 1);
  CHECK(folder.broken().empty());
}

TEST_CASE("a segment behind a symbolic link is one, a link to nothing is broken by name") {
  DataFolder data;
  data.Segment("elsewhere", kSegment);
  fs::create_directories(data.path() / "t");
  fs::create_directory_symlink(data.path() / "elsewhere" / kSegment, data.path() / "t" / kSegment);
  fs::create_directory_symlink(data.path() / "later", data.path() / "t" / "dangling");
  Folder folder(data);
  folder.Look();
  CHECK(folder.names() == Names{kSegment});
  CHECK(folder.broken().size() == 1);
  CHECK(folder.broken().contains("dangling"));
  fs::copy(kExamples / "rides" / kOther, data.path() / "later", fs::copy_options::recursive);
  folder.Look();
  CHECK(folder.names() == Names{kSegment, kOther});
  CHECK(folder.broken().empty());
}

TEST_CASE("a segment in two folders is held once, and by the other when that goes") {
  DataFolder data;
  data.Segment("t", kSegment);
  fs::copy(kExamples / "rides" / kSegment, data.path() / "t" / "copy", fs::copy_options::recursive);
  Folder folder(data);
  folder.Look();
  CHECK(folder.names() == Names{kSegment});
  const segment::Segment* first = folder.held[kSegment];
  data.Remove(std::string("t/") + kSegment);
  const auto change = folder.Look();
  REQUIRE(change.add.size() == 1);
  CHECK(change.drop.empty());
  CHECK(folder.held[kSegment] != first);
}

TEST_CASE("the folder or archive of a segment's own name holds it, whatever comes before it") {
  for (const bool archive : {false, true}) {
    INFO(archive);
    DataFolder data;
    if (archive) {
      data.Archive("t", kSegment);
    } else {
      data.Segment("t", kSegment);
    }
    // By names that are before and after it in byte order.
    for (const char* copy : {"copy", "rides_2026-06-01_2026-06-07.bak", "zz"}) {
      fs::copy(kExamples / "rides" / kSegment, data.path() / "t" / copy,
               fs::copy_options::recursive);
      data.File(fmt::format("t/{}/v3/creation.meta", copy),
                std::string(4, '\0') + std::string(20, '\x01'));
    }
    Folder folder(data);
    folder.Look();
    CHECK(folder.names() == Names{kSegment});
    CHECK(folder.held[kSegment]->metadata().crc ==
          ExampleTable("rides_OFFLINE")->Find(0)->facts.crc);
    data.Remove(fmt::format("t/{}{}", kSegment, archive ? ".tar.gz" : ""));
    folder.Look();
    CHECK(folder.held[kSegment]->metadata().crc == 0x01010101);
  }
}

TEST_CASE("a broken segment is listed by the name its metadata says, where that is whole") {
  DataFolder data;
  data.Segment("t", kSegment).Segment("t", kOther);
  for (const char* name : {"copy", "cut", "none", "held"})
    fs::copy(kExamples / "rides" / kOther, data.path() / "t" / name, fs::copy_options::recursive);
  data.Remove(std::string("t/") + kOther).Remove("t/none/v3/metadata.properties");
  fs::remove(data.path() / "t" / "copy" / "v3" / "columns.psf");
  fs::remove(data.path() / "t" / "copy" / "v3" / "index_map");
  const std::string text = Slurp(data.path() / "t" / "cut" / "v3" / "metadata.properties");
  const size_t name = text.find(kOther);
  data.File("t/cut/v3/metadata.properties", text.substr(0, name + 10));
  // What another folder holds is not broken.
  data.File("t/held/v3/metadata.properties", fmt::format("segment.name = {}\n", kSegment));
  // An archive of a segment without data.
  fs::create_directories(data.path() / "packed" / "p" / "v3");
  data.File("packed/p/v3/metadata.properties", "segment.name = within\n");
  const std::string pack =
      fmt::format("tar -czf '{0}/t/packed.tar.gz' -C '{0}/packed' p", data.path().string());
  REQUIRE(std::system(pack.c_str()) == 0);
  Folder folder(data);
  folder.Look();
  CHECK(folder.names() == Names{kSegment});
  Names broken;
  for (const auto& [listed, reason] : folder.broken()) broken.push_back(listed);
  CHECK(broken == Names{"cut", "none", kOther, "within"});
  CHECK_THAT(folder.broken()[kOther], Catch::Contains("copy"));
}

TEST_CASE("what goes between the list and the look is gone, and not broken") {
  DataFolder data;
  data.Segment("t", kSegment).Segment("t", kOther).File("t/torn/readme", "no segment");
  fs::create_directory_symlink(data.path() / "nowhere", data.path() / "t" / "dangling");
  Folder folder(data);
  folder.Look();
  CHECK(folder.broken().size() == 2);
  data.Segment("t", "rides_2026-06-15_2026-06-21").Archive("t", "rides_2026-06-22_2026-06-28");
  REQUIRE(folder.folder.List().ok());
  for (const char* name : {kSegment, "torn", "dangling", "rides_2026-06-15_2026-06-21"})
    fs::rename(data.path() / "t" / name, data.path() / name);
  data.Remove("t/rides_2026-06-22_2026-06-28.tar.gz");
  const auto change = folder.folder.Refresh(3).value();
  CHECK(change.add.empty());
  CHECK(change.drop == Names{kSegment});
  CHECK(folder.broken().empty());
}

TEST_CASE("a folder that is moved away in the middle of a look leaves all as it was") {
  for (const std::string moved : {"d/t", "d"}) {
    for (const bool replaced : {false, true}) {
      INFO(moved << replaced);
      DataFolder data;
      data.Segment("d/t", kSegment).Archive("d/t", kOther);
      data.File("d/t/schema.json", Slurp(kExamples / "rides" / "schema.json"));
      TableFolder folder(data.path() / "d" / "t", "t_OFFLINE", {fs::canonical(data.path())});
      REQUIRE(folder.List().ok());
      CHECK(folder.Refresh(2).value().add.size() == 2);
      REQUIRE(folder.List().ok());
      fs::rename(data.path() / moved, data.path() / "away");
      if (replaced) data.Segment("d/t", "rides_2026-06-15_2026-06-21");
      const Status status = folder.Refresh(2).status();
      CHECK(status.code() == StatusCode::kUnavailable);
      CHECK_THAT(status.message(), Catch::Contains((data.path() / moved).string()));
      CHECK(folder.info().broken.empty());
      data.Remove(moved);
      fs::rename(data.path() / "away", data.path() / moved);
      REQUIRE(folder.List().ok());
      // An archive that seemed to change is looked at once more.
      CHECK(folder.Refresh(2).value().empty());
      CHECK(folder.Refresh(2).value().empty());
    }
  }
}

TEST_CASE("without schema.json the schema is that of the segments") {
  DataFolder data;
  data.Segment("t", kSegment).Segment("t", kOther);
  Folder folder(data);
  folder.Look();
  const Schema& derived = *folder.folder.info().schema;
  const Schema& rides = *ExampleTable("rides_OFFLINE")->info().schema;
  CHECK(derived.name() == "t");
  REQUIRE(derived.names() == rides.names());
  for (const FieldSpec& field : rides.fields()) {
    INFO(field.name);
    const FieldSpec& of_segments = *derived.Find(field.name);
    CHECK(of_segments.value_type() == field.value_type());
    CHECK(of_segments.role == field.role);
    CHECK(of_segments.default_null == field.default_null);
  }
  CHECK_THAT(folder.folder.info().schema_json, Catch::Contains("\"station\""));
}

TEST_CASE("upsert, dedup and column-based null handling refuse the table by name") {
  const auto refused = [](std::string_view file, std::string_view text) {
    DataFolder data;
    data.Segment("t", kSegment).File(fmt::format("t/{}", file), text);
    Folder folder(data);
    folder.Look();
    return folder.folder.info().refused;
  };
  const auto config = [](std::string_view more) {
    return fmt::format(R"({{"tableName": "t", "tableType": "OFFLINE", {}}})", more);
  };
  CHECK_THAT(refused("tableConfig.json", config(R"("upsertConfig": {"mode": "FULL"})")),
             Catch::Contains("upsertConfig"));
  CHECK_THAT(refused("tableConfig.json", config(R"("dedupConfig": {"dedupEnabled": true})")),
             Catch::Contains("dedupConfig"));
  CHECK(refused("tableConfig.json", config(R"("metadata": {})")).empty());
  std::string schema = Slurp(kExamples / "rides" / "schema.json");
  CHECK(refused("schema.json", schema).empty());
  const std::string off = "\"enableColumnBasedNullHandling\" : false";
  schema.replace(schema.find(off), off.size(), "\"enableColumnBasedNullHandling\" : true");
  CHECK_THAT(refused("schema.json", schema), Catch::Contains("enableColumnBasedNullHandling"));
  CHECK_THAT(refused(fmt::format("{}/v3/validdocids.bitmap.snapshot", kSegment), ""),
             Catch::Contains("validDocIds"));
}

TEST_CASE("a schema or configuration that is no JSON refuses its table until it is put right") {
  for (const char* file : {"schema.json", "tableConfig.json"}) {
    INFO(file);
    DataFolder data;
    data.Segment("t", kSegment).File(fmt::format("t/{}", file), "{");
    Folder folder(data);
    folder.Look();
    CHECK_THAT(folder.folder.info().refused, Catch::Contains(file));
    CHECK(folder.names() == Names{kSegment});
    const std::string good = Slurp(kExamples / "rides" / file);
    data.File(fmt::format("t/{}", file), good);
    const auto change = folder.Look();
    REQUIRE(change.info.has_value());
    CHECK(change.info->refused.empty());
    CHECK((change.info->schema_json == good || change.info->config_json == good));
    data.Remove(fmt::format("t/{}", file));
    CHECK(folder.Look().info.has_value());
    CHECK(folder.Look().empty());
  }
}

TEST_CASE("other columns to prune by make other facts of segments that are there") {
  DataFolder data;
  data.Segment("t", kSegment);
  Folder folder(data);
  folder.Look();
  const segment::Segment* before = folder.held[kSegment];
  data.File("t/tableConfig.json", R"({"tableName": "t",
      "segmentsConfig": {"timeColumnName": "started_at"},
      "tableIndexConfig": {"sortedColumn": ["station"]}})");
  const auto change = folder.Look();
  REQUIRE(change.add.size() == 1);
  CHECK(change.add[0].segment.get() == before);
  REQUIRE(change.add[0].facts.zones.size() == 2);
  CHECK(change.add[0].facts.zones[1].column == "station");
  data.File("t/tableConfig.json", R"({"tableName": "t", "metadata": {"a": "b"},
      "segmentsConfig": {"timeColumnName": "started_at"},
      "tableIndexConfig": {"sortedColumn": ["station"]}})");
  const auto described = folder.Look();
  CHECK(described.add.empty());
  CHECK(described.info.has_value());
}

TEST_CASE("a folder that is not there cannot be listed") {
  DataFolder data;
  TableFolder folder(data.path() / "t", "t_OFFLINE", {fs::canonical(data.path())});
  CHECK(folder.List().code() == StatusCode::kNotFound);
  CHECK(table_config::TypedTableName("t") == "t_OFFLINE");
  CHECK(table_config::TypedTableName("t_REALTIME") == "t_REALTIME");
}

TEST_CASE("what a link out of the data directory leads to is not read unless that is allowed") {
  DataFolder outside;
  outside.Segment("u", kSegment).Segment("u", kOther).Archive("a", kOther);
  DataFolder data;
  const fs::path t = data.path() / "t";
  data.Segment("t", kSegment);
  SECTION("a segment") { fs::create_directory_symlink(outside.path() / "u" / kOther, t / kOther); }
  SECTION("an archive") {
    const std::string file = std::string(kOther) + ".tar.gz";
    fs::create_symlink(outside.path() / "a" / file, t / file);
  }
  SECTION("a file of a segment") {
    data.Segment("t", kOther);
    fs::remove(t / kOther / "v3" / "columns.psf");
    fs::create_symlink(outside.path() / "u" / kOther / "v3" / "columns.psf",
                       t / kOther / "v3" / "columns.psf");
  }
  Folder refusing(data);
  refusing.Look();
  CHECK(refusing.names() == Names{kSegment});
  CHECK_THAT(refusing.broken()[kOther], Catch::Contains("out of the data directory") &&
                                            Catch::Contains(outside.path().filename().string()));
  Folder following(data, "t", true);
  following.Look();
  CHECK(following.names() == Names{kSegment, kOther});
  CHECK(following.broken().empty());
}

TEST_CASE("a table behind a link out of the data directory is refused, and so are its files") {
  DataFolder outside;
  outside.Segment("u", kSegment).File("schema.json", "{}");
  DataFolder data;
  data.Segment("s", kSegment);
  fs::create_symlink(outside.path() / "schema.json", data.path() / "s" / "schema.json");
  Folder file(data, "s");
  file.Look();
  CHECK_THAT(file.folder.info().refused, Catch::Contains("out of the data directory"));

  fs::create_directory_symlink(outside.path() / "u", data.path() / "t");
  Folder folder(data);
  folder.Look();
  CHECK(folder.names().empty());
  CHECK_THAT(folder.folder.info().refused, Catch::Contains("out of the data directory"));
  fs::remove(data.path() / "t");
  data.Segment("t", kOther);
  folder.Look();
  CHECK(folder.names() == Names{kOther});
  CHECK(folder.folder.info().refused.empty());
}

TEST_CASE("a segment in the place of a table is refused, one within a segment is named") {
  DataFolder data;
  data.Segment("t", kSegment).Segment(std::string("t/") + kSegment, kOther);
  data.Segment("t/wrapped", kOther);
  Folder folder(data);
  folder.Look();
  CHECK(folder.names() == Names{kSegment});
  CHECK_THAT(folder.broken()["wrapped"], Catch::Contains(kOther) && Catch::Contains("move it up"));
  Folder misplaced(data, std::string("t/") + kSegment);
  misplaced.Look();
  CHECK(misplaced.names().empty());
  CHECK_THAT(misplaced.folder.info().refused, Catch::Contains("TABLE/SEGMENT"));
}

TEST_CASE("archives of every ending are segments") {
  // What they are compressed with is told by their content: common/segment tests that.
  DataFolder data;
  const Names segments = {"rides_2026-06-01_2026-06-07", "rides_2026-06-08_2026-06-14",
                          "rides_2026-06-15_2026-06-21"};
  for (const std::string& segment : segments) data.Archive("t", segment);
  const fs::path t = data.path() / "t";
  fs::rename(t / (segments[0] + ".tar.gz"), t / (segments[0] + ".tgz"));
  fs::rename(t / (segments[1] + ".tar.gz"), t / (segments[1] + ".tar.zst"));
  fs::rename(t / (segments[2] + ".tar.gz"), t / (segments[2] + ".tar.lz4"));
  Folder folder(data);
  folder.Look();
  CHECK(folder.broken().empty());
  CHECK(folder.names() == segments);
}

}  // namespace
}  // namespace trellis::server
