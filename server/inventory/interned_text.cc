#include "server/inventory/interned_text.h"

#include <absl/container/node_hash_set.h>

#include <mutex>
#include <string>

#include "common/base/string_hash.h"

namespace trellis::server {

std::string_view InternedText(std::string_view text) {
  static std::mutex mutex;
  // Never destroyed: segments may outlive static objects.
  static auto& texts = *new absl::node_hash_set<std::string, StringHash, StringEqual>();
  const std::lock_guard lock(mutex);
  return *texts.emplace(text).first;
}

}  // namespace trellis::server
