#pragma once

#include <memory>
#include <string>
#include <vector>

#include "broker/catalog/catalog.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

// Puts the servers' inventories together as they arrive, and makes snapshots of the whole. A table
// whose servers disagree on its schema takes the first one's, with a warning; a schema that does
// not parse makes its table refused. One thread at a time.
class CatalogState {
 public:
  CatalogState();
  ~CatalogState();

  // Returns the server's position: 0, 1, 2, ...
  uint32_t AddServer(std::string target);
  const ServerEntry& server(uint32_t server) const;
  void SetServer(uint32_t server, ServerEntry entry);

  // The server's next updates come from a new watch: one that was cut short is not continued.
  void BeginWatch(uint32_t server);
  // One message of an update of one table; what it tells counts when the update is whole (`more`
  // is false). Errors: FailedPrecondition when it builds on an epoch or incarnation
  // that is not the one at hand (a lost delta: watch again from nothing); InvalidArgument for an
  // ordinal that is alive already or was never given out; ResourceExhausted over a limit. The table
  // is unchanged then, and the whole update is forgotten.
  Status Apply(uint32_t server, const wire::TableUpdate& update);
  // A whole inventory without ordinals, from a server that knows no deltas.
  void ApplyWhole(uint32_t server, const std::vector<wire::TableInventory>& tables);
  // Forgets tables of the server that are not among `names`: after its first complete inventory of
  // a new life.
  void KeepOnly(uint32_t server, const std::vector<std::string>& names);

  // The newest snapshot; tables that have not changed since the last one are shared with it.
  std::shared_ptr<const CatalogSnapshot> Build();
  size_t segments() const;  // that any server holds
  // Bytes that segments take here and in the last snapshot.
  size_t memory_bytes() const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

// A server's report in one piece, for tests and benchmarks.
struct ReportedSegment {
  std::string name;
  int64_t rows = 0;
  std::optional<int64_t> start_time_ms;
  std::optional<int64_t> end_time_ms;
  std::string broken;
};
struct ReportedTable {
  std::string name;
  std::string schema_json;
  std::string config_json;
  std::string refused;
  std::vector<ReportedSegment> segments;
};
struct ReportedServer {
  ServerEntry server;
  std::vector<ReportedTable> tables;
};
// A snapshot of these servers, whose segments have no ordinals.
std::shared_ptr<const CatalogSnapshot> BuildCatalog(const std::vector<ReportedServer>& reports);

}  // namespace trellis::broker
