#include "server/store/table_store.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "common/table_config/schema_json.h"
#include "common/table_config/table_config.h"
#include "common/telemetry/log.h"

namespace trellis::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOffline = "_OFFLINE";
constexpr std::string_view kRealtime = "_REALTIME";
constexpr std::string_view kArchive = ".tar.gz";

std::string TypedName(const std::string& folder) {
  return folder.ends_with(kOffline) || folder.ends_with(kRealtime) ? folder
                                                                   : folder + std::string(kOffline);
}

std::string RawName(const std::string& typed) {
  for (const std::string_view suffix : {kOffline, kRealtime}) {
    if (typed.ends_with(suffix)) return typed.substr(0, typed.size() - suffix.size());
  }
  return typed;
}

Status CannotRead(const fs::path& path, const std::error_code& error) {
  if (error == std::errc::permission_denied)
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("directory {} cannot be read: {}", path.string(), error.message()));
  return Status::NotFound("directory {} cannot be read: {}", path.string(), error.message());
}

Result<std::string> ReadSmallFile(const fs::path& path) {
  constexpr uintmax_t kSizeMax = 16 << 20;
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return Status::Unavailable("cannot read {}: {}", path.string(), error.message());
  if (size > kSizeMax)
    return Status::InvalidArgument("{}: {} bytes, at most {} expected", path.string(), size,
                                   kSizeMax);
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return Status::Unavailable("cannot read {}", path.string());
  return text.str();
}

// What can hold a segment: its directory, or an archive where no directory has the name. A link to
// nothing is one too, so that it is listed as broken rather than overlooked.
Result<std::vector<fs::path>> SegmentPaths(const fs::path& table) {
  std::set<std::string> directories;
  std::vector<fs::path> archives;
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator entries(table, error);
  if (error) return CannotRead(table, error);
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") || name.ends_with(".json")) continue;
    if (entry.is_directory(error) || (entry.is_symlink(error) && !entry.exists(error))) {
      directories.insert(name);
      paths.push_back(entry.path());
    } else if (name.ends_with(kArchive)) {
      archives.push_back(entry.path());
    }
  }
  for (const fs::path& archive : archives) {
    const std::string name = archive.filename().string();
    if (!directories.contains(name.substr(0, name.size() - kArchive.size())))
      paths.push_back(archive);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool HasUpsertSnapshot(const fs::path& segment) {
  std::error_code error;
  for (const char* name : {"validdocids.bitmap.snapshot", "queryabledocids.bitmap.snapshot"}) {
    if (fs::exists(segment / name, error) || fs::exists(segment / "v3" / name, error)) return true;
  }
  return false;
}

class TableLoader {
 public:
  TableLoader(fs::path path, std::string name) : path_(std::move(path)) {
    table_->name = std::move(name);
  }

  Status Load(size_t threads) {
    ReadConfig();
    TRELLIS_RETURN_IF_ERROR(OpenSegments(threads));
    ReadSchema();
    return Status::Ok();
  }
  std::shared_ptr<const TableStore> Take() { return table_; }

 private:
  // One table's bad file refuses that table; the others answer.
  void Refuse(const fs::path& file, const Status& status) {
    spdlog::warn("table {} is refused: {}: {}", table_->name, file.string(), status.message());
    table_->refused = fmt::format("{}: {}", file.filename().string(), status.message());
  }

  void ReadConfig() {
    std::error_code error;
    const fs::path file = path_ / "tableConfig.json";
    if (!fs::exists(file, error)) return;
    const auto text = ReadSmallFile(file);
    const auto config = text.ok() ? table_config::ParseTableConfig(*text)
                                  : Result<table_config::TableConfig>(text.status());
    if (!config.ok()) return Refuse(file, config.status());
    table_->config_json = *text;
    if (config->has_upsert) table_->refused = "upsert tables (upsertConfig) are not supported yet";
    if (config->has_dedup) table_->refused = "dedup tables (dedupConfig) are not supported yet";
    if (config->table_name != RawName(table_->name)) {
      spdlog::warn("{}: names table '{}', the folder's name '{}' is used", file.string(),
                   config->table_name, RawName(table_->name));
    }
  }

  Status OpenSegments(size_t threads) {
    TRELLIS_ASSIGN_OR_RETURN(const std::vector<fs::path> paths, SegmentPaths(path_));
    std::vector<Result<std::shared_ptr<segment::Segment>>> opened(paths.size(),
                                                                  Status::Internal("not opened"));
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < paths.size(); i = next++)
        opened[i] = segment::Segment::Open(paths[i]);
    };
    std::vector<std::thread> pool;
    for (size_t i = 1; i < std::min(threads, paths.size()); ++i) pool.emplace_back(work);
    work();
    for (std::thread& thread : pool) thread.join();
    for (size_t i = 0; i < paths.size(); ++i) Keep(paths[i], opened[i]);
    std::sort(table_->segments.begin(), table_->segments.end(),
              [](const auto& a, const auto& b) { return a->name() < b->name(); });
    for (size_t i = 0; i < table_->segments.size(); ++i)
      table_->ordinal_by_name[table_->segments[i]->name()] = i;
    return Status::Ok();
  }

  void Keep(const fs::path& path, Result<std::shared_ptr<segment::Segment>>& opened) {
    std::string name = path.filename().string();
    if (name.ends_with(kArchive)) name.resize(name.size() - kArchive.size());
    if (!opened.ok()) {
      spdlog::warn("table {}: segment {} is skipped: {}", table_->name, name,
                   opened.status().message());
      table_->broken.push_back({name, opened.status().message()});
      return;
    }
    if (HasUpsertSnapshot(path))
      table_->refused =
          "segment " + name +
          " has an upsert snapshot (validDocIds): upsert tables are not supported yet";
    const std::shared_ptr<const segment::Segment> segment = *opened;
    if (segment->name() != name) {
      spdlog::warn("table {}: {} holds segment '{}', which is its name", table_->name,
                   path.string(), segment->name());
    }
    if (!table_->ordinal_by_name.emplace(segment->name(), 0).second) {
      spdlog::warn("table {}: segment {} is there twice, {} is skipped", table_->name,
                   segment->name(), path.string());
      return;
    }
    table_->segments.push_back(segment);
  }

  void ReadSchema() {
    std::error_code error;
    const fs::path file = path_ / "schema.json";
    if (fs::exists(file, error)) {
      const auto text = ReadSmallFile(file);
      auto parsed = text.ok() ? table_config::ParseSchemaFile(*text)
                              : Result<table_config::SchemaFile>(text.status());
      if (parsed.ok()) {
        if (parsed->column_based_null_handling)
          table_->refused = "enableColumnBasedNullHandling is not supported yet";
        table_->schema_json = *text;
        table_->schema = std::make_shared<const Schema>(std::move(parsed->schema));
        return;
      }
      Refuse(file, parsed.status());
    }
    // Every column of any segment; the last segment in name order has the last word on its type.
    std::map<std::string, FieldSpec> fields;
    for (const auto& segment : table_->segments) {
      for (const segment::ColumnMetadata& column : segment->metadata().columns)
        fields[column.field.name] = column.field;
    }
    if (!table_->segments.empty()) {
      // Children of OPEN_STRUCT columns are no columns of their own.
      const Schema derived =
          segment::DeriveSchema(RawName(table_->name), table_->segments.back()->metadata());
      for (const FieldSpec& field : derived.fields()) fields[field.name] = field;
    }
    std::vector<FieldSpec> list;
    for (auto& [name, field] : fields) list.push_back(std::move(field));
    table_->schema = std::make_shared<const Schema>(RawName(table_->name), std::move(list));
    table_->schema_json = table_config::SchemaToJson(*table_->schema);
  }

  fs::path path_;
  std::shared_ptr<TableStore> table_ = std::make_shared<TableStore>();
};

}  // namespace

