#include "server/store/table_folder.h"

#include <algorithm>
#include <atomic>
#include <fstream>
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
// Files untouched for so long are taken to be whole: writers do not pause longer.
constexpr int64_t kSettledNs = 10'000'000'000;

std::string RawName(const std::string& typed) {
  for (const std::string_view suffix : {kOffline, kRealtime}) {
    if (typed.ends_with(suffix)) return typed.substr(0, typed.size() - suffix.size());
  }
  return typed;
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

// Names of what can hold a segment: its directory, or an archive where no directory has the name. A
// link to nothing is one too, so that it is listed as broken rather than overlooked.
Result<std::vector<std::string>> SegmentFiles(const fs::path& table) {
  std::set<std::string> directories;
  std::vector<std::string> archives;
  std::error_code error;
  fs::directory_iterator entry(table, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(".") || name.ends_with(".json")) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored) || (entry->is_symlink(ignored) && !entry->exists(ignored))) {
      directories.insert(std::move(name));
    } else if (name.ends_with(kArchive)) {
      archives.push_back(std::move(name));
    }
  }
  if (error) return CannotReadDirectory(table, error);
  std::vector<std::string> files(directories.begin(), directories.end());
  for (std::string& archive : archives) {
    if (!directories.contains(archive.substr(0, archive.size() - kArchive.size())))
      files.push_back(std::move(archive));
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool HasUpsertSnapshot(const fs::path& segment) {
  std::error_code error;
  for (const char* name : {"validdocids.bitmap.snapshot", "queryabledocids.bitmap.snapshot"}) {
    if (fs::exists(segment / name, error) || fs::exists(segment / "v3" / name, error)) return true;
  }
  return false;
}

std::string EntryName(std::string name) {
  if (name.ends_with(kArchive)) name.resize(name.size() - kArchive.size());
  return name;
}

// What opens without an error and cannot be served all the same.
Status CheckServable(const segment::Segment& segment) {
  if (segment.name().size() > kSegmentNameBytesMax) {
    return Status::InvalidArgument("its name has {} bytes, at most {} expected",
                                   segment.name().size(), kSegmentNameBytesMax);
  }
  if (segment.document_count() > 0 && !segment.metadata().columns.empty() &&
      segment.directory().entries().empty()) {
    return Status::Corrupt("{} rows and no column's data: is it still being written?",
                           segment.document_count());
  }
  return {};
}

bool SameBroken(const std::vector<BrokenSegment>& a, const std::vector<BrokenSegment>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& left, const auto& right) {
                      return left.name == right.name && left.reason == right.reason;
                    });
}

bool SameInfo(const TableInfo& a, const TableInfo& b) {
  return a.schema_json == b.schema_json && a.config_json == b.config_json &&
         a.refused == b.refused && SameBroken(a.broken, b.broken);
}

}  // namespace

std::string TypedTableName(const std::string& folder) {
  return folder.ends_with(kOffline) || folder.ends_with(kRealtime) ? folder
                                                                   : folder + std::string(kOffline);
}

Status CannotReadDirectory(const fs::path& path, const std::error_code& error) {
  if (error == std::errc::permission_denied)
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("directory {} cannot be read: {}", path.string(), error.message()));
  return Status::NotFound("directory {} cannot be read: {}", path.string(), error.message());
}

TableFolder::TableFolder(fs::path path, std::string name)
    : path_(std::move(path)), name_(std::move(name)) {}

Status TableFolder::List() {
  // A folder's own time tells of what came and went in it, but not within a tick of the clock.
  int64_t changed_ns = 0;
  const FileStamp folder = StampOf(path_, &changed_ns);
  if (folder == listed_folder_ && folder != FileStamp()) return {};
  TRELLIS_ASSIGN_OR_RETURN(listed_, SegmentFiles(path_));
  listed_folder_ = changed_ns + kSettledNs < FileClockNow() ? folder : FileStamp();
  return {};
}

void TableFolder::Open(const fs::path& path, Entry& entry) {
  entry.stamp = StampSegment(path);
  entry.seen = {};
  entry.settled = false;
  entry.upsert_snapshot = HasUpsertSnapshot(path);
  auto opened = segment::Segment::Open(path);
  if (!opened.ok()) {
    entry.opened = opened.status();
  } else if (const Status status = CheckServable(**opened); !status.ok()) {
    entry.opened = status.WithContext("segment " + path.string());
  } else {
    entry.opened = SegmentPointer(std::move(*opened));
  }
}

