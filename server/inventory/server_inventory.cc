#include "server/inventory/server_inventory.h"

#include "server/inventory/table_inventory_state.h"

namespace trellis::server {

ServerInventory::ServerInventory(const TableInventory::Options& options)
    : options_(options), incarnation_(RandomIncarnation()) {}

std::shared_ptr<TableInventory> ServerInventory::Table(const std::string& name, TableInfo info) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<TableInventory>& table = tables_[name];
  if (!table) table = std::make_shared<TableInventory>(std::move(info), options_);
  return table;
}

std::shared_ptr<TableInventory> ServerInventory::Find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second;
}

void ServerInventory::Remove(const std::string& name) {
  std::shared_ptr<TableInventory> removed;  // closed without the lock
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(name);
  if (found == tables_.end()) return;
  removed = std::move(found->second);
  tables_.erase(found);
}

std::map<std::string, std::shared_ptr<TableInventory>> ServerInventory::tables() const {
  const std::lock_guard lock(mutex_);
  return {tables_.begin(), tables_.end()};
}

void ServerInventory::Changed() {
  changes_.fetch_add(1);
  // Held over the calls, so that who has unsubscribed is not called any more.
  const std::lock_guard lock(subscribers_mutex_);
  for (const auto& [subscription, changed] : subscribers_) changed();
}

uint64_t ServerInventory::Subscribe(std::function<void()> changed) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.emplace(++subscriptions_, std::move(changed));
  return subscriptions_;
}

void ServerInventory::Unsubscribe(uint64_t subscription) {
  const std::lock_guard lock(subscribers_mutex_);
  subscribers_.erase(subscription);
}

}  // namespace trellis::server
