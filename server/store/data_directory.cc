#include "server/store/data_directory.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/table_config/table_name.h"
#include "common/telemetry/log.h"
#include "common/telemetry/metrics.h"
#include "server/store/table_folder.h"

namespace trellis::server {
namespace {

namespace fs = std::filesystem;
using Folders = std::map<std::string, std::shared_ptr<TableFolder>>;  // by name with type

// What a link that leads nowhere is refused with: its table is not to vanish silently. OK for
// files, links to files, and what is there no more.
Status CheckLeads(const fs::path& path, const std::error_code& error) {
  std::error_code ignored;
  if (!fs::is_symlink(fs::symlink_status(path, ignored))) return {};
  if (error) return CannotReadDirectory(path, error);
  if (fs::exists(path, ignored)) return {};
  return CannotReadDirectory(path, std::make_error_code(std::errc::no_such_file_or_directory));
}

// What lies in the place of a table.
struct TablePlace {
  fs::path path;
  Status unreadable;   // where it leads nowhere for now
  fs::path duplicate;  // another folder of the same table, if there is one
};
using TablePlaces = std::map<std::string, TablePlace>;  // by name with type

// `nameless` is given what is a type without a name.
Result<TablePlaces> FindTables(const fs::path& directory, std::set<fs::path>& nameless) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Status::NotFound("data directory {} {}", directory.string(),
                            error ? "cannot be read: " + error.message() : "is not a directory");
  }
  TablePlaces places;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string folder = entry->path().filename().string();
    if (folder.starts_with(".")) continue;
    TablePlace place{entry->path(), {}, {}};
    std::error_code unknown;
    if (!entry->is_directory(unknown)) {
      place.unreadable = CheckLeads(entry->path(), unknown);
      if (place.unreadable.ok()) continue;
    }
    if (table_config::RawTableName(folder).empty()) {
      nameless.insert(place.path);
      continue;
    }
    const auto [at, fresh] = places.emplace(table_config::TypedTableName(folder), place);
    if (fresh) continue;
    if (place.path < at->second.path) std::swap(place, at->second);
    at->second.duplicate = place.path;
  }
  if (error) return CannotReadDirectory(directory, error);
  return places;
}

}  // namespace

struct DataDirectory::State {
  fs::path directory;
  LoadOptions options;
  OpenPolicy policy;
  std::shared_ptr<ServerInventory> inventory;
  Folders folders;
  std::set<fs::path> nameless;  // those warned of

  // The tables that are there now, listed. Those that went while we looked are left out.
  Result<Folders> ListFolders() {
    const FileIdentity before = IdentityOf(directory);
    std::set<fs::path> without_name;
    TRELLIS_ASSIGN_OR_RETURN(const TablePlaces places, FindTables(directory, without_name));
    Folders found;
    for (const auto& [name, place] : places) {
      const auto known = folders.find(name);
      const bool same = known != folders.end() && known->second->path() == place.path;
      std::shared_ptr<TableFolder> folder =
          same ? known->second : std::make_shared<TableFolder>(place.path, name, policy);
      if (List(place, *folder)) found.emplace(name, std::move(folder));
    }
    if (IdentityOf(directory) != before) return DirectoryMoved(directory);
    for (const fs::path& path : without_name) {
      if (!nameless.contains(path))
        spdlog::warn("{} is a table's type and no name: it is passed over", path.string());
    }
    nameless = std::move(without_name);
    return found;
  }

  // Whether the table is there.
  static bool List(const TablePlace& place, TableFolder& folder) {
    if (!place.duplicate.empty()) {
      folder.Refuse(fmt::format("the table is there under two folder names, {} and {}",
                                place.path.string(), place.duplicate.string()));
      return true;
    }
    const Status listed = place.unreadable.ok() ? folder.List() : place.unreadable;
    if (listed.ok()) return true;
    if (IsGone(place.path)) return false;
    if (!folder.StayAsServed(listed)) folder.Refuse(listed.message());
    return true;
  }

  // Takes over one table's changes; whether there were any.
  Result<bool> Refresh(const std::string& name, TableFolder& folder) {
    TRELLIS_ASSIGN_OR_RETURN(TableFolder::Change change, folder.Refresh(options.threads));
    auto table = inventory->Find(name);
    const bool fresh = table == nullptr;
    if (fresh) table = inventory->Table(name, *std::exchange(change.info, std::nullopt));
    if (change.empty() && !fresh) return false;
    const size_t came = change.add.size();
    const size_t before = table->current()->size();
    CountMetric("trellis_server_segments_added_total",
                "Segments taken over from the data directory", static_cast<double>(came));
    CountMetric("trellis_server_segments_dropped_total", "Segments that left the data directory",
                static_cast<double>(change.drop.size()));
    const size_t went = change.drop.size();
    const bool described = change.info.has_value();
    const auto after = table->Apply(std::move(change.add), change.drop, std::move(change.info));
    const TableInfo& info = after->info();
    spdlog::info("table {}: {} segments, {} broken{}; {} came, {} went, {} replaced{}", name,
                 after->size(), info.broken.size(),
                 info.refused.empty() ? "" : ", refused: " + info.refused,
                 after->size() + went - before, went, came - (after->size() + went - before),
                 described ? ", described anew" : "");
    return true;
  }
};

DataDirectory::DataDirectory(std::unique_ptr<State> state) : state_(std::move(state)) {}
DataDirectory::~DataDirectory() = default;

Result<std::unique_ptr<DataDirectory>> DataDirectory::Open(const fs::path& directory,
                                                           const LoadOptions& options) {
  auto state = std::make_unique<State>();
  state->directory = directory;
  state->options = options;
  std::error_code unreadable;  // told by the scan
  state->policy = {fs::canonical(directory, unreadable), options.follow_links, options.verify,
                   options.legacy_padding};
  state->inventory = std::make_shared<ServerInventory>(options.inventory);
  std::unique_ptr<DataDirectory> opened(new DataDirectory(std::move(state)));
  TRELLIS_RETURN_IF_ERROR(opened->Rescan());
  return opened;
}

const std::shared_ptr<ServerInventory>& DataDirectory::inventory() const {
  return state_->inventory;
}

Status DataDirectory::Rescan() {
  TRELLIS_ASSIGN_OR_RETURN(Folders found, state_->ListFolders());
  bool changed = false;
  for (const auto& [name, folder] : state_->folders) {
    const auto still = found.find(name);
    if (still != found.end() && still->second == folder) continue;
    spdlog::info("table {} is gone", name);
    state_->inventory->Remove(name);
    changed = true;
  }
  state_->folders = std::move(found);
  Status status;
  for (const auto& [name, folder] : state_->folders) {
    const auto refreshed = state_->Refresh(name, *folder);
    if (!refreshed.ok() && status.ok()) status = refreshed.status();
    changed |= refreshed.ok() && *refreshed;
  }
  if (changed) state_->inventory->Changed();
  for (const auto& [name, table] : state_->inventory->tables()) table->ForgetOld();
  return status;
}

}  // namespace trellis::server
