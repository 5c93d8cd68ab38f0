#pragma once

#include <memory>

#include "broker/query/query_engine.h"
#include "common/base/task_pool.h"
#include "common/http/http_message.h"

namespace trellis::broker {

// The broker's HTTP door: `/query/sql` and `/query` (POST and GET), `DELETE /query/{id}`,
// `/health`, `/tables`, `/tables/{t}/schema`, `/cluster` (the servers), `/metrics`. Queries run in
// the pool. Thread-safe; engine and pool outlive the handler.
http::Handler MakeHttpFront(QueryEngine& engine, TaskPool& pool);

}  // namespace trellis::broker
