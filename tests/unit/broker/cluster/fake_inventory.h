#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/rpc/byte_buffer.h"
#include "common/rpc/server_runner.h"
#include "common/rpc/status_conversion.h"
#include "common/wire/inventory_messages.h"
#include "trellis/v1/leaf.grpc.pb.h"

namespace trellis::broker {

// A server that answers watches with the messages a test gives it, on a port of its own.
class FakeInventory {
 public:
  explicit FakeInventory(int port = 0) {
    auto runner = rpc::ServerRunner::Start({"127.0.0.1", port}, {&service_});
    INFO(runner.status().message());
    REQUIRE(runner.ok());
    runner_ = std::move(*runner);
  }
  ~FakeInventory() { runner_->Shutdown(std::chrono::milliseconds(0)); }

  std::string target() const { return "127.0.0.1:" + std::to_string(runner_->port()); }
  int port() const { return runner_->port(); }

  // Waits for the `count`-th watch, 1 the first; its request.
  wire::WatchRequest WaitForWatch(size_t count) {
    std::unique_lock lock(service_.mutex);
    REQUIRE(service_.changed.wait_for(lock, std::chrono::seconds(20),
                                      [&] { return service_.watches.size() >= count; }));
    return service_.requests.at(count - 1);
  }
  size_t watches() {
    const std::lock_guard lock(service_.mutex);
    return service_.watches.size();
  }
  // To the newest watch.
  void Send(const wire::Inventory& inventory) {
    auto message = wire::EncodeInventory(inventory);
    INFO(message.status().message());
    REQUIRE(message.ok());
    SendBytes(std::move(*message));
  }
  void SendBytes(std::string message) { Newest()->Send(std::move(message)); }
  void End(Status status = {}) { Newest()->End(std::move(status)); }
  // Messages that have left for the newest watch.
  size_t sent() { return Newest()->sent(); }

 private:
  class Watch : public grpc::ServerWriteReactor<grpc::ByteBuffer> {
   public:
    void Hold(std::shared_ptr<Watch> self) { self_ = std::move(self); }
    void Send(std::string message) {
      const std::lock_guard lock(mutex_);
      queue_.push_back(rpc::ToByteBuffer(std::move(message)));
      Next();
    }
    void End(Status status) {
      const std::lock_guard lock(mutex_);
      end_ = std::move(status);
      Next();
    }
    size_t sent() {
      const std::lock_guard lock(mutex_);
      return sent_;
    }
    void OnWriteDone(bool ok) override {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      sent_ += ok;
      if (!ok && !end_) end_ = Status::Cancelled("the watcher has gone");
      Next();
    }
    void OnCancel() override { End(Status::Cancelled("the watcher has gone")); }
    void OnDone() override { const auto self = std::move(self_); }

   private:
    void Next() {
      if (writing_ || finished_) return;
      if (!queue_.empty()) {
        outgoing_ = std::move(queue_.front());
        queue_.pop_front();
        writing_ = true;
        StartWrite(&outgoing_);
      } else if (end_) {
        finished_ = true;
        Finish(rpc::ToGrpcStatus(*end_));
      }
    }
    std::mutex mutex_;
    std::deque<grpc::ByteBuffer> queue_;
    grpc::ByteBuffer outgoing_;
    size_t sent_ = 0;
    bool writing_ = false;
    bool finished_ = false;
    std::optional<Status> end_;
    std::shared_ptr<Watch> self_;
  };

  class Service
      : public v1::InventoryService::WithRawCallbackMethod_Watch<v1::InventoryService::Service> {
   public:
    grpc::ServerWriteReactor<grpc::ByteBuffer>* Watch(grpc::CallbackServerContext*,
                                                      const grpc::ByteBuffer* request) override {
      auto watch = std::make_shared<FakeInventory::Watch>();
      watch->Hold(watch);
      const std::lock_guard lock(mutex);
      watches.push_back(watch);
      requests.push_back(
          wire::DecodeWatchRequest(rpc::FromByteBuffer(*request).value().view).value());
      changed.notify_all();
      return watch.get();
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::shared_ptr<FakeInventory::Watch>> watches;
    std::vector<wire::WatchRequest> requests;
  };

  std::shared_ptr<Watch> Newest() {
    const std::lock_guard lock(service_.mutex);
    REQUIRE_FALSE(service_.watches.empty());
    return service_.watches.back();
  }

  Service service_;
  std::unique_ptr<rpc::ServerRunner> runner_;
};

}  // namespace trellis::broker
