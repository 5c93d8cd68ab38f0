#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace trellis::http {

using NameValues = std::vector<std::pair<std::string, std::string>>;

// Says that nobody waits for an answer any more: the client went away, or the server was told to
// stop. Thread-safe.
class CancelSignal {
 public:
  bool cancelled() const;
  // Calls `callback` once when the signal is given, at once when it was given already. The callback
  // runs on an io thread: it must not block. Dropped unrun with the signal.
  void OnCancel(std::function<void()> callback);
  void Cancel();

 private:
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::vector<std::function<void()>> callbacks_;
};

struct HttpRequest {
  std::string method;     // "GET", as sent
  std::string target;     // as sent: path and query, still encoded
  std::string path;       // decoded, without the query
  NameValues parameters;  // of the query, decoded, in their order
  NameValues headers;
  std::string body;
  std::string remote;                                                       // "127.0.0.1:54321"
  std::shared_ptr<CancelSignal> cancel = std::make_shared<CancelSignal>();  // never null

  // The first value of that name (headers: letters' case ignored), or nullopt.
  std::optional<std::string_view> Parameter(std::string_view name) const;
  std::optional<std::string_view> Header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  NameValues
      headers;  // besides Content-Type, Content-Length and Connection; CR and LF become blanks
  std::string body;
};

// Completes one request. Copyable; may be called from any thread, at any time, also after the
// client or the server is gone. The first call wins, later ones do nothing. When the last copy dies
// without a call, the client is answered 500.
class Responder {
 public:
  // `send` is called at most once.
  explicit Responder(std::function<void(HttpResponse)> send);
  void operator()(HttpResponse response) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Runs on an io thread: it must hand long work to another thread and return.
using Handler = std::function<void(HttpRequest, Responder)>;

// Splits `target` into path and query and decodes both (`%41`, in the query `+` for a blank) into
// `request`. Errors: InvalidArgument for a target that does not start with '/', a cut or wrong
// escape, or an escaped NUL.
Status ParseTarget(std::string_view target, HttpRequest& request);

// "Not Found" for 404; "Unknown" for a status without a name here.
std::string_view ReasonPhrase(int status);

// Status line and header fields of an HTTP/1.1 answer, up to and including the empty line.
std::string ResponseHead(const HttpResponse& response, bool keep_alive);

}  // namespace trellis::http
