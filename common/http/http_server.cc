// One strand a connection. A connection is a small state machine over one buffer:
//
//   kReading --request complete--> kRunning --Responder--> kWriting --keep-alive--> kReading
//       \--fault: 400/408/413/431--> kWriting --close--> kLingering --> gone
//
// Reading goes on while a request runs, for two reasons: an end of stream tells that the client went away,
// and pipelined bytes wait in the buffer (bounded) until the answer is out. A session's one timer is lazy:
// it sleeps until the deadline it saw and looks again, so that a request costs no timer operations.
#include "common/http/http_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "common/base/nearest_name.h"
#include "common/telemetry/metrics.h"

namespace trellis::http {
namespace {

namespace net = boost::asio;
namespace beast_http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr size_t kReadSizeBytes = 16 * 1024;
constexpr size_t kPipelinedSizeBytesMax = 64 * 1024;  // read ahead while a request runs
constexpr size_t kRefusalsMax = 64;                   // connections above the limit that still get a 503
constexpr milliseconds kLingerTime{1000};             // for the client to read the answer before the end
constexpr milliseconds kAcceptRetryTime{100};         // after EMFILE and its like

class Session;

// What sessions share. Sessions and pending Responder calls keep it alive; once the server has joined its
// threads nothing runs on `io` any more and late answers are dropped.
struct Core {
  net::io_context io;
  HttpLimits limits;
  Handler handler;
  std::atomic<bool> draining{false};
  std::mutex mutex;
  std::condition_variable changed;                        // a session was removed
  std::unordered_set<std::shared_ptr<Session>> sessions;  // guarded by mutex

  void Add(std::shared_ptr<Session> session);
  void Remove(const std::shared_ptr<Session>& session);
  size_t session_count() {
    std::lock_guard lock(mutex);
    return sessions.size();
  }
};

// One connection. Every member is touched on the session's strand only; StartX and OnX run there.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Core> core, tcp::socket socket)
      : core_(std::move(core)), socket_(std::move(socket)), timer_(socket_.get_executor()) {}

  // Reads requests; with `full`, answers 503 and closes instead.
  void Start(bool full);
  // Closes at once when no request is under way; a running one closes after its answer.
  void Drain();
  // Cancels what runs and closes.
  void Cut();
  template <class F>
  void Post(F f) {  // from any thread
    net::post(socket_.get_executor(), [self = shared_from_this(), f = std::move(f)] { f(*self); });
  }

 private:
  enum class State { kReading, kRunning, kWriting, kLingering, kClosed };
  using Parser = beast_http::request_parser<beast_http::string_body>;

  void Advance();
  bool ParseSome();
  void StartRead();
  void OnRead(error_code fault, size_t size_bytes);
  void OnPeerClosed();
  void SendContinue();
  void Dispatch();
  HttpRequest TakeRequest(Status& status);
  void Respond(HttpResponse response);
  void RespondFault(int status, const std::string& message);
  void OnWritten(error_code fault);
  void Linger();
  void Close();
  void SetDeadline(milliseconds from_now) { deadline_ = Clock::now() + from_now; }
  void ClearDeadline() { deadline_ = Clock::time_point::max(); }
  void ArmTimer();
  void OnTimer();

