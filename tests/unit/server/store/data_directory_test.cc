#include "server/store/data_directory.h"

#include <spdlog/sinks/base_sink.h>

#include <functional>
#include <map>
#include <mutex>

#include "common/telemetry/log.h"
#include "tests/unit/server/store/data_folder.h"

namespace trellis::server {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("the example data loads with its tables, segments and files") {
  const auto data = DataDirectory::Open(kExamples, {}).value();
  CHECK(data->inventory()->Find("stations_OFFLINE") != nullptr);
  const Snapshot rides = TableOf(*data, "rides_OFFLINE");
  REQUIRE(rides->size() == 5);
  CHECK(rides->documents_total() == 5000);
  CHECK(NamesOf(rides)[0] == kSegment);
  CHECK(NamesOf(rides)[1] == kOther);
  const TableInfo& info = rides->info();
  CHECK(info.name == "rides_OFFLINE");
  CHECK(info.schema->Find("started_at")->type == DataType::kTimestamp);
  CHECK(info.schema_json == Slurp(kExamples / "rides" / "schema.json"));
  CHECK(info.config_json == Slurp(kExamples / "rides" / "tableConfig.json"));
  CHECK(info.refused.empty());
  CHECK(info.broken.empty());
  // What the table's configuration names: its time column and the column it is sorted by.
  const SegmentFacts& facts = rides->Find(0)->facts;
  REQUIRE(facts.zones.size() == 2);
  CHECK(facts.zones[0].column == "started_at");
  CHECK(facts.zones[0].min == 1780272363000);
  CHECK(facts.zones[0].max == 1780875593000);
  CHECK(facts.zones[1].column == "day");
}

TEST_CASE("a folder is a table of its type, OFFLINE where it names none") {
  DataFolder folder;
  const auto data = folder.Segment("plain", kSegment)
                        .Segment("typed_OFFLINE", kSegment)
                        .Segment("live_REALTIME", kSegment)
                        .Segment(".hidden", kSegment)
                        .Open();
  Names names;
  for (const auto& [name, table] : data->inventory()->tables()) {
    names.push_back(name);
    CHECK(table->current()->info().name == name);
    CHECK(table->current()->size() == 1);
  }
  CHECK(names == Names{"live_REALTIME", "plain_OFFLINE", "typed_OFFLINE"});
  CHECK(TableOf(*data, "live_REALTIME")->info().schema->name() == "live");
}

std::string RefusedOf(const DataDirectory& data, const std::string& table) {
  return TableOf(data, table)->info().refused;
}

TEST_CASE("one table under two folder names is refused, at first or later, and no other") {
  DataFolder folder;
  const auto data = folder.Segment("t", kSegment).Open();
  folder.Segment("t_OFFLINE", kOther).Segment("u", kOther);
  REQUIRE(data->Rescan().ok());
  const auto anew = folder.Open();
  for (const auto& each : {data.get(), anew.get()}) {
    const std::string refused = RefusedOf(*each, "t_OFFLINE");
    CHECK_THAT(refused, Catch::Contains((folder.path() / "t").string() + " and"));
    CHECK_THAT(refused, Catch::EndsWith((folder.path() / "t_OFFLINE").string()));
    CHECK(NamesOf(TableOf(*each, "u_OFFLINE")) == Names{kOther});
  }
  folder.Remove("t");
  REQUIRE(data->Rescan().ok());
  CHECK(RefusedOf(*data, "t_OFFLINE").empty());
  CHECK(NamesOf(TableOf(*data, "t_OFFLINE")) == Names{kOther});
}

TEST_CASE("a folder whose name is but a type is no table") {
  DataFolder folder;
  const auto data = folder.Segment("_OFFLINE", kSegment)
                        .Segment("_REALTIME", kSegment)
                        .Segment("t", kSegment)
                        .Open();
  CHECK(data->Rescan().ok());
  CHECK(data->inventory()->tables().size() == 1);
  CHECK(TableOf(*data, "t_OFFLINE")->size() == 1);
}

TEST_CASE("a data directory that is missing or a file is refused by its path") {
  DataFolder folder;
  folder.File("file", "");
  for (const char* name : {"missing", "file"}) {
    const auto data = DataDirectory::Open(folder.path() / name, {});
    CHECK(data.status().code() == StatusCode::kNotFound);
    CHECK_THAT(data.status().message(), Catch::Contains((folder.path() / name).string()));
  }
  folder.Remove("file");
  CHECK(folder.Open()->inventory()->tables().empty());
}

TEST_CASE("a data directory that may not be read is refused by its path") {
  if (::geteuid() == 0) return;  // root reads everything
  DataFolder folder;
  const auto opened = folder.Segment("t", kSegment).Open();
  fs::permissions(folder.path(), fs::perms::none);
  const auto data = DataDirectory::Open(folder.path(), {});
  const Status again = opened->Rescan();
  fs::permissions(folder.path(), fs::perms::owner_all);
  CHECK_FALSE(data.ok());
  CHECK_THAT(data.status().message(), Catch::Contains(folder.path().string()));
  CHECK_FALSE(again.ok());
  CHECK(TableOf(*opened, "t_OFFLINE")->size() == 1);
}

TEST_CASE("a table's folder that may not be read costs that table, and nothing that was served") {
  if (::geteuid() == 0) return;  // root reads everything
  const auto perms = GENERATE(fs::perms::none, fs::perms::owner_read, fs::perms::owner_exec);
  DataFolder folder;
  const auto before = folder.Segment("t", kSegment).Open();
  folder.Segment("u", kOther);
  fs::permissions(folder.path() / "t", perms);
  const auto after = folder.Open();
  CHECK(before->Rescan().ok());
  CHECK(after->Rescan().ok());
  CHECK(NamesOf(TableOf(*before, "t_OFFLINE")) == Names{kSegment});
  CHECK(RefusedOf(*before, "t_OFFLINE").empty());
  CHECK_THAT(RefusedOf(*after, "t_OFFLINE"), Catch::Contains((folder.path() / "t").string()));
  for (const auto& data : {before.get(), after.get()})
    CHECK(NamesOf(TableOf(*data, "u_OFFLINE")) == Names{kOther});
  fs::permissions(folder.path() / "t", fs::perms::owner_all);
  for (const auto& data : {before.get(), after.get()}) {
    CHECK(data->Rescan().ok());
    CHECK(RefusedOf(*data, "t_OFFLINE").empty());
    CHECK(NamesOf(TableOf(*data, "t_OFFLINE")) == Names{kSegment});
  }
}

// Counts what watchers are told.
struct Changes {
  explicit Changes(const DataDirectory& data) : inventory(data.inventory()) {
    subscription = inventory->Subscribe([this] { ++count; });
  }
  ~Changes() { inventory->Unsubscribe(subscription); }
  std::shared_ptr<ServerInventory> inventory;
  uint64_t subscription;
  int count = 0;
};

TEST_CASE("a look that finds nothing new changes nothing and tells nobody") {
  DataFolder folder;
  const auto data =
      folder.Segment("t", kSegment).Archive("t", kOther).File("t/torn.tar.gz", "torn").Open();
  const Changes changes(*data);
  const Snapshot before = TableOf(*data, "t_OFFLINE");
  for (int i = 0; i < 3; ++i) CHECK(data->Rescan().ok());
  CHECK(TableOf(*data, "t_OFFLINE") == before);
  CHECK(changes.count == 0);
}

TEST_CASE("segments and archives come and go with their files") {
  DataFolder folder;
  const auto data = folder.Segment("t", kSegment).Open();
  const Changes changes(*data);
  const Snapshot first = TableOf(*data, "t_OFFLINE");
  folder.Archive("t", kOther);
  REQUIRE(data->Rescan().ok());
  const Snapshot second = TableOf(*data, "t_OFFLINE");
  CHECK(NamesOf(second) == Names{kSegment, kOther});
  CHECK(second->epoch() == first->epoch() + 1);
  CHECK(second->Find(0) == first->Find(0));
  CHECK(changes.count == 1);
  folder.Remove(std::string("t/") + kSegment);
  REQUIRE(data->Rescan().ok());
  CHECK(NamesOf(TableOf(*data, "t_OFFLINE")) == Names{kOther});
  CHECK(changes.count == 2);
  // What was pinned reads on although its files are gone.
  const auto column = first->segments()[0]->OpenColumn("station");
  REQUIRE(column.status().message() == "");
}

TEST_CASE("tables come and go with their folders, and come back as others") {
  DataFolder folder;
  const auto data = folder.Segment("t", kSegment).Open();
  const Changes changes(*data);
  folder.Segment("u_REALTIME", kOther);
  REQUIRE(data->Rescan().ok());
  CHECK(NamesOf(TableOf(*data, "u_REALTIME")) == Names{kOther});
  const uint64_t incarnation = TableOf(*data, "u_REALTIME")->incarnation();
  folder.Remove("u_REALTIME");
  REQUIRE(data->Rescan().ok());
  CHECK(data->inventory()->Find("u_REALTIME") == nullptr);
  CHECK(changes.count == 2);
  folder.Segment("u_REALTIME", kOther);
  REQUIRE(data->Rescan().ok());
  CHECK(TableOf(*data, "u_REALTIME")->incarnation() != incarnation);
  CHECK(TableOf(*data, "t_OFFLINE")->size() == 1);
  // The same table under another folder name.
  fs::rename(folder.path() / "t", folder.path() / "t_OFFLINE");
  REQUIRE(data->Rescan().ok());
  CHECK(TableOf(*data, "t_OFFLINE")->size() == 1);
}

TEST_CASE("a data directory that goes away leaves the tables as they were until it is back") {
  DataFolder folder;
  const auto data = folder.Segment("d/t", kSegment).Open();
  const auto inner = DataDirectory::Open(folder.path() / "d", {}).value();
  fs::rename(folder.path() / "d", folder.path() / "away");
  CHECK(inner->Rescan().code() == StatusCode::kNotFound);
  CHECK(TableOf(*inner, "t_OFFLINE")->size() == 1);
  fs::rename(folder.path() / "away", folder.path() / "d");
  CHECK(inner->Rescan().ok());
  CHECK(TableOf(*inner, "t_OFFLINE")->size() == 1);
}

TEST_CASE("a link in the place of a table that leads nowhere costs that table only") {
  DataFolder folder;
  const auto data = folder.Segment("t", kSegment).File("d/file", "").Open();
  const Snapshot before = TableOf(*data, "t_OFFLINE");
  folder.Remove("d").Segment("u", kOther);
  const fs::path link = folder.path() / "t";
  const fs::path file = folder.path() / "u" / kOther / "v3" / "metadata.properties";
  for (const fs::path& target : {folder.path() / "nowhere", link}) {
    INFO(target);
    fs::remove_all(link);
    fs::create_symlink(target, link);
    REQUIRE(data->Rescan().ok());
    CHECK(TableOf(*data, "t_OFFLINE") == before);  // it was served: its disk may come back
    const auto anew = folder.Open();
    CHECK_THAT(RefusedOf(*anew, "t_OFFLINE"), Catch::Contains(link.string()));
    CHECK(TableOf(*anew, "t_OFFLINE")->size() == 0);
    for (const auto& each : {data.get(), anew.get()})
      CHECK(NamesOf(TableOf(*each, "u_OFFLINE")) == Names{kOther});
  }
  const auto refused = folder.Open();
  fs::remove(link);
  fs::create_symlink(file, link);  // as good as a file, which is no table
  fs::create_symlink(folder.path() / "nowhere", folder.path() / ".hidden");
  for (const auto& each : {data.get(), refused.get()}) {
    REQUIRE(each->Rescan().ok());
    CHECK(each->inventory()->Find("t_OFFLINE") == nullptr);
    CHECK(NamesOf(TableOf(*each, "u_OFFLINE")) == Names{kOther});
  }
}

TEST_CASE("a link whose target comes back is served again, with what has changed in it") {
  DataFolder folder;
  folder.Segment("elsewhere/t", kSegment).Segment("d/u", kOther);
  const fs::path target = folder.path() / "elsewhere" / "t";
  fs::create_directory_symlink(target, folder.path() / "d" / "t");
  const auto data = DataDirectory::Open(folder.path() / "d", {.follow_links = true}).value();
  fs::rename(target, folder.path() / "away");
  REQUIRE(data->Rescan().ok());
  CHECK(NamesOf(TableOf(*data, "t_OFFLINE")) == Names{kSegment});
  folder.Segment("away", kOther);
  fs::rename(folder.path() / "away", target);
  REQUIRE(data->Rescan().ok());
  CHECK(NamesOf(TableOf(*data, "t_OFFLINE")) == Names{kSegment, kOther});
  fs::remove(folder.path() / "d" / "t");
  REQUIRE(data->Rescan().ok());
  CHECK(data->inventory()->Find("t_OFFLINE") == nullptr);
}

TEST_CASE("a segment that was cut under a query is opened anew, though it is whole again") {
  DataFolder folder;
  const auto data = folder.Segment("t", kSegment).Open();
  const Snapshot before = TableOf(*data, "t_OFFLINE");
  const segment::Segment& cut = *before->segments()[0];
  REQUIRE(cut.OpenColumn("station").ok());
  const fs::path file = folder.path() / "t" / kSegment / "v3" / "columns.psf";
  const std::string bytes = Slurp(file);
  const auto time = fs::last_write_time(file);
  fs::resize_file(file, 0);
  CHECK(cut.CheckIntact().IsCorrupt());
  folder.File(fmt::format("t/{}/v3/columns.psf", kSegment), bytes);
  fs::last_write_time(file, time);
  REQUIRE(data->Rescan().ok());
  const Snapshot after = TableOf(*data, "t_OFFLINE");
  REQUIRE(NamesOf(after) == Names{kSegment});
  const segment::Segment* anew = after->segments()[0];
  CHECK(anew != &cut);
  CHECK(anew->CheckIntact().ok());
  CHECK(anew->OpenColumn("station").ok());
  REQUIRE(data->Rescan().ok());
  CHECK(TableOf(*data, "t_OFFLINE") == after);
}

// Does something once, at the first line of the log while it lives.
class AtFirstLine : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit AtFirstLine(std::function<void()> act) : act_(std::move(act)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg&) override {
    if (act_) std::exchange(act_, nullptr)();
  }
  void flush_() override {}

