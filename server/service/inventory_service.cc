#include <grpcpp/grpcpp.h>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/status_conversion.h"
#include "common/wire/leaf_messages.h"
#include "server/service/leaf_server_rep.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::server {
namespace {

constexpr char kBuildVersion[] = "0.1.0";

// Milliseconds of a time in the unit that a segment's metadata names; nullopt for units without a
// length.
std::optional<int64_t> ToMilliseconds(std::optional<int64_t> time, const std::string& unit) {
  static const std::map<std::string, int64_t> kUnits{{"MILLISECONDS", 1},
                                                     {"SECONDS", 1000},
                                                     {"MINUTES", 60'000},
                                                     {"HOURS", 3'600'000},
                                                     {"DAYS", 86'400'000}};
  const auto found = kUnits.find(unit);
  if (!time || found == kUnits.end()) return std::nullopt;
  int64_t ms;
  if (__builtin_mul_overflow(*time, found->second, &ms)) return std::nullopt;
  return ms;
}

wire::TableInventory DescribeTable(const TableStore& table) {
  wire::TableInventory out;
  out.table = table.name;
  out.schema_json = table.schema_json;
  out.config_json = table.config_json;
  out.refused = table.refused;
  for (const auto& segment : table.segments) {
    const segment::SegmentMetadata& metadata = segment->metadata();
    wire::SegmentEntry entry;
    entry.name = metadata.name;
    entry.crc = metadata.crc.value_or(0);
    entry.rows = metadata.document_count;
    entry.start_time_ms = ToMilliseconds(metadata.start_time, metadata.time_unit);
    entry.end_time_ms = ToMilliseconds(metadata.end_time, metadata.time_unit);
    out.segments.push_back(std::move(entry));
  }
  for (const BrokenSegment& broken : table.broken) {
    wire::SegmentEntry entry;
    entry.name = broken.name;
    entry.broken = broken.reason;
    out.segments.push_back(std::move(entry));
  }
  return out;
}

wire::Inventory Describe(const StoreSnapshot& store) {
  wire::Inventory inventory;
  inventory.incarnation = store.incarnation;
  inventory.epoch = store.epoch;
  inventory.build_version = kBuildVersion;
  inventory.segment_list_encodings = {"names", "legacy_json"};
  for (const auto& [name, table] : store.tables) inventory.tables.push_back(DescribeTable(*table));
  return inventory;
}

// Sends the inventory and stays open until either side goes: its end tells the broker that the
// server left.
class WatchStream : public grpc::ServerWriteReactor<grpc::ByteBuffer>, public Cancellable {
 public:
  WatchStream(std::shared_ptr<LeafServer::Rep> rep, const grpc::ByteBuffer& request)
      : rep_(std::move(rep)) {
    const auto bytes = rpc::FromByteBuffer(request);
    const Status status = bytes.ok() ? wire::DecodeWatchRequest(bytes->view) : bytes.status();
    const Result<std::string> inventory =
        status.ok() ? wire::EncodeInventory(Describe(*rep_->store)) : Result<std::string>(status);
    // Under the lock, so that StopAccepting either is seen here or sees this watcher.
    const std::lock_guard lock(rep_->mutex);
    rep_->watchers.insert(this);
    if (!rep_->accepting.load()) {
      Cancel();
    } else if (!inventory.ok()) {
      End(inventory.status());
    } else {
      message_ = rpc::ToByteBuffer(*inventory);
      StartWrite(&message_);
    }
  }
  void OnWriteDone(bool ok) override {
    if (!ok) End(Status::Cancelled("the watcher left"));
  }
  void OnCancel() override { End(Status::Cancelled("the watcher left")); }
  void Cancel() final { End(Status::Unavailable("server is shutting down")); }
  void OnDone() override {
    {
      const std::lock_guard lock(rep_->mutex);
      rep_->watchers.erase(this);
    }
    delete this;
  }

 private:
  void End(const Status& status) {
    if (!ended_.exchange(true)) Finish(rpc::ToGrpcStatus(status));
  }
  std::shared_ptr<LeafServer::Rep> rep_;
  grpc::ByteBuffer message_;
  std::atomic<bool> ended_{false};
};

class InventoryService final
    : public v1::InventoryService::WithRawCallbackMethod_Watch<v1::InventoryService::Service> {
 public:
  explicit InventoryService(std::shared_ptr<LeafServer::Rep> rep) : rep_(std::move(rep)) {}
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext*,
                                                    const grpc::ByteBuffer* request) override {
    return new WatchStream(rep_, *request);
  }

 private:
  std::shared_ptr<LeafServer::Rep> rep_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeInventoryService(std::shared_ptr<LeafServer::Rep> rep) {
  return std::make_shared<InventoryService>(std::move(rep));
}

}  // namespace trellis::server
