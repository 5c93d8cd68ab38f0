#include "server/store/table_store.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

namespace trellis::server {
namespace {

namespace fs = std::filesystem;
const fs::path kExamples = TRELLIS_EXAMPLE_DATA;
constexpr char kSegment[] = "rides_2026-06-01_2026-06-07";
constexpr char kOther[] = "rides_2026-06-08_2026-06-14";

// A data directory for one test, removed with the object.
class DataDirectory {
 public:
  DataDirectory() {
    static int count = 0;
    path_ = fs::temp_directory_path() / fmt::format("table_store_{}_{}", ::getpid(), count++);
    fs::create_directories(path_);
  }
  ~DataDirectory() { fs::remove_all(path_); }
  DataDirectory(const DataDirectory&) = delete;
  DataDirectory& operator=(const DataDirectory&) = delete;

  const fs::path& path() const { return path_; }
  DataDirectory& Segment(const std::string& table, const std::string& segment) {
    fs::create_directories(path_ / table);
    fs::copy(kExamples / "rides" / segment, path_ / table / segment,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    return *this;
  }
  DataDirectory& Archive(const std::string& table, const std::string& segment) {
    fs::create_directories(path_ / table);
    const std::string command =
        fmt::format("tar -czf '{}' -C '{}' '{}'", (path_ / table / (segment + ".tar.gz")).string(),
                    (kExamples / "rides").string(), segment);
    REQUIRE(std::system(command.c_str()) == 0);
    return *this;
  }
  DataDirectory& File(const std::string& name, std::string_view text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this;
  }
  std::shared_ptr<const StoreSnapshot> Load() const {
    auto loaded = LoadDataDirectory(path_, {.threads = 3});
    REQUIRE(loaded.status().message() == "");
    return *loaded;
  }

 private:
  fs::path path_;
};

std::string Slurp(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("the example data loads with its tables, segments and files") {
  const auto store = LoadDataDirectory(kExamples, {}).value();
  REQUIRE(store->tables.contains("rides_OFFLINE"));
  REQUIRE(store->tables.contains("stations_OFFLINE"));
  const TableStore& rides = *store->tables.find("rides_OFFLINE")->second;
  REQUIRE(rides.segments.size() == 5);
  CHECK(rides.segments[0]->name() == kSegment);
  CHECK(rides.Find(kOther) == 1);
  CHECK(rides.Find("rides") == TableStore::npos);
  CHECK(rides.schema->Find("started_at")->type == DataType::kTimestamp);
  CHECK(rides.schema_json == Slurp(kExamples / "rides" / "schema.json"));
  CHECK(rides.config_json == Slurp(kExamples / "rides" / "tableConfig.json"));
  CHECK(rides.refused.empty());
  CHECK(rides.broken.empty());
  const auto again = LoadDataDirectory(kExamples, {}).value();
  CHECK(again->incarnation != store->incarnation);
}

TEST_CASE("a folder is a table of its type, OFFLINE where it names none") {
  const auto store = DataDirectory()
                         .Segment("plain", kSegment)
                         .Segment("typed_OFFLINE", kSegment)
                         .Segment("live_REALTIME", kSegment)
                         .Segment(".hidden", kSegment)
                         .Load();
  std::vector<std::string> names;
  for (const auto& [name, table] : store->tables) {
    names.push_back(name);
    CHECK(table->name == name);
    CHECK(table->segments.size() == 1);
  }
  CHECK(names == std::vector<std::string>{"live_REALTIME", "plain_OFFLINE", "typed_OFFLINE"});
  CHECK(store->tables.at("live_REALTIME")->schema->name() == "live");
}

TEST_CASE("one table under two folder names is refused by name") {
  DataDirectory data;
  data.Segment("t", kSegment).Segment("t_OFFLINE", kOther);
  const auto store = LoadDataDirectory(data.path(), {});
  CHECK(store.status().code() == StatusCode::kInvalidArgument);
  CHECK_THAT(store.status().message(), Catch::Contains("t_OFFLINE"));
}

TEST_CASE("an archive is a segment, unless a directory has its name") {
  const auto store = DataDirectory()
                         .Segment("t", kSegment)
                         .File(fmt::format("t/{}.tar.gz", kSegment), "not an archive")
                         .Archive("t", kOther)
                         .Load();
  const TableStore& table = *store->tables.at("t_OFFLINE");
  CHECK(table.broken.empty());
  REQUIRE(table.segments.size() == 2);
  CHECK(table.segments[1]->name() == kOther);
  CHECK(table.segments[1]->document_count() == 1000);
  CHECK(table.segments[1]->OpenColumn("station").ok());
}

TEST_CASE("segments that cannot be opened are kept by name and reason") {
  DataDirectory data;
  data.Segment("t", kSegment).Segment("t", kOther);
  data.File("t/torn.tar.gz", "not an archive").File("t/empty/readme", "no segment");
  fs::resize_file(data.path() / "t" / kOther / "v3" / "metadata.properties", 100);
  const auto store = data.Load();
  const TableStore& table = *store->tables.at("t_OFFLINE");
  REQUIRE(table.segments.size() == 1);
  CHECK(table.segments[0]->name() == kSegment);
  std::map<std::string, std::string> broken;
  for (const BrokenSegment& segment : table.broken) broken[segment.name] = segment.reason;
  CHECK(broken.size() == 3);
  for (const char* name : {"torn", "empty", kOther}) {
    INFO(name);
    CHECK_FALSE(broken[name].empty());
    CHECK(table.Find(name) == TableStore::npos);
  }
}

TEST_CASE("a segment behind a symbolic link is one, a link to nothing is broken by name") {
  DataDirectory data;
  fs::create_directories(data.path() / "t");
  fs::create_directory_symlink(kExamples / "rides" / kSegment, data.path() / "t" / kSegment);
  fs::create_directory_symlink(data.path() / "gone", data.path() / "t" / "dangling");
  const auto store = data.Load();
  const TableStore& table = *store->tables.at("t_OFFLINE");
  CHECK(table.Find(kSegment) == 0);
  REQUIRE(table.broken.size() == 1);
  CHECK(table.broken[0].name == "dangling");
}

TEST_CASE("a segment that lies in two folders of its table is held once") {
  DataDirectory data;
  data.Segment("t", kSegment);
  fs::copy(kExamples / "rides" / kSegment, data.path() / "t" / "copy", fs::copy_options::recursive);
  const auto store = data.Load();
  const TableStore& table = *store->tables.at("t_OFFLINE");
  CHECK(table.segments.size() == 1);
  CHECK(table.Find(kSegment) == 0);
}

TEST_CASE("without schema.json the schema is that of the segments") {
  const auto store = DataDirectory().Segment("t", kSegment).Segment("t", kOther).Load();
  const TableStore& table = *store->tables.at("t_OFFLINE");
  const auto examples = LoadDataDirectory(kExamples, {}).value();
  const TableStore& rides = *examples->tables.at("rides_OFFLINE");
  CHECK(table.schema->name() == "t");
  REQUIRE(table.schema->names() == rides.schema->names());
  for (const FieldSpec& field : rides.schema->fields()) {
    INFO(field.name);
    const FieldSpec& derived = *table.schema->Find(field.name);
    CHECK(derived.value_type() == field.value_type());
    CHECK(derived.role == field.role);
    CHECK(derived.default_null == field.default_null);
  }
  CHECK_THAT(table.schema_json, Catch::Contains("\"station\""));
}

TEST_CASE("upsert, dedup and column-based null handling refuse the table by name") {
  const auto refused = [](std::string_view file, std::string_view text) {
    DataDirectory data;
    data.Segment("t", kSegment).File(fmt::format("t/{}", file), text);
    return data.Load()->tables.at("t_OFFLINE")->refused;
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

TEST_CASE("a schema or configuration that is no JSON refuses its table, and no other") {
  for (const char* file : {"schema.json", "tableConfig.json"}) {
    DataDirectory data;
    data.Segment("t", kSegment).Segment("u", kSegment).File(fmt::format("t/{}", file), "{");
    const auto store = data.Load();
    CHECK_THAT(store->tables.at("t_OFFLINE")->refused, Catch::Contains(file));
    CHECK(store->tables.at("u_OFFLINE")->refused.empty());
    CHECK(store->tables.at("u_OFFLINE")->segments.size() == 1);
  }
}

TEST_CASE("a data directory that is missing or a file is refused by its path") {
  DataDirectory data;
  data.File("file", "");
  for (const char* name : {"missing", "file"}) {
    const auto store = LoadDataDirectory(data.path() / name, {});
    CHECK(store.status().code() == StatusCode::kNotFound);
    CHECK_THAT(store.status().message(), Catch::Contains((data.path() / name).string()));
  }
  fs::remove(data.path() / "file");
  CHECK(data.Load()->tables.empty());
}

TEST_CASE("a directory that may not be read is refused by its path") {
  if (::geteuid() == 0) return;  // root reads everything
  DataDirectory data;
  data.Segment("t", kSegment);
  for (const fs::path& path : {data.path(), data.path() / "t"}) {
    fs::permissions(path, fs::perms::none);
    const auto store = LoadDataDirectory(data.path(), {});
    fs::permissions(path, fs::perms::owner_all);
    CHECK_FALSE(store.ok());
    CHECK_THAT(store.status().message(), Catch::Contains(path.string()));
  }
}

}  // namespace
}  // namespace trellis::server
