#pragma once

#include <memory>

#include "broker/front/query_pool.h"
#include "broker/query/query_engine.h"

namespace grpc {
class Service;
}

namespace trellis::broker {

// The broker's gRPC door: QueryService of proto/trellis/v1/query.proto. Thread-safe; engine and
// pool outlive it, and it outlives the gRPC server.
std::shared_ptr<grpc::Service> MakeGrpcFront(QueryEngine& engine, QueryPool& pool);

}  // namespace trellis::broker