  std::shared_ptr<Core> core_;  // first: it must outlive the socket and the timer
  tcp::socket socket_;
  net::steady_timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::array<char, kReadSizeBytes> incoming_;  // its own: the buffer moves while a read is pending
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  State state_ = State::kReading;
  bool read_pending_ = false;
  bool peer_closed_ = false;
  bool continue_sent_ = false;
  bool keep_alive_ = true;
  bool head_only_ = false;
  size_t lingered_size_bytes_ = 0;
  std::string remote_;
  std::shared_ptr<CancelSignal> cancel_;  // of the running request
  std::string header_text_;               // of the answer being written
  std::string body_;
};

void Core::Add(std::shared_ptr<Session> session) {
  std::lock_guard lock(mutex);
  sessions.insert(std::move(session));
  SetGauge("trellis_http_connections", "Open HTTP connections", static_cast<double>(sessions.size()));
}

void Core::Remove(const std::shared_ptr<Session>& session) {
  std::lock_guard lock(mutex);
  sessions.erase(session);
  SetGauge("trellis_http_connections", "Open HTTP connections", static_cast<double>(sessions.size()));
  changed.notify_all();
}

void Session::Start(bool full) {
  if (core_->draining) return Close();
  error_code ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  error_code unknown;
  const tcp::endpoint endpoint = socket_.remote_endpoint(unknown);
  if (!unknown) remote_ = fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
  SetDeadline(core_->limits.idle_timeout);
  ArmTimer();
  if (!full) return Advance();
  RespondFault(503, fmt::format("the limit of {} connections is reached", core_->limits.connections_max));
}

void Session::Drain() {
  if (state_ == State::kReading && buffer_.size() == 0 && !parser_) Close();
}

void Session::Cut() {
  if (cancel_ != nullptr) cancel_->Cancel();
  Close();
}

// Parses what is buffered, dispatches a whole request, reads on for more.
void Session::Advance() {
  while (state_ == State::kReading && buffer_.size() > 0) {
    if (!ParseSome()) break;
  }
  if (state_ == State::kReading && peer_closed_) return Close();
  StartRead();
}

// Feeds the parser once. Returns false when it needs more bytes or the state has changed.
bool Session::ParseSome() {
  if (!parser_) {
    parser_.emplace();
    parser_->eager(true);
    parser_->header_limit(core_->limits.header_size_bytes_max);
    parser_->body_limit(core_->limits.body_size_bytes_max);
    continue_sent_ = false;
    SetDeadline(core_->limits.request_timeout);
  }
  error_code fault;
  const size_t used = parser_->put(buffer_.data(), fault);
  buffer_.consume(used);
  if (fault == beast_http::error::need_more) fault = {};
  if (fault) {
    const int status = fault == beast_http::error::header_limit ? 431 : 400;
    RespondFault(fault == beast_http::error::body_limit ? 413 : status, fault.message());
    return false;
  }
  if (parser_->is_done()) {
    Dispatch();
    return false;
  }
  if (parser_->is_header_done() && !continue_sent_ && buffer_.size() == 0 &&
      EqualsIgnoreCase(std::string(parser_->get()[beast_http::field::expect]), "100-continue")) {
    SendContinue();
    return false;
  }
  return used > 0;
}

void Session::StartRead() {
  if (read_pending_ || peer_closed_ || state_ == State::kClosed) return;
  if (state_ != State::kReading && buffer_.size() >= kPipelinedSizeBytesMax) return;  // resumed by Advance
  read_pending_ = true;
  socket_.async_read_some(net::buffer(incoming_),
                          [self = shared_from_this()](error_code fault, size_t size_bytes) {
                            self->OnRead(fault, size_bytes);
                          });
}

void Session::OnRead(error_code fault, size_t size_bytes) {
  read_pending_ = false;
  if (state_ == State::kClosed) return;
  if (fault) return OnPeerClosed();
  if (state_ == State::kLingering) {
    lingered_size_bytes_ += size_bytes;
    if (lingered_size_bytes_ > core_->limits.body_size_bytes_max) return Close();
    return StartRead();
  }
  buffer_.commit(net::buffer_copy(buffer_.prepare(size_bytes), net::buffer(incoming_, size_bytes)));
  Advance();
}

void Session::OnPeerClosed() {
  peer_closed_ = true;
  if (state_ == State::kRunning) {
    // A half-closed client may still read: the answer is written when it comes.
    if (cancel_ != nullptr) cancel_->Cancel();
  } else if (state_ != State::kWriting) {
    Close();
  }
}

void Session::SendContinue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  continue_sent_ = true;
  state_ = State::kWriting;
  net::async_write(socket_, net::buffer(kContinue.data(), kContinue.size()),
                   [self = shared_from_this()](error_code fault, size_t) {
                     if (self->state_ == State::kClosed) return;
                     if (fault) return self->Close();
                     self->state_ = State::kReading;
                     self->Advance();
                   });
}

