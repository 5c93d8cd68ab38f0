#include "server/store/data_directory.h"

#include <algorithm>
#include <map>

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

// The folders of tables, by name with type.
Result<std::map<std::string, fs::path>> TablePaths(const fs::path& directory) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Status::NotFound("data directory {} {}", directory.string(),
                            error ? "cannot be read: " + error.message() : "is not a directory");
  }
  std::map<std::string, fs::path> paths;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string folder = entry->path().filename().string();
    if (folder.starts_with(".")) continue;
    std::error_code unknown;
    if (!entry->is_directory(unknown)) {
      TRELLIS_RETURN_IF_ERROR(CheckLeads(entry->path(), unknown));
      continue;
    }
    const std::string name = table_config::TypedTableName(folder);
    if (!paths.emplace(name, entry->path()).second) {
      return Status::InvalidArgument("{}: table {} is there under two folder names",
                                     entry->path().string(), name);
    }
  }
  if (error) return CannotReadDirectory(directory, error);
  return paths;
}

}  // namespace

struct DataDirectory::State {
  fs::path directory;
  LoadOptions options;
  OpenPolicy policy;
  std::shared_ptr<ServerInventory> inventory;
  Folders folders;

  // The tables that are there now, listed. Those that went while we looked are left out.
  Result<Folders> ListFolders() const {
    const FileIdentity before = IdentityOf(directory);
    TRELLIS_ASSIGN_OR_RETURN(const auto paths, TablePaths(directory));
    Folders found;
    for (const auto& [name, path] : paths) {
      const auto known = folders.find(name);
      std::shared_ptr<TableFolder> folder = known != folders.end() && known->second->path() == path
                                                ? known->second
                                                : std::make_shared<TableFolder>(path, name, policy);
      const Status listed = folder->List();
      if (!listed.ok() && IsGone(path)) continue;
      TRELLIS_RETURN_IF_ERROR(listed);
      found.emplace(name, std::move(folder));
    }
    if (IdentityOf(directory) != before) return DirectoryMoved(directory);
    return found;
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
    if (!refreshed.ok()) {
      status = refreshed.status();
      break;
    }
    changed |= *refreshed;
  }
  if (changed) state_->inventory->Changed();
  for (const auto& [name, table] : state_->inventory->tables()) table->ForgetOld();
  return status;
}

}  // namespace trellis::server
