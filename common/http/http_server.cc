#include "common/http/http_server.h"

#include <boost/asio/strand.hpp>
#include <thread>

#include "common/http/http_session.h"
#include "common/telemetry/metrics.h"

namespace trellis::http {
namespace {

constexpr size_t kRefusalsMax = 64;            // connections above the limit that still get a 503
constexpr milliseconds kAcceptRetryTime{100};  // after EMFILE and its like

Result<tcp::endpoint> Resolve(net::io_context& io, const std::string& host, uint16_t port) {
  error_code fault;
  tcp::resolver resolver(io);
  const auto found = resolver.resolve(host, std::to_string(port), tcp::resolver::passive, fault);
  if (fault || found.empty()) {
    return Status::InvalidArgument("host '{}' does not resolve: {}", host, fault.message());
  }
  return found.begin()->endpoint();
}

}  // namespace

class HttpServer::Impl {
 public:
  Impl()
      : core_(std::make_shared<Core>()),
        acceptor_(net::make_strand(core_->io)),
        retry_(acceptor_.get_executor()) {}
  ~Impl() { Drain(milliseconds(0)); }
  Core& core() { return *core_; }
  uint16_t port() const { return port_; }
  Status Listen(const std::string& host, uint16_t port);
  void Run(int io_threads);
  bool Drain(milliseconds deadline);
  size_t cut_count() const { return cut_count_; }

 private:
  void Accept();
  void OnAccepted(error_code fault, tcp::socket socket);
  template <class F>
  void ForEachSession(F f) {
    std::lock_guard lock(core_->mutex);
    for (const auto& session : core_->sessions) session->Post(f);
  }

  std::shared_ptr<Core> core_;
  tcp::acceptor acceptor_;
  net::steady_timer retry_;
  uint16_t port_ = 0;
  std::vector<std::thread> threads_;
  std::mutex drain_mutex_;
  bool drained_ = false;
  size_t cut_count_ = 0;
};

Status HttpServer::Impl::Listen(const std::string& host, uint16_t port) {
  TRELLIS_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, Resolve(core_->io, host, port));
  error_code fault;
  acceptor_.open(endpoint.protocol(), fault);
  // A port in TIME_WAIT is free; one that another process listens on stays refused.
  if (!fault) acceptor_.set_option(net::socket_base::reuse_address(true), fault);
  if (!fault) acceptor_.bind(endpoint, fault);
  if (!fault) acceptor_.listen(net::socket_base::max_listen_connections, fault);
  if (!fault) port_ = acceptor_.local_endpoint(fault).port();
  if (fault) return Status::Unavailable("cannot listen on {}:{}: {}", host, port, fault.message());
  return Status::Ok();
}

void HttpServer::Impl::Run(int io_threads) {
  // The pending accept is what keeps the threads running.
  net::post(acceptor_.get_executor(), [this] { Accept(); });
  for (int i = 0; i < io_threads; ++i) {
    threads_.emplace_back([core = core_] { core->io.run(); });
  }
}

void HttpServer::Impl::Accept() {
  acceptor_.async_accept(net::make_strand(core_->io), [this](error_code fault, tcp::socket socket) {
    OnAccepted(fault, std::move(socket));
  });
}

void HttpServer::Impl::OnAccepted(error_code fault, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (fault) {  // out of descriptors, or the client was gone already
    retry_.expires_after(kAcceptRetryTime);
    retry_.async_wait([this](error_code cancelled) {
      if (!cancelled && acceptor_.is_open()) Accept();
    });
    return;
  }
  const size_t open = core_->session_count();
  const bool full = open >= core_->limits.connections_max;
  if (full) {
    CountMetric("trellis_http_connections_refused_total", "HTTP connections above the limit");
  }
  if (open < core_->limits.connections_max + kRefusalsMax) {
    auto session = std::make_shared<Session>(core_, std::move(socket));
    core_->Add(session);
    session->Post([full](Session& s) { s.Start(full); });
  }
  Accept();
}

bool HttpServer::Impl::Drain(milliseconds deadline) {
  std::lock_guard once(drain_mutex_);
  if (drained_) return cut_count_ == 0;
  drained_ = true;
  const auto until = Clock::now() + deadline;
  core_->draining = true;
  net::post(acceptor_.get_executor(), [this] {
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
  });
  ForEachSession([](Session& session) { session.Drain(); });
  {
    std::unique_lock lock(core_->mutex);
    core_->changed.wait_until(lock, until, [this] { return core_->sessions.empty(); });
    cut_count_ = core_->sessions.size();
  }
  ForEachSession([](Session& session) { session.Cut(); });
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  return cut_count_ == 0;
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& host, uint16_t port,
                                                      int io_threads, const HttpLimits& limits,
                                                      Handler handler) {
  TRELLIS_CHECK(io_threads > 0);
  auto impl = std::make_unique<Impl>();
  impl->core().limits = limits;
  impl->core().handler = std::move(handler);
  TRELLIS_RETURN_IF_ERROR(impl->Listen(host, port));
  impl->Run(io_threads);
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

uint16_t HttpServer::port() const { return impl_->port(); }
size_t HttpServer::connections() const { return impl_->core().session_count(); }

Status HttpServer::Drain(milliseconds deadline) {
  if (impl_->Drain(deadline)) return Status::Ok();
  return Status::DeadlineExceeded("{} connections were cut at the drain deadline of {} ms",
                                  impl_->cut_count(), deadline.count());
}

}  // namespace trellis::http