HttpRequest Session::TakeRequest(Status& status) {
  auto message = parser_->release();
  parser_.reset();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) {
    request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  }
  request.body = std::move(message.body());
  request.remote = remote_;
  keep_alive_ = message.keep_alive();
  head_only_ = request.method == "HEAD";
  status = ParseTarget(request.target, request);
  return request;
}

void Session::Dispatch() {
  Status status;
  HttpRequest request = TakeRequest(status);
  if (!status.ok()) return RespondFault(400, status.message());
  CountMetric("trellis_http_requests_total", "HTTP requests taken");
  state_ = State::kRunning;
  ClearDeadline();
  cancel_ = request.cancel;
  // Weak: a Responder kept for ever must not keep the connection.
  Responder responder([weak = weak_from_this()](HttpResponse response) {
    const std::shared_ptr<Session> session = weak.lock();
    if (session == nullptr) return;
    net::post(session->socket_.get_executor(), [weak, response = std::move(response)]() mutable {
      const std::shared_ptr<Session> running = weak.lock();
      if (running != nullptr && running->state_ == State::kRunning) running->Respond(std::move(response));
    });
  });
  try {
    core_->handler(std::move(request), responder);
  } catch (const std::exception& thrown) {
    responder({500, "text/plain", {}, fmt::format("{}\n", thrown.what())});
  }
  if (peer_closed_ && cancel_ != nullptr) cancel_->Cancel();
}

void Session::RespondFault(int status, const std::string& message) {
  keep_alive_ = false;
  head_only_ = false;
  parser_.reset();
  buffer_.consume(buffer_.size());
  Respond({status, "text/plain", {}, message + "\n"});
}

void Session::Respond(HttpResponse response) {
  state_ = State::kWriting;
  cancel_.reset();
  if (core_->draining) keep_alive_ = false;
  header_text_ = ResponseHead(response, keep_alive_);
  body_ = head_only_ || response.status == 204 || response.status == 304 ? "" : std::move(response.body);
  SetDeadline(core_->limits.write_timeout);
  const std::array<net::const_buffer, 2> buffers{net::buffer(header_text_), net::buffer(body_)};
  auto progress = [self = shared_from_this()](error_code fault, size_t) -> size_t {
    self->SetDeadline(self->core_->limits.write_timeout);
    return fault ? 0 : 256 * 1024;
  };
  net::async_write(socket_, buffers, std::move(progress),
                   [self = shared_from_this()](error_code fault, size_t) { self->OnWritten(fault); });
}

void Session::OnWritten(error_code fault) {
  header_text_.clear();
  body_ = {};  // a large answer's memory is not kept with the connection
  if (state_ == State::kClosed) return;
  if (fault) return Close();
  if (!keep_alive_ || core_->draining) return Linger();
  state_ = State::kReading;
  SetDeadline(core_->limits.idle_timeout);
  Advance();
}

// Ends our side and waits a moment for the client's end: closing with unread bytes would reset the
// connection and could take the answer with it.
void Session::Linger() {
  if (peer_closed_) return Close();
  buffer_.consume(buffer_.size());
  state_ = State::kLingering;
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  SetDeadline(kLingerTime);
  timer_.cancel();  // it may sleep until a later deadline
  StartRead();
}

void Session::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
  core_->Remove(shared_from_this());
}

void Session::ArmTimer() {
  // Without a deadline the timer still looks now and then: a later phase may set a near one.
  const HttpLimits& limits = core_->limits;
  const auto poll = std::min({limits.idle_timeout, limits.request_timeout, limits.write_timeout});
  timer_.expires_at(std::min(deadline_, Clock::now() + poll));
  timer_.async_wait([self = shared_from_this()](error_code) { self->OnTimer(); });
}

void Session::OnTimer() {
  if (state_ == State::kClosed) return;
  if (Clock::now() < deadline_) return ArmTimer();
  if (state_ == State::kReading && parser_) {
    RespondFault(408, fmt::format("the request did not arrive within {} ms",
                                  core_->limits.request_timeout.count()));
    return ArmTimer();
  }
  Close();
}

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
  Impl() : core_(std::make_shared<Core>()), acceptor_(net::make_strand(core_->io)),
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
