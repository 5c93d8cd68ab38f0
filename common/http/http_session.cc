// One strand a connection. A connection is a small state machine over one buffer:
//
//   kReading --request complete--> kRunning --Responder--> kWriting --keep-alive--> kReading
//       \--fault: 400/408/413/431--> kWriting --close--> kLingering --> gone
//
// Reading goes on while a request runs, for two reasons: an end of stream tells that the client
// went away, and pipelined bytes wait in the buffer (bounded) until the answer is out. A session's
// one timer is lazy: it sleeps until the deadline it saw and looks again, so that a request costs
// no timer operations.
#include "common/http/http_session.h"

#include <boost/asio/write.hpp>

#include "common/base/nearest_name.h"
#include "common/telemetry/metrics.h"

namespace trellis::http {
namespace {

namespace beast_http = boost::beast::http;

constexpr size_t kPipelinedSizeBytesMax = 64 * 1024;  // read ahead while a request runs
constexpr milliseconds kLingerTime{1000};  // for the client to read the answer before the end

}  // namespace

void Core::Add(std::shared_ptr<Session> session) {
  std::lock_guard lock(mutex);
  sessions.insert(std::move(session));
  SetGauge("trellis_http_connections", "Open HTTP connections",
           static_cast<double>(sessions.size()));
}

void Core::Remove(const std::shared_ptr<Session>& session) {
  std::lock_guard lock(mutex);
  sessions.erase(session);
  SetGauge("trellis_http_connections", "Open HTTP connections",
           static_cast<double>(sessions.size()));
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
  RespondFault(
      503, fmt::format("the limit of {} connections is reached", core_->limits.connections_max));
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
  if (state_ != State::kReading && buffer_.size() >= kPipelinedSizeBytesMax)
    return;  // resumed by Advance
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
      if (running != nullptr && running->state_ == State::kRunning)
        running->Respond(std::move(response));
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
  body_ = head_only_ || response.status == 204 || response.status == 304 ? ""
                                                                         : std::move(response.body);
  SetDeadline(core_->limits.write_timeout);
  const std::array<net::const_buffer, 2> buffers{net::buffer(header_text_), net::buffer(body_)};
  auto progress = [self = shared_from_this()](error_code fault, size_t) -> size_t {
    self->SetDeadline(self->core_->limits.write_timeout);
    return fault ? 0 : 256 * 1024;
  };
  net::async_write(
      socket_, buffers, std::move(progress),
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

}  // namespace trellis::http