bool TableFolder::IsUnchanged(const std::string& path, Entry& entry) {
  if (entry.settled && GlanceHolds(path, entry.stamp)) return true;
  SegmentStamp now = StampSegment(path);
  if (!entry.settled && now.SameFiles(entry.stamp)) {
    // A broken one is looked at in full each time: any of its files may be what makes it whole.
    if (entry.opened.ok() && now.changed_ns + kSettledNs < FileClockNow()) {
      entry.settled = true;
      entry.stamp.files = {};
    }
    return true;
  }
  // An archive is unpacked to be opened: not again and again while it grows.
  if (path.ends_with(kArchive) && !now.SameFiles(entry.seen)) {
    entry.seen = std::move(now);
    return true;
  }
  return false;
}

bool TableFolder::RefreshEntries(size_t threads) {
  std::vector<std::pair<const std::string, Entry>*> to_open;
  std::map<std::string, Entry> now;
  bool gone = false;
  const auto drop_first = [&] {
    entries_.erase(entries_.begin());
    gone = true;
  };
  for (const std::string& file : listed_) {
    while (!entries_.empty() && entries_.begin()->first < file) drop_first();
    const bool known = !entries_.empty() && entries_.begin()->first == file;
    const auto at = known ? now.insert(now.end(), entries_.extract(entries_.begin()))
                          : now.emplace_hint(now.end(), file, Entry());
    if (!known || !IsUnchanged(PathOf(file), at->second)) to_open.push_back(&*at);
  }
  while (!entries_.empty()) drop_first();
  entries_ = std::move(now);

  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < to_open.size(); i = next++)
      Open(PathOf(to_open[i]->first), to_open[i]->second);
  };
  std::vector<std::thread> pool;
  for (size_t i = 1; i < std::min(threads, to_open.size()); ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  for (const auto* entry : to_open) Warn(entry->first, entry->second);
  return gone || !to_open.empty();
}

void TableFolder::Warn(const std::string& file, const Entry& entry) const {
  const std::string name = EntryName(file);
  if (!entry.opened.ok()) {
    spdlog::warn("table {}: segment {} is skipped: {}", name_, name,
                 entry.opened.status().message());
  } else if ((*entry.opened)->name() != name) {
    spdlog::warn("table {}: {} holds segment '{}', which is its name", name_, PathOf(file),
                 (*entry.opened)->name());
  }
}

TableFolder::Held TableFolder::HeldNow(std::string& refused,
                                       std::vector<BrokenSegment>& broken) const {
  Held held;
  held.reserve(entries_.size());
  for (const auto& [file, entry] : entries_) {
    if (!entry.opened.ok()) {
      broken.push_back({EntryName(file), entry.opened.status().message()});
      continue;
    }
    const SegmentPointer& segment = *entry.opened;
    if (entry.upsert_snapshot) {
      refused = "segment " + EntryName(file) +
                " has an upsert snapshot (validDocIds): upsert tables are not supported yet";
    }
    if (!held.emplace(segment->name(), segment).second) {
      spdlog::warn("table {}: segment {} is there twice, {} is skipped", name_, segment->name(),
                   PathOf(file));
    }
  }
  return held;
}

bool TableFolder::RefreshConfig() {
  const fs::path file = path_ / "tableConfig.json";
  const FileStamp stamp = StampOf(file);
  if (config_stamp_ == stamp) return false;
  config_stamp_ = stamp;
  config_json_.clear();
  config_refused_.clear();
  zone_columns_ = {};
  if (stamp == FileStamp()) return true;
  const auto text = ReadSmallFile(file);
  const auto config = text.ok() ? table_config::ParseTableConfig(*text)
                                : Result<table_config::TableConfig>(text.status());
  // One table's bad file refuses that table; the others answer.
  if (!config.ok()) {
    config_refused_ = fmt::format("tableConfig.json: {}", config.status().message());
    return true;
  }
  config_json_ = *text;
  if (config->has_upsert) config_refused_ = "upsert tables (upsertConfig) are not supported yet";
  if (config->has_dedup) config_refused_ = "dedup tables (dedupConfig) are not supported yet";
  zone_columns_ = {config->time_column, config->sort_columns};
  if (config->table_name != RawName(name_)) {
    spdlog::warn("{}: names table '{}', the folder's name '{}' is used", file.string(),
                 config->table_name, RawName(name_));
  }
  return true;
}

