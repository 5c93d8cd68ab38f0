#include "broker/catalog/catalog_state.h"

#include <algorithm>
#include <map>

#include "broker/catalog/table_writer.h"
#include "common/base/check.h"

namespace trellis::broker {
namespace {

constexpr size_t kServersMax = 65'535;  // holders of a segment are counted in 16 bits
constexpr size_t kTablesMax = 100'000;

}  // namespace

struct CatalogState::Rep {
  std::vector<ServerEntry> servers;
  std::map<std::string, TableWriter, std::less<>> tables;
  std::shared_ptr<const CatalogSnapshot> last;
  bool changed = true;

  void EraseIfEmpty(std::map<std::string, TableWriter, std::less<>>::iterator table) {
    if (table->second.empty() && !table->second.pending()) tables.erase(table);
  }
};

CatalogState::CatalogState() : rep_(std::make_unique<Rep>()) {}
CatalogState::~CatalogState() = default;

uint32_t CatalogState::AddServer(std::string target) {
  TRELLIS_CHECK(rep_->servers.size() < kServersMax);
  rep_->servers.emplace_back().target = std::move(target);
  rep_->changed = true;
  return static_cast<uint32_t>(rep_->servers.size() - 1);
}

const ServerEntry& CatalogState::server(uint32_t server) const { return rep_->servers.at(server); }

void CatalogState::SetServer(uint32_t server, ServerEntry entry) {
  rep_->servers.at(server) = std::move(entry);
  rep_->changed = true;
}

void CatalogState::BeginWatch(uint32_t server) {
  for (auto table = rep_->tables.begin(); table != rep_->tables.end();) {
    const auto next = std::next(table);
    table->second.DropPending(server);
    rep_->EraseIfEmpty(table);
    table = next;
  }
}

Status CatalogState::Apply(uint32_t server, const wire::TableUpdate& update) {
  rep_->changed = true;
  auto table = rep_->tables.find(update.table);
  if (update.gone) {
    if (table == rep_->tables.end()) return {};
    table->second.Forget(server);
    rep_->EraseIfEmpty(table);
    return {};
  }
  if (table == rep_->tables.end()) {
    if (rep_->tables.size() == kTablesMax)
      return Status::ResourceExhausted("table {} is over the limit of {}", update.table,
                                       kTablesMax);
    table = rep_->tables.try_emplace(update.table, update.table).first;
  }
  const Status status = table->second.Apply(server, update);
  rep_->EraseIfEmpty(table);
  return status.WithContext(
      fmt::format("server {}, table {}", rep_->servers.at(server).target, update.table));
}

void CatalogState::ApplyWhole(uint32_t server, const std::vector<wire::TableInventory>& tables) {
  std::vector<std::string> names;
  for (const wire::TableInventory& table : tables) {
    names.push_back(table.table);
    if (rep_->tables.size() == kTablesMax && !rep_->tables.contains(table.table)) continue;
    rep_->tables.try_emplace(table.table, table.table).first->second.ApplyWhole(server, table);
  }
  KeepOnly(server, names);
}

void CatalogState::KeepOnly(uint32_t server, const std::vector<std::string>& names) {
  rep_->changed = true;
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  for (auto table = rep_->tables.begin(); table != rep_->tables.end();) {
    const auto next = std::next(table);
    if (!std::binary_search(sorted.begin(), sorted.end(), std::string_view(table->first))) {
      table->second.Forget(server);
      rep_->EraseIfEmpty(table);
    }
    table = next;
  }
}

std::shared_ptr<const CatalogSnapshot> CatalogState::Build() {
  if (rep_->last && !rep_->changed) return rep_->last;
  auto snapshot = std::make_shared<CatalogSnapshot>();
  snapshot->servers = rep_->servers;
  for (auto& [name, table] : rep_->tables) {
    if (!table.empty()) snapshot->tables.emplace(name, table.Build(rep_->servers));
  }
  rep_->changed = false;
  rep_->last = std::move(snapshot);
  return rep_->last;
}

size_t CatalogState::segments() const {
  size_t segments = 0;
  for (const auto& [name, table] : rep_->tables) segments += table.segments();
  return segments;
}

size_t CatalogState::memory_bytes() const {
  size_t bytes = 0;
  for (const auto& [name, table] : rep_->tables) bytes += table.memory_bytes();
  return bytes;
}

std::shared_ptr<const CatalogSnapshot> BuildCatalog(const std::vector<ReportedServer>& reports) {
  CatalogState state;
  for (const ReportedServer& report : reports) {
    const uint32_t server = state.AddServer(report.server.target);
    state.SetServer(server, report.server);
    std::vector<wire::TableInventory> tables;
    for (const ReportedTable& table : report.tables) {
      wire::TableInventory& inventory = tables.emplace_back();
      inventory.table = table.name;
      inventory.schema_json = table.schema_json;
      inventory.config_json = table.config_json;
      inventory.refused = table.refused;
      for (const ReportedSegment& segment : table.segments) {
        inventory.segments.push_back({segment.name, 0, segment.rows, segment.start_time_ms,
                                      segment.end_time_ms, segment.broken});
      }
    }
    state.ApplyWhole(server, tables);
  }
  return state.Build();
}

}  // namespace trellis::broker
