#include "broker/front/grpc_front.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <deque>

#include "common/base/nearest_name.h"
#include "common/rpc/status_conversion.h"
#include "trellis/v1/query.grpc.pb.h"

namespace trellis::broker {
namespace {

constexpr size_t kRowsPerMessage = 1'000;
constexpr uint32_t kProtocolVersion = 1;

void ToProto(const Value& value, v1::Value& out) {
  out.set_type(static_cast<v1::DataType>(value.type()));
  if (value.is_null()) return;
  if (value.is_array()) {
    auto* array = out.mutable_array();
    for (const Value& element : value.elements()) ToProto(element, *array->add_values());
    return;
  }
  switch (PhysicalOf(value.type())) {
    case Physical::kInt32:
      return out.set_int32(value.int32());
    case Physical::kInt64:
      return out.set_int64(value.int64());
    case Physical::kFloat:
      return out.set_float32(value.float32());
    case Physical::kDouble:
      return out.set_float64(value.float64());
    case Physical::kBytes:
      return out.set_raw(value.bytes());
  }
}

template <class Map>
OptionList OptionsOf(const Map& options) {
  OptionList list(options.begin(), options.end());
  std::sort(list.begin(), list.end());
  return list;
}

template <class Exceptions>
void AddExceptions(const QueryResponse& answer, Exceptions* exceptions) {
  for (const QueryException& exception : answer.exceptions) {
    auto* out = exceptions->Add();
    out->set_error_code(exception.code);
    out->set_message(exception.message);
  }
}

std::deque<v1::QueryResponse> ToMessages(const std::string& query_id, const QueryResponse& answer) {
  std::deque<v1::QueryResponse> messages;
  if (answer.table) {
    auto* schema = messages.emplace_back().mutable_schema();
    schema->set_query_id(query_id);
    for (size_t i = 0; i < answer.table->names.size(); ++i) {
      schema->add_names(answer.table->names[i]);
      auto* type = schema->add_types();
      type->set_type(static_cast<v1::DataType>(answer.table->types[i].type));
      type->set_multi_value(answer.table->types[i].multi_value);
    }
    const Block& rows = answer.table->rows;
    for (size_t from = 0; from < rows.rows; from += kRowsPerMessage) {
      auto* part = messages.emplace_back().mutable_rows();
      for (size_t row = from; row < std::min(rows.rows, from + kRowsPerMessage); ++row) {
        auto* out = part->add_rows();
        for (const ColumnVector& column : rows.columns)
          ToProto(column.Get(row), *out->add_values());
      }
    }
  }
  auto* done = messages.emplace_back().mutable_done();
  AddExceptions(answer, done->mutable_exceptions());
  done->set_servers_queried(answer.statistics.servers_queried);
  done->set_servers_responded(answer.statistics.servers_responded);
  done->set_time_used_us(answer.time_used_ms * 1000);
  done->set_partial_result(answer.partial_result);
  auto* statistics = done->mutable_statistics();
  statistics->set_documents_scanned(answer.statistics.docs_scanned);
  statistics->set_documents_total(answer.statistics.total_docs);
  statistics->set_segments_queried(answer.statistics.segments_queried);
  statistics->set_segments_processed(answer.statistics.segments_processed);
  statistics->set_segments_matched(answer.statistics.segments_matched);
  statistics->set_segments_pruned(answer.statistics.segments_pruned_by_server);
  return messages;
}

class ExecuteStream : public grpc::ServerWriteReactor<v1::QueryResponse> {
 public:
  ExecuteStream(QueryEngine& engine, TaskPool& pool, const v1::QueryRequest& request,
                std::string query_id)
      : engine_(engine), query_id_(std::move(query_id)) {
    QueryCall call{request.sql(), OptionsOf(request.options()), query_id_, cancel_};
    if (request.protocol_version() > kProtocolVersion) {
      Refuse(grpc::StatusCode::FAILED_PRECONDITION,
             fmt::format("protocol version {} is newer than {}", request.protocol_version(),
                         kProtocolVersion));
    } else if (!pool.Submit([this, call = std::move(call)] { Run(call); })) {
      Refuse(grpc::StatusCode::RESOURCE_EXHAUSTED,
             "too many queries are waiting, or the broker is shutting down");
    }
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the client left"));
    messages_.pop_front();
    WriteNext();
  }
  void OnCancel() override { cancel_->Cancel(); }
  void OnDone() override { delete this; }

 private:
  void Refuse(grpc::StatusCode code, const std::string& message) {
    Finish(grpc::Status(code, message));
  }
  void Run(const QueryCall& call) {
    messages_ = ToMessages(query_id_, engine_.Execute(call));
    WriteNext();
  }
  void WriteNext() {
    if (messages_.empty()) return Finish(grpc::Status::OK);
    StartWrite(&messages_.front());
  }
  QueryEngine& engine_;
  std::string query_id_;
  std::shared_ptr<CancelToken> cancel_ = std::make_shared<CancelToken>();
  std::deque<v1::QueryResponse> messages_;
};

class GrpcFront final : public v1::QueryService::CallbackService {
 public:
  GrpcFront(QueryEngine& engine, TaskPool& pool) : engine_(engine), pool_(pool) {}

  grpc::ServerWriteReactor<v1::QueryResponse>* Execute(grpc::CallbackServerContext*,
                                                       const v1::QueryRequest* request) override {
    std::string id = request->query_id();
    if (id.empty()) id = fmt::format("{}_grpc_{}", engine_.options().broker_id, next_.fetch_add(1));
    return new ExecuteStream(engine_, pool_, *request, std::move(id));
  }

  grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* context,
                                   const v1::CancelQueryRequest* request,
                                   v1::CancelQueryResponse* response) override {
    response->set_found(engine_.Cancel(request->query_id()));
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  grpc::ServerUnaryReactor* Explain(grpc::CallbackServerContext* context,
                                    const v1::ExplainRequest* request,
                                    v1::ExplainResponse* response) override {
    auto* reactor = context->DefaultReactor();
    QueryCall call{"EXPLAIN PLAN FOR " + request->sql(), OptionsOf(request->options()), "",
                   nullptr};
    const bool taken = pool_.Submit([this, call = std::move(call), response, reactor] {
      const QueryResponse answer = engine_.Execute(call);
      AddExceptions(answer, response->mutable_exceptions());
      if (answer.table && answer.table->rows.columns.size() == 3) {
        for (size_t row = 0; row < answer.table->rows.rows; ++row) {
          auto* out = response->add_rows();
          out->set_operator_(answer.table->rows.columns[0].Get(row).bytes());
          out->set_id(answer.table->rows.columns[1].Get(row).int32());
          out->set_parent_id(answer.table->rows.columns[2].Get(row).int32());
        }
      }
      reactor->Finish(grpc::Status::OK);
    });
    if (!taken)
      reactor->Finish(
          grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "too many queries are waiting"));
    return reactor;
  }

 private:
  QueryEngine& engine_;
  TaskPool& pool_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace

std::shared_ptr<grpc::Service> MakeGrpcFront(QueryEngine& engine, TaskPool& pool) {
  return std::make_shared<GrpcFront>(engine, pool);
}

}  // namespace trellis::broker
