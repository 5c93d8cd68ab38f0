#pragma once

#include <atomic>
#include <memory>

#include "common/http/http_message.h"
#include "server/inventory/server_inventory.h"

namespace trellis::server {

// The server's admin door: `/health/liveness`, `/health/readiness`, `/metrics`, `/tables`,
// `/segments/{table}`. `ready` outlives the handler.
http::Handler MakeAdminDoor(std::shared_ptr<const ServerInventory> inventory,
                            const std::atomic<bool>& ready);

}  // namespace trellis::server
