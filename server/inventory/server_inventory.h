#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/inventory/table_inventory.h"

namespace trellis::server {

// All tables of a server. Thread-safe.
class ServerInventory {
 public:
  explicit ServerInventory(const TableInventory::Options& options = {});

  uint64_t incarnation() const { return incarnation_; }   // of the process, random
  uint64_t epoch() const { return changes_.load() + 1; }  // counts the calls of Changed
  // Adds a table, or returns the one that is there.
  std::shared_ptr<TableInventory> Table(const std::string& name, TableInfo info);
  std::shared_ptr<TableInventory> Find(std::string_view name) const;  // null if there is none
  void Remove(const std::string& name);
  std::map<std::string, std::shared_ptr<TableInventory>> tables() const;

  // Tells watchers that something has changed: call after Apply, Table and Remove.
  void Changed();
  // `changed` is called after each change, on the changer's thread: it must not block. Returns a
  // number for Unsubscribe, after which it is not called any more.
  uint64_t Subscribe(std::function<void()> changed);
  void Unsubscribe(uint64_t subscription);

 private:
  TableInventory::Options options_;
  uint64_t incarnation_;
  std::atomic<uint64_t> changes_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<TableInventory>, std::less<>> tables_;  // guarded by mutex_
  std::mutex subscribers_mutex_;
  std::map<uint64_t, std::function<void()>> subscribers_;  // guarded by subscribers_mutex_
  uint64_t subscriptions_ = 0;                             // guarded by subscribers_mutex_
};

}  // namespace trellis::server
