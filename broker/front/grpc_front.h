#pragma once

#include <memory>

#include "broker/query/query_engine.h"
#include "common/base/task_pool.h"

namespace grpc {
class Service;
}

namespace trellis::broker {

// The broker's gRPC door: QueryService of proto/trellis/v1/query.proto. Thread-safe; engine and
// pool outlive it, and it outlives the gRPC server.
std::shared_ptr<grpc::Service> MakeGrpcFront(QueryEngine& engine, TaskPool& pool);

}  // namespace trellis::broker
