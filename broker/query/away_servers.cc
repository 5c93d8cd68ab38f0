#include "broker/query/away_servers.h"

namespace trellis::broker {

bool AwayServers::AnyRecent(const CatalogSnapshot& snapshot, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  bool recent = false;
  for (const ServerEntry& server : snapshot.servers) {
    if (server.alive || !server.reported) {
      since_.erase(server.target);
      continue;
    }
    const auto since = since_.try_emplace(server.target, now).first->second;
    recent |= now - since < kRecent;
  }
  return recent;
}

}  // namespace trellis::broker
