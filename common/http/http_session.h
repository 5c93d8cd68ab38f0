#pragma once

// Private to the room: the only header that knows Asio and Beast.

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <condition_variable>
#include <mutex>
#include <unordered_set>

#include "common/http/http_server.h"

namespace trellis::http {

namespace net = boost::asio;
using boost::system::error_code;
using net::ip::tcp;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

class Session;

// What sessions share. Sessions and pending Responder calls keep it alive; once the server has
// joined its threads nothing runs on `io` any more and late answers are dropped.
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
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  static constexpr size_t kReadSizeBytes = 16 * 1024;

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

}  // namespace trellis::http