size_t TableStore::Find(std::string_view segment) const {
  const auto found = ordinal_by_name.find(segment);
  return found == ordinal_by_name.end() ? npos : found->second;
}

Result<std::shared_ptr<const StoreSnapshot>> LoadDataDirectory(const fs::path& directory,
                                                               const LoadOptions& options) {
  std::error_code error;
  if (!fs::is_directory(directory, error)) {
    return Status::NotFound("data directory {} {}", directory.string(),
                            error ? "cannot be read: " + error.message() : "is not a directory");
  }
  std::vector<fs::path> folders;
  fs::directory_iterator entries(directory, error);
  if (error) return CannotRead(directory, error);
  for (const auto& entry : entries) {
    if (entry.is_directory(error) && !entry.path().filename().string().starts_with("."))
      folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  auto snapshot = std::make_shared<StoreSnapshot>();
  std::random_device random;
  snapshot->incarnation = (uint64_t{random()} << 32) | random();
  for (const fs::path& folder : folders) {
    const std::string name = TypedName(folder.filename().string());
    if (snapshot->tables.contains(name)) {
      return Status::InvalidArgument("{}: table {} is there under two folder names",
                                     folder.string(), name);
    }
    TableLoader loader(folder, name);
    TRELLIS_RETURN_IF_ERROR(loader.Load(options.threads));
    const auto table = loader.Take();
    spdlog::info("table {}: {} segments, {} broken{}", name, table->segments.size(),
                 table->broken.size(),
                 table->refused.empty() ? "" : ", refused: " + table->refused);
    snapshot->tables.emplace(name, table);
  }
  return std::shared_ptr<const StoreSnapshot>(snapshot);
}

}  // namespace trellis::server
