#include "broker/cluster/inventory_watch.h"

#include <utility>

#include "common/wire/inventory_messages.h"

namespace trellis::broker {
namespace {

// A watch is renewed after this long even when all is well, so that a half-dead connection is
// noticed.
constexpr std::chrono::hours kWatchLength{1};

class Handler : public rpc::StreamHandler {
 public:
  Handler(std::shared_ptr<WatchMailbox> mailbox, uint32_t server, uint64_t watch)
      : mailbox_(std::move(mailbox)), server_(server), watch_(watch) {}
  void OnMessage(wire::SharedBytes message) override {
    mailbox_->Put({server_, watch_, std::move(message), {}});
  }
  void OnDone(Status status) override {
    if (status.ok()) status = Status::Unavailable("the server ended the watch");
    mailbox_->Put({server_, watch_, std::nullopt, std::move(status)});
  }

 private:
  std::shared_ptr<WatchMailbox> mailbox_;
  uint32_t server_;
  uint64_t watch_;
};

}  // namespace

InventoryWatch::InventoryWatch(const std::shared_ptr<rpc::Channel>& channel,
                               std::shared_ptr<WatchMailbox> mailbox, uint32_t server,
                               uint64_t watch) {
  rpc::CallOptions options;
  options.timeout = kWatchLength;
  options.read_automatically = false;
  const wire::WatchRequest request{{wire::kInventoryDeltasFeature}};
  call_ =
      rpc::StreamCall::Start(channel, wire::kInventoryWatchMethod,
                             {wire::SharedBytes::Own(wire::EncodeWatchRequest(request))},
                             std::make_shared<Handler>(std::move(mailbox), server, watch), options);
}

}  // namespace trellis::broker
