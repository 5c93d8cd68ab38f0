#include "broker/catalog/catalog.h"

#include <algorithm>
#include <set>

#include "common/base/nearest_name.h"
#include "common/table_config/schema_json.h"
#include "common/telemetry/log.h"

namespace trellis::broker {
namespace {

constexpr size_t kReplicasMax = 8;  // assignments kept a table

std::string TypeOf(const std::string& name) {
  return name.ends_with("_REALTIME") ? "REALTIME" : "OFFLINE";
}
std::string RawOf(const std::string& name) {
  return name.substr(0, name.size() - TypeOf(name).size() - 1);
}

// Gathers what every server says of one table.
class TableBuilder {
 public:
  explicit TableBuilder(const std::string& name) {
    table_.name = name;
    table_.type = TypeOf(name);
    table_.raw_name = RawOf(name);
  }

  void Add(const ReportedTable& report, uint32_t server, bool alive) {
    if (table_.schema_json.empty()) {
      TakeSchema(report);
    } else if (table_.schema_json != report.schema_json) {
      spdlog::warn("table {}: servers disagree on its schema, the first one's is used",
                   table_.name);
    }
    if (table_.config_json.empty()) table_.config_json = report.config_json;
    if (table_.refused.empty()) table_.refused = report.refused;
    for (const ReportedSegment& segment : report.segments) {
      SegmentEntry& entry = segments_[segment.name];
      entry.name = segment.name;
      if (!segment.broken.empty()) {
        entry.broken = segment.broken;
        continue;
      }
      entry.rows = segment.rows;
      entry.start_time_ms = segment.start_time_ms;
      entry.end_time_ms = segment.end_time_ms;
      if (alive) entry.servers.push_back(server);
    }
  }

  std::shared_ptr<const Table> Build() {
    size_t replicas = 1;
    for (auto& [name, entry] : segments_) {
      table_.rows += entry.rows;
      replicas = std::max(replicas, entry.servers.size());
      if (entry.servers.empty()) table_.unavailable.push_back(table_.segments.size());
      table_.segments.push_back(std::move(entry));
    }
    for (size_t r = 0; r < std::min(replicas, kReplicasMax); ++r)
      table_.assignments.push_back(Assign(r));
    // Shares view the names where they now lie: the vector moves with the table, its elements do
    // not.
    return std::make_shared<const Table>(std::move(table_));
  }

 private:
  void TakeSchema(const ReportedTable& report) {
    table_.schema_json = report.schema_json;
    auto schema = table_config::ParseSchema(report.schema_json);
    if (!schema.ok()) {
      table_.refused = "its schema cannot be read: " + schema.status().message();
      table_.schema = std::make_shared<const Schema>();
      return;
    }
    table_.schema = std::make_shared<const Schema>(std::move(*schema));
  }

  // Spreads segments over their replicas: the n-th segment of a group of servers goes to its
  // (n+r)-th.
  Assignment Assign(size_t r) const {
    std::map<uint32_t, std::vector<std::string_view>> by_server;
    for (size_t i = 0; i < table_.segments.size(); ++i) {
      const SegmentEntry& entry = table_.segments[i];
      if (!entry.servers.empty())
        by_server[entry.servers[(i + r) % entry.servers.size()]].push_back(entry.name);
    }
    Assignment assignment;
    for (auto& [server, names] : by_server) assignment.shares.push_back({server, std::move(names)});
    return assignment;
  }

  Table table_;
  std::map<std::string, SegmentEntry> segments_;
};

}  // namespace

std::vector<std::string> CatalogSnapshot::raw_names() const {
  std::set<std::string> names;
  for (const auto& [name, table] : tables) names.insert(table->raw_name);
  return {names.begin(), names.end()};
}

Result<std::shared_ptr<const Table>> CatalogSnapshot::FindTable(std::string_view name) const {
  std::vector<std::shared_ptr<const Table>> exact;
  std::vector<std::shared_ptr<const Table>> folded;
  for (const auto& [typed, table] : tables) {
    if (typed == name || table->raw_name == name)
      exact.push_back(table);
    else if (EqualsIgnoreCase(typed, name) || EqualsIgnoreCase(table->raw_name, name))
      folded.push_back(table);
  }
  const auto& found = exact.empty() ? folded : exact;
  if (found.empty()) {
    return Status::Query(PinotCode::kTableDoesNotExist, "table '{}' does not exist{}", name,
                         DidYouMean(name, raw_names()));
  }
  if (found.size() > 1 && found[0]->raw_name != found[1]->raw_name) {
    return Status::Query(PinotCode::kQueryValidation,
                         "table '{}' may be {} or {}, which differ in case only: spell it exactly",
                         name, found[0]->name, found[1]->name);
  }
  if (found.size() > 1) {
    return Status::Query(
        PinotCode::kQueryValidation,
        "table '{}' is hybrid (OFFLINE and REALTIME), which is not supported yet: name {} or {}",
        name, found[0]->name, found[1]->name);
  }
  if (!found[0]->refused.empty()) {
    return Status::Query(PinotCode::kQueryValidation, "table '{}' is refused: {}",
                         found[0]->raw_name, found[0]->refused);
  }
  return found[0];
}

std::shared_ptr<const CatalogSnapshot> BuildCatalog(const std::vector<ReportedServer>& reports) {
  auto snapshot = std::make_shared<CatalogSnapshot>();
  std::map<std::string, TableBuilder> builders;
  for (const ReportedServer& report : reports) {
    const auto server = static_cast<uint32_t>(snapshot->servers.size());
    snapshot->servers.push_back(report.server);
    for (const ReportedTable& table : report.tables) {
      builders.try_emplace(table.name, table.name)
          .first->second.Add(table, server, report.server.alive);
    }
  }
  for (auto& [name, builder] : builders) snapshot->tables.emplace(name, builder.Build());
  return snapshot;
}

}  // namespace trellis::broker