bool TableFolder::RefreshSchemaFile() {
  const fs::path file = path_ / "schema.json";
  const FileStamp stamp = StampOf(file);
  if (schema_stamp_ == stamp) return false;
  schema_stamp_ = stamp;
  schema_ = nullptr;
  schema_json_.clear();
  schema_refused_.clear();
  if (stamp == FileStamp()) return true;
  const auto text = ReadSmallFile(file);
  auto parsed = text.ok() ? table_config::ParseSchemaFile(*text)
                          : Result<table_config::SchemaFile>(text.status());
  if (!parsed.ok()) {
    schema_refused_ = fmt::format("schema.json: {}", parsed.status().message());
    return true;
  }
  if (parsed->column_based_null_handling)
    schema_refused_ = "enableColumnBasedNullHandling is not supported yet";
  schema_json_ = *text;
  schema_ = std::make_shared<const Schema>(std::move(parsed->schema));
  return true;
}

void TableFolder::DeriveSchema(const Held& held, TableInfo& info) const {
  std::vector<const segment::Segment*> segments;
  for (const auto& [name, segment] : held) segments.push_back(segment.get());
  std::sort(segments.begin(), segments.end(),
            [](const auto* a, const auto* b) { return a->name() < b->name(); });
  // Every column of any segment; the last segment in name order has the last word on its type.
  std::map<std::string, FieldSpec> fields;
  for (const segment::Segment* segment : segments) {
    for (const segment::ColumnMetadata& column : segment->metadata().columns)
      fields[column.field.name] = column.field;
  }
  if (!segments.empty()) {
    // Children of OPEN_STRUCT columns are no columns of their own.
    const Schema derived = segment::DeriveSchema(RawName(name_), segments.back()->metadata());
    for (const FieldSpec& field : derived.fields()) fields[field.name] = field;
  }
  std::vector<FieldSpec> list;
  for (auto& [name, field] : fields) list.push_back(std::move(field));
  info.schema = std::make_shared<const Schema>(RawName(name_), std::move(list));
  info.schema_json = table_config::SchemaToJson(*info.schema);
}

TableInfo TableFolder::InfoOf(const Held& held, std::string snapshot_refused,
                              std::vector<BrokenSegment> broken) const {
  TableInfo info;
  info.name = name_;
  info.config_json = config_json_;
  info.broken = std::move(broken);
  if (schema_) {
    info.schema = schema_;
    info.schema_json = schema_json_;
  } else {
    DeriveSchema(held, info);
  }
  info.refused = config_refused_;
  if (!snapshot_refused.empty()) info.refused = std::move(snapshot_refused);
  if (!schema_refused_.empty()) info.refused = schema_refused_;
  return info;
}

TableFolder::Change TableFolder::Refresh(size_t threads) {
  Change change;
  const ZoneColumns zones_before = zone_columns_;
  const bool config_changed = RefreshConfig();
  const bool schema_changed = RefreshSchemaFile();
  if (!RefreshEntries(threads) && !config_changed && !schema_changed) return change;

  std::string refused;
  std::vector<BrokenSegment> broken;
  Held held = HeldNow(refused, broken);
  TableInfo info = InfoOf(held, std::move(refused), std::move(broken));
  // Other columns, or other types of them, make other facts of every segment.
  const bool facts_changed = !info_.schema || zones_before != zone_columns_ ||
                             !SameColumnTypes(*info_.schema, *info.schema);
  for (const auto& [name, segment] : held) {
    const auto before = held_.find(name);
    if (!facts_changed && before != held_.end() && before->second == segment) continue;
    change.add.push_back({FactsOf(segment->metadata(), zone_columns_, *info.schema), segment});
  }
  for (const auto& [name, segment] : held_)
    if (!held.contains(name)) change.drop.emplace_back(name);
  if (!info_.schema || !SameInfo(info_, info)) {
    if (info.refused != info_.refused && !info.refused.empty())
      spdlog::warn("table {} is refused: {}", name_, info.refused);
    info_ = std::move(info);
    change.info = info_;
  }
  held_ = std::move(held);
  return change;
}

}  // namespace trellis::server
