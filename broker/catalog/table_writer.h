#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/catalog/catalog.h"
#include "broker/catalog/server_holding.h"

namespace trellis::broker {

class BuiltSegments;

// Gathers what every server says of one table and makes snapshots of it. One thread at a time.
class TableWriter {
 public:
  explicit TableWriter(std::string name);
  ~TableWriter();

  // As CatalogState::Apply.
  Status Apply(uint32_t server, const wire::TableUpdate& update);
  void ApplyWhole(uint32_t server, const wire::TableInventory& inventory);
  void DropPending(uint32_t server);
  // The server has the table no longer.
  void Forget(uint32_t server);
  bool empty() const;    // no server has told of it, or all have forgotten it
  bool pending() const;  // more of an update is to come

  // The newest snapshot, the last one when nothing has changed. O(segments) after a change of
  // segments; after a change of who is alive only shares are computed anew.
  // REQUIRES: !empty().
  std::shared_ptr<const Table> Build(const std::vector<ServerEntry>& servers);

  size_t segments() const { return slots_->alive_count(); }
  size_t memory_bytes() const;

 private:
  struct Holder {
    ServerHolding holding;
    std::shared_ptr<const ServerPart> part;  // of the last snapshot
    uint64_t part_version = 0;
  };
  void Describe(Table& table);
  void TakeSchema(const std::string& schema_json);
  void ListBroken(Table& table) const;
  bool BuildSegments();  // true if ids have changed
  void BuildParts(bool renumbered);
  void Assign(Table& table) const;
  bool sparse() const;  // much of what is kept is of segments that nobody holds
  bool CompactIfSparse();
  std::vector<bool> AliveHolders(const std::vector<ServerEntry>& servers) const;

  std::string name_;
  std::unique_ptr<SegmentSlots> slots_;
  std::map<uint32_t, Holder> holders_;  // by server

  // The last snapshot, and what it was made of.
  bool changed_ = true;
  std::shared_ptr<const Table> last_;
  std::shared_ptr<const BuiltSegments> segments_;
  std::vector<uint32_t> id_of_slot_;  // during Build only
  std::vector<bool> alive_;           // beside holders_
  std::string schema_json_;
  std::shared_ptr<const Schema> schema_;
  std::string schema_error_;
  bool schemas_differ_ = false;
  bool dispute_logged_ = false;
};

}  // namespace trellis::broker
