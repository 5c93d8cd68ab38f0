#include "server/store/table_folder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "common/segment/properties_file.h"
#include "common/segment/segment_archive.h"
#include "common/segment/temporary_folder.h"
#include "common/table_config/schema_json.h"
#include "common/table_config/table_config.h"
#include "common/table_config/table_name.h"
#include "common/telemetry/log.h"
#include "common/verify/verify_segment.h"
#include "server/store/segment_walk.h"

namespace trellis::server {
namespace {

namespace fs = std::filesystem;

// Files untouched for so long are taken to be whole: writers do not pause longer.
constexpr int64_t kSettledNs = 10'000'000'000;

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

// Whether `segment verify` finds no faults; links were judged before. Reads all of the segment.
// What is unpacked already is not unpacked again.
Status CheckWhole(const segment::Segment& segment, const fs::path& path) {
  const fs::path unpacked = segment.unpacked_folder();
  TRELLIS_ASSIGN_OR_RETURN(
      const auto faults,
      verify::VerifySegment(unpacked.empty() ? path : unpacked, {.links_are_faults = false}));
  return verify::FaultsAsStatus(faults);
}

// What opens without an error and cannot be served all the same.
Status CheckServable(const segment::Segment& segment) {
  if (segment.name().size() > kSegmentNameBytesMax) {
    return Status::InvalidArgument("its name has {} bytes, at most {} expected",
                                   segment.name().size(), kSegmentNameBytesMax);
  }
  if (segment.document_count() > 0 && !segment.metadata().columns.empty() &&
      segment.directory().empty()) {
    return Status::Corrupt("{} rows and no column's data: is it still being written?",
                           segment.document_count());
  }
  return {};
}

// The name that the metadata of a segment says, where that can be read although the segment cannot
// be opened; else empty. Costs unpacking an archive.
std::string NameInMetadata(const fs::path& path) {
  std::error_code error;
  fs::path folder = path;
  std::unique_ptr<segment::TemporaryFolder> unpacked;
  if (fs::is_regular_file(path, error)) {
    auto made = segment::TemporaryFolder::Make({});
    if (!made.ok()) return {};
    unpacked = std::move(*made);
    auto within = segment::UnpackSegment(path, unpacked->path());
    if (!within.ok()) return {};
    folder = std::move(*within);
  }
  fs::path file = folder / "v3" / "metadata.properties";
  if (!fs::is_regular_file(file, error)) file = folder / "metadata.properties";
  if (!fs::is_regular_file(file, error)) return {};
  const auto text = ReadSmallFile(file);
  if (!text.ok()) return {};
  // A file that is being written may end within a name.
  const auto whole = std::string_view(*text).substr(0, text->rfind('\n') + 1);
  const auto properties = segment::PropertiesFile::Parse(whole);
  if (!properties.ok()) return {};
  std::string name(properties->First("segment.name").value_or(""));
  return name.size() <= kSegmentNameBytesMax ? name : std::string();
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

Status DirectoryMoved(const fs::path& path) {
  return Status::Unavailable("directory {} was moved, removed or replaced while it was looked at",
                             path.string());
}

TableFolder::TableFolder(fs::path path, std::string name, const OpenPolicy& policy)
    : path_(std::move(path)), name_(std::move(name)), policy_(policy) {}

Status TableFolder::List() {
  directory_identity_ = IdentityOf(path_.parent_path());
  identity_ = IdentityOf(path_);
  // Nothing in a folder that may be listed but not entered would be found.
  if (::access(path_.c_str(), R_OK | X_OK) != 0)
    return CannotReadDirectory(path_, std::error_code(errno, std::generic_category()));
  if (!std::exchange(away_, {}).empty())
    spdlog::info("table {}: {} can be read again", name_, path_.string());
  // A folder's own time tells of what came and went in it, but not within a tick of the clock.
  int64_t changed_ns = 0;
  const FileStamp folder = StampOf(path_, &changed_ns);
  if (folder == listed_folder_ && folder != FileStamp()) return {};
  std::string refused = CheckLink(path_, policy_).message();
  if (HoldsSegment(path_)) {
    refused = fmt::format("{} is a segment itself: a data directory holds TABLE/SEGMENT/",
                          path_.string());
  }
  if (!refused.empty()) {
    Place(std::move(refused));
    return {};
  }
  TRELLIS_ASSIGN_OR_RETURN(listed_, SegmentFiles(path_));
  Place({});
  listed_folder_ = changed_ns + kSettledNs < FileClockNow() ? folder : FileStamp();
  return {};
}

// Where `refused` says why nothing is read, nothing is listed.
void TableFolder::Place(std::string refused) {
  place_changed_ |= refused != place_refused_;
  place_refused_ = std::move(refused);
  listed_folder_ = {};
  if (!place_refused_.empty()) listed_.clear();
}

void TableFolder::Refuse(std::string reason) {
  directory_identity_ = IdentityOf(path_.parent_path());
  identity_ = IdentityOf(path_);
  away_.clear();
  Place(std::move(reason));
}

bool TableFolder::StayAsServed(const Status& unreadable) {
  if (!served_) return false;
  if (away_.empty()) {
    spdlog::warn("table {} stays as it was until its folder can be read: {}", name_,
                 unreadable.message());
  }
  away_ = unreadable.message();
  return true;
}

void TableFolder::Open(const fs::path& path, Entry& entry) const {
  SegmentWalk walk = WalkSegment(path);
  entry.stamp = std::move(walk.stamp);
  entry.seen = {};
  entry.settled = false;
  entry.upsert_snapshot = walk.upsert_snapshot;
  Status links;
  for (const fs::path& link : walk.links) {
    if (links.ok()) links = CheckLink(link, policy_);
  }
  auto opened = links.ok()
                    ? segment::Segment::Open(path, {}, {.legacy_padding = policy_.legacy_padding})
                    : Result<std::shared_ptr<segment::Segment>>(links);
  if (!opened.ok()) {
    entry.opened = opened.status();
    if (!walk.nested.empty() && !HoldsSegment(path)) {
      entry.opened = Status::NotFound("{}: not a segment, one lies in its folder '{}': move it up",
                                      path.string(), walk.nested);
    }
  } else if (const Status status = CheckServable(**opened); !status.ok()) {
    entry.opened = status.WithContext("segment " + path.string());
  } else {
    if (!walk.nested.empty()) {
      spdlog::warn("segment {} holds another segment in its folder '{}', which is not read",
                   path.string(), walk.nested);
    }
    const Status whole = policy_.verify ? CheckWhole(**opened, path) : Status();
    if (whole.ok()) {
      entry.opened = SegmentPointer(std::move(*opened));
    } else {
      entry.opened = whole.WithContext("segment " + path.string());
    }
  }
  if (entry.opened.ok()) return;
  if (links.ok()) entry.broken_name = NameInMetadata(path);
  if (entry.broken_name.empty()) entry.broken_name = WithoutArchiveEnding(path.filename().string());
}

bool TableFolder::IsUnchanged(const std::string& path, Entry& entry) {
  // Queries met lost pages: what was opened never answers again, whatever stands there now.
  if (entry.opened.ok() && !(*entry.opened)->CheckTorn().ok()) return false;
  if (entry.settled && GlanceHolds(path, entry.stamp)) return true;
  SegmentStamp now = WalkSegment(path).stamp;
  if (!entry.settled && now.SameFiles(entry.stamp)) {
    // A broken one is looked at in full each time: any of its files may be what makes it whole.
    if (entry.opened.ok() && now.changed_ns + kSettledNs < FileClockNow()) {
      entry.settled = true;
      entry.stamp.files = {};
    }
    return true;
  }
  // An archive is unpacked to be opened: not again and again while it grows.
  if (IsArchiveName(path) && !now.SameFiles(entry.seen)) {
    entry.seen = std::move(now);
    return true;
  }
  return false;
}

TableFolder::Look TableFolder::LookAtEntries(size_t threads) {
  Look look;
  auto known = entries_.begin();
  for (const std::string& file : listed_) {
    for (; known != entries_.end() && known->first < file; ++known)
      look.gone.push_back(known->first);
    if (known == entries_.end() || known->first != file) {
      look.opened.emplace_back(file, Entry());
      continue;
    }
    if (!IsUnchanged(PathOf(file), known->second)) {
      look.opened.emplace_back(file, Entry());
    } else if (!known->second.opened.ok() && IsGone(PathOf(file))) {
      look.gone.push_back(file);
    }
    ++known;
  }
  for (; known != entries_.end(); ++known) look.gone.push_back(known->first);
  OpenAll(threads, look.opened);
  // What went after it was listed is not broken.
  std::erase_if(look.opened, [&](const auto& entry) {
    if (entry.second.opened.ok() || !IsGone(PathOf(entry.first))) return false;
    if (entries_.contains(entry.first)) look.gone.push_back(entry.first);
    return true;
  });
  return look;
}

void TableFolder::OpenAll(size_t threads,
                          std::vector<std::pair<std::string, Entry>>& entries) const {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < entries.size(); i = next++)
      Open(PathOf(entries[i].first), entries[i].second);
  };
  std::vector<std::thread> pool;
  for (size_t i = 1; i < std::min(threads, entries.size()); ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
}

void TableFolder::TakeOver(Look look) {
  for (const std::string& file : look.gone) entries_.erase(file);
  for (auto& [file, entry] : look.opened) {
    Warn(file, entry);
    entries_.insert_or_assign(std::move(file), std::move(entry));
  }
}

Status TableFolder::CheckInPlace() const {
  const fs::path directory = path_.parent_path();
  if (IdentityOf(directory) != directory_identity_) return DirectoryMoved(directory);
  if (IdentityOf(path_) != identity_) return DirectoryMoved(path_);
  return {};
}

void TableFolder::Warn(const std::string& file, const Entry& entry) const {
  if (!entry.opened.ok()) {
    spdlog::warn("table {}: segment {} is skipped: {}", name_, entry.broken_name,
                 entry.opened.status().message());
  } else if ((*entry.opened)->name() != WithoutArchiveEnding(file)) {
    spdlog::warn("table {}: {} holds segment '{}', which is its name", name_, PathOf(file),
                 (*entry.opened)->name());
  }
}

TableFolder::Held TableFolder::HeldNow(std::string& refused,
                                       std::vector<BrokenSegment>& broken) const {
  absl::flat_hash_map<std::string_view, const NamedEntry*, StringHash, StringEqual> chosen;
  chosen.reserve(entries_.size());
  for (const NamedEntry& found : entries_) {
    const auto& [file, entry] = found;
    if (!entry.opened.ok()) continue;
    const std::string& name = (*entry.opened)->name();
    if (entry.upsert_snapshot) {
      refused = "segment " + WithoutArchiveEnding(file) +
                " has an upsert snapshot (validDocIds): upsert tables are not supported yet";
    }
    const auto [at, fresh] = chosen.emplace(name, &found);
    if (fresh) continue;
    // A copy or a backup is not to stand in for what has the segment's own name.
    const NamedEntry* skipped = &found;
    if (WithoutArchiveEnding(file) == name) std::swap(skipped, at->second);
    spdlog::warn("table {}: segment {} is there twice, {} is skipped for {}", name_, name,
                 PathOf(skipped->first), PathOf(at->second->first));
  }
  Held held;
  held.reserve(chosen.size());
  for (const auto& [name, found] : chosen) {
    const SegmentPointer& segment = *found->second.opened;
    held.emplace(segment->name(), segment);
  }
  // A name is listed as broken once, and only where nothing holds it.
  std::set<std::string_view> listed;
  for (const auto& [file, entry] : entries_) {
    if (entry.opened.ok() || held.contains(entry.broken_name)) continue;
    if (listed.insert(entry.broken_name).second)
      broken.push_back({entry.broken_name, entry.opened.status().message()});
  }
  return held;
}

Result<std::string> TableFolder::ReadOwnFile(const fs::path& file) const {
  TRELLIS_RETURN_IF_ERROR(CheckLink(file, policy_));
  return ReadSmallFile(file);
}

bool TableFolder::RefreshConfig() {
  const fs::path file = path_ / "tableConfig.json";
  const FileStamp stamp = StampOf(file);
  if (files_.config_stamp == stamp) return false;
  files_.config_stamp = stamp;
  files_.config_json.clear();
  files_.config_refused.clear();
  files_.zone_columns = {};
  if (stamp == FileStamp()) return true;
  const auto text = ReadOwnFile(file);
  const auto config = text.ok() ? table_config::ParseTableConfig(*text)
                                : Result<table_config::TableConfig>(text.status());
  // One table's bad file refuses that table; the others answer.
  if (!config.ok()) {
    files_.config_refused = fmt::format("tableConfig.json: {}", config.status().message());
    return true;
  }
  files_.config_json = *text;
  if (config->has_upsert)
    files_.config_refused = "upsert tables (upsertConfig) are not supported yet";
  if (config->has_dedup) files_.config_refused = "dedup tables (dedupConfig) are not supported yet";
  files_.zone_columns = {config->time_column, config->sort_columns};
  if (config->table_name != table_config::RawTableName(name_)) {
    spdlog::warn("{}: names table '{}', the folder's name '{}' is used", file.string(),
                 config->table_name, table_config::RawTableName(name_));
  }
  return true;
}

bool TableFolder::RefreshSchemaFile() {
  const fs::path file = path_ / "schema.json";
  const FileStamp stamp = StampOf(file);
  if (files_.schema_stamp == stamp) return false;
  files_.schema_stamp = stamp;
  files_.schema = nullptr;
  files_.schema_json.clear();
  files_.schema_refused.clear();
  if (stamp == FileStamp()) return true;
  const auto text = ReadOwnFile(file);
  auto parsed = text.ok() ? table_config::ParseSchemaFile(*text)
                          : Result<table_config::SchemaFile>(text.status());
  if (!parsed.ok()) {
    files_.schema_refused = fmt::format("schema.json: {}", parsed.status().message());
    return true;
  }
  if (parsed->column_based_null_handling)
    files_.schema_refused = "enableColumnBasedNullHandling is not supported yet";
  files_.schema_json = *text;
  files_.schema = std::make_shared<const Schema>(std::move(parsed->schema));
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
    for (const segment::ColumnMetadata& column : segment->metadata().columns) {
      // Children of OPEN_STRUCT columns are no columns of their own.
      if (!column.parent_column.empty()) continue;
      FieldSpec& field = fields[column.field.name];
      std::vector<StructKey> keys = std::move(field.struct_keys);
      field = column.field;
      if (field.type != DataType::kOpenStruct) continue;
      for (StructKey& key : segment::StructKeysOf(segment->metadata(), column)) {
        std::erase_if(keys, [&](const StructKey& known) { return known.name == key.name; });
        keys.push_back(std::move(key));
      }
      field.struct_keys = std::move(keys);
    }
  }
  std::vector<FieldSpec> list;
  for (auto& [name, field] : fields) list.push_back(std::move(field));
  info.schema = std::make_shared<const Schema>(table_config::RawTableName(name_), std::move(list));
  info.schema_json = table_config::SchemaToJson(*info.schema);
}

// A schema file does not name the columns that Pinot adds for a timestamp index (`$ts$DAY`):
// queries read them where segments hold them.
void TableFolder::AddIndexColumns(const Held& held, TableInfo& info) {
  std::map<std::string, FieldSpec> added;
  for (const auto& [name, segment] : held) {
    for (const segment::ColumnMetadata& column : segment->metadata().columns) {
      const std::string& column_name = column.field.name;
      if (column_name.starts_with("$") && column.parent_column.empty() &&
          !info.schema->Find(column_name)) {
        added.emplace(column_name, column.field);
      }
    }
  }
  if (added.empty()) return;
  std::vector<FieldSpec> fields = info.schema->fields();
  for (auto& [name, field] : added) fields.push_back(std::move(field));
  info.schema = std::make_shared<const Schema>(info.schema->name(), std::move(fields));
  info.schema_json = table_config::SchemaToJson(*info.schema);
}

TableInfo TableFolder::InfoOf(const Held& held, std::string snapshot_refused,
                              std::vector<BrokenSegment> broken) const {
  TableInfo info;
  info.name = name_;
  info.config_json = files_.config_json;
  info.broken = std::move(broken);
  if (files_.schema) {
    info.schema = files_.schema;
    info.schema_json = files_.schema_json;
    AddIndexColumns(held, info);
  } else {
    DeriveSchema(held, info);
  }
  info.refused = files_.config_refused;
  if (!snapshot_refused.empty()) info.refused = std::move(snapshot_refused);
  if (!files_.schema_refused.empty()) info.refused = files_.schema_refused;
  if (!place_refused_.empty()) info.refused = place_refused_;
  return info;
}

Result<TableFolder::Change> TableFolder::Refresh(size_t threads) {
  Change change;
  if (!away_.empty()) return change;
  Files files_before = files_;
  const bool config_changed = RefreshConfig();
  const bool schema_changed = RefreshSchemaFile();
  Look look = LookAtEntries(threads);
  if (Status moved = CheckInPlace(); !moved.ok()) {
    files_ = std::move(files_before);
    return moved;
  }
  served_ = place_refused_.empty();
  if (look.gone.empty() && look.opened.empty() && !config_changed && !schema_changed &&
      !std::exchange(place_changed_, false)) {
    return change;
  }
  TakeOver(std::move(look));

  std::string refused;
  std::vector<BrokenSegment> broken;
  Held held = HeldNow(refused, broken);
  TableInfo info = InfoOf(held, std::move(refused), std::move(broken));
  // Other columns, or other types of them, make other facts of every segment.
  const bool facts_changed = !info_.schema || files_before.zone_columns != files_.zone_columns ||
                             !SameColumnTypes(*info_.schema, *info.schema);
  for (const auto& [name, segment] : held) {
    const auto before = held_.find(name);
    if (!facts_changed && before != held_.end() && before->second == segment) continue;
    change.add.push_back(
        {FactsOf(segment->metadata(), files_.zone_columns, *info.schema), segment});
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
