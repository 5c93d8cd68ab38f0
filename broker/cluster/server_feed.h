#pragma once

#include <set>
#include <string>

#include "broker/catalog/catalog_state.h"
#include "common/wire/inventory_messages.h"

namespace trellis::broker {

// Puts what one server's watches tell into the catalog. Not thread-safe.
class ServerFeed {
 public:
  // `catalog` outlives this.
  ServerFeed(CatalogState& catalog, uint32_t server) : catalog_(catalog), server_(server) {}

  // A new watch begins. What the last one has told stays until this one has told it anew.
  void Begin();
  struct Taken {
    bool changed = false;  // the catalog, in a way that is to be published
    bool came = false;     // the server counts as alive from now on
  };
  // One message. Errors: CatalogState::Apply's: this watch has lost its thread, begin another.
  Result<Taken> Take(const wire::Inventory& inventory);
  // The server cannot be reached: its segments stay, as not alive. True if it was alive.
  bool Lost();

 private:
  void TakeAbout(const wire::Inventory& inventory);

  CatalogState& catalog_;
  uint32_t server_;
  bool deltas_ = false;           // the server sends table updates
  bool complete_ = false;         // this watch has told everything once
  std::set<std::string> tables_;  // that this watch has told of, until complete_
  ServerEntry about_;
};

}  // namespace trellis::broker
