#include <grpcpp/grpcpp.h>

#include <algorithm>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/status_conversion.h"
#include "common/telemetry/metrics.h"
#include "common/wire/inventory_messages.h"
#include "server/service/leaf_server_rep.h"
#include "server/service/watch_feed.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::server {
namespace {

WatchFeed::Options FeedOptions(const LeafServerOptions& options,
                               const wire::WatchRequest& request) {
  WatchFeed::Options feed;
  feed.segment_list_encodings = options.segment_list_encodings;
  feed.deltas = std::find(request.features.begin(), request.features.end(),
                          wire::kInventoryDeltasFeature) != request.features.end();
  return feed;
}

// Sends the inventory and what changes, one message at a time, and stays open until either side
// goes: its end tells the broker that the server left. Messages are made on the scheduler's
// threads.
class WatchStream : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                    public Cancellable,
                    public std::enable_shared_from_this<WatchStream> {
 public:
  explicit WatchStream(std::shared_ptr<LeafServer::Rep> rep) : rep_(std::move(rep)) {}

  void Begin(const grpc::ByteBuffer& request_bytes) {
    self_ = shared_from_this();
    const auto bytes = rpc::FromByteBuffer(request_bytes);
    const auto request = bytes.ok() ? wire::DecodeWatchRequest(bytes->view)
                                    : Result<wire::WatchRequest>(bytes.status());
    if (request.ok())
      feed_ = std::make_unique<WatchFeed>(rep_->inventory, FeedOptions(rep_->options, *request));
    subscription_ = rep_->inventory->Subscribe([stream = weak_from_this()] {
      if (const auto alive = stream.lock()) alive->Wake();
    });
    // Under the lock, so that StopAccepting either is seen here or sees this watcher.
    const std::lock_guard lock(rep_->mutex);
    rep_->watchers.insert(this);
    if (!rep_->accepting.load()) {
      Cancel();
    } else if (!request.ok()) {
      End(request.status());
    } else {
      Wake();
    }
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return End(Status::Cancelled("the watcher left"));
    const std::lock_guard lock(mutex_);
    busy_ = false;
    Continue();
  }
  void OnCancel() override { End(Status::Cancelled("the watcher left")); }
  void Cancel() final { End(Status::Unavailable("server is shutting down")); }
  void OnDone() override {
    rep_->inventory->Unsubscribe(subscription_);
    {
      const std::lock_guard lock(rep_->mutex);
      rep_->watchers.erase(this);
    }
    self_.reset();
  }

 private:
  // Something has changed.
  void Wake() {
    const std::lock_guard lock(mutex_);
    look_ = true;
    Continue();
  }
  // REQUIRES: mutex_ held.
  void Continue() {
    if (busy_ || ended_ || !feed_ || !(look_ || feed_->more())) return;
    busy_ = true;
    rep_->scheduler->Submit([self = shared_from_this()] { self->SendNext(); });
  }
  void SendNext() {
    bool look;
    {
      const std::lock_guard lock(mutex_);
      look = std::exchange(look_, false);
    }
    auto message = feed_->Next(look);
    if (!message.ok()) return End(message.status());
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    if (!*message) {
      busy_ = false;
      return Continue();
    }
    CountMetric("trellis_server_inventory_messages_total", "Inventory messages sent to watchers");
    CountMetric("trellis_server_inventory_bytes_total", "Bytes of inventory sent to watchers",
                static_cast<double>((*message)->size()));
    message_ = rpc::ToByteBuffer(std::move(**message));
    StartWrite(&message_);
  }
  void End(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(ended_, true)) Finish(rpc::ToGrpcStatus(status));
  }

  std::shared_ptr<LeafServer::Rep> rep_;
  std::shared_ptr<WatchStream> self_;  // until gRPC is done with the reactor
  uint64_t subscription_ = 0;

  std::mutex mutex_;
  grpc::ByteBuffer message_;
  // Used by the one who has set `busy_`: from asking for a message until it has been written.
  std::unique_ptr<WatchFeed> feed_;
  bool busy_ = false;
  bool look_ = false;
  bool ended_ = false;
};

class InventoryService final
    : public v1::InventoryService::WithRawCallbackMethod_Watch<v1::InventoryService::Service> {
 public:
  explicit InventoryService(std::shared_ptr<LeafServer::Rep> rep) : rep_(std::move(rep)) {}
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext*,
                                                    const grpc::ByteBuffer* request) override {
    auto stream = std::make_shared<WatchStream>(rep_);
    stream->Begin(*request);
    return stream.get();
  }

 private:
  std::shared_ptr<LeafServer::Rep> rep_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeInventoryService(std::shared_ptr<LeafServer::Rep> rep) {
  return std::make_shared<InventoryService>(std::move(rep));
}

}  // namespace trellis::server
