#pragma once

#include <atomic>
#include <memory>

#include "common/http/http_message.h"
#include "server/store/table_store.h"

namespace trellis::server {

// The server's admin door: `/health/liveness`, `/health/readiness`, `/metrics`, `/tables`,
// `/segments/{table}`. `ready` and the store outlive the handler.
http::Handler MakeAdminDoor(const StoreSnapshot& store, const std::atomic<bool>& ready);

}  // namespace trellis::server