 private:
  std::function<void()> act_;
};

TEST_CASE("a directory moved away between two tables ends the look: the second is as it was") {
  DataFolder folder;
  folder.Segment("d/t", kSegment).Segment("d/u", kSegment);
  const fs::path directory = folder.path() / "d";
  const auto data = DataDirectory::Open(directory, {}).value();
  folder.Segment("d/t", kOther).Segment("d/u", kOther);
  const Changes changes(*data);
  const Snapshot before = TableOf(*data, "u_OFFLINE");
  const auto logger = spdlog::default_logger();
  const auto level = logger->level();
  logger->set_level(spdlog::level::info);
  logger->sinks().push_back(
      std::make_shared<AtFirstLine>([&] { fs::rename(directory, folder.path() / "away"); }));
  const Status status = data->Rescan();
  logger->sinks().pop_back();
  logger->set_level(level);
  CHECK(status.code() == StatusCode::kUnavailable);
  CHECK_THAT(status.message(), Catch::Contains(directory.string()));
  CHECK(TableOf(*data, "t_OFFLINE")->size() == 2);
  CHECK(TableOf(*data, "u_OFFLINE") == before);
  CHECK(changes.count == 1);
  fs::rename(folder.path() / "away", directory);
  REQUIRE(data->Rescan().ok());
  const Snapshot after = TableOf(*data, "u_OFFLINE");
  CHECK(NamesOf(after) == Names{kSegment, kOther});
  CHECK(after->Find(0) == before->Find(0));
}

}  // namespace
}  // namespace trellis::server
