#include "common/http/http_message.h"

#include <algorithm>
#include <atomic>

#include "common/base/hex_digit.h"
#include "common/base/nearest_name.h"

namespace trellis::http {
namespace {

Result<std::string> DecodePercent(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return Status::InvalidArgument("'{}' is no %XX escape", text.substr(i, 3));
      }
      if (high + low == 0) return Status::InvalidArgument("%00 is not allowed in a target");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

std::string OneLine(std::string text) {
  for (char& c : text) {
    if (c == '\r' || c == '\n' || c == '\0') c = ' ';
  }
  return text;
}

}  // namespace

bool CancelSignal::cancelled() const {
  std::lock_guard lock(mutex_);
  return cancelled_;
}

void CancelSignal::OnCancel(std::function<void()> callback) {
  {
    std::lock_guard lock(mutex_);
    if (!cancelled_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

void CancelSignal::Cancel() {
  std::vector<std::function<void()>> callbacks;
  {
    std::lock_guard lock(mutex_);
    if (cancelled_) return;
    cancelled_ = true;
    callbacks.swap(callbacks_);
  }
  for (const auto& callback : callbacks) callback();
}

std::optional<std::string_view> HttpRequest::Parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> HttpRequest::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoreCase(key, name)) return value;
  }
  return std::nullopt;
}

struct Responder::State {
  explicit State(std::function<void(HttpResponse)> send) : send(std::move(send)) {}
  ~State() { Send({500, "text/plain", {}, "the request was dropped without an answer\n"}); }
  void Send(HttpResponse response) {
    if (!sent.exchange(true)) send(std::move(response));
  }
  std::function<void(HttpResponse)> send;
  std::atomic<bool> sent{false};
};

Responder::Responder(std::function<void(HttpResponse)> send)
    : state_(std::make_shared<State>(std::move(send))) {}

void Responder::operator()(HttpResponse response) const {
  if (state_ != nullptr) state_->Send(std::move(response));
}

Status ParseTarget(std::string_view target, HttpRequest& request) {
  if (target.empty() || target[0] != '/') {
    return Status::InvalidArgument("the request target must start with '/'");
  }
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  TRELLIS_ASSIGN_OR_RETURN(request.path, DecodePercent(target.substr(0, question), false));
  request.parameters.clear();
  if (question == std::string_view::npos) return Status::Ok();
  std::string_view query = target.substr(question + 1);
  while (!query.empty()) {
    const size_t ampersand = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, ampersand);
    query.remove_prefix(std::min(ampersand + 1, query.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    TRELLIS_ASSIGN_OR_RETURN(std::string name, DecodePercent(pair.substr(0, equals), true));
    TRELLIS_ASSIGN_OR_RETURN(std::string value,
                             DecodePercent(pair.substr(std::min(equals + 1, pair.size())), true));
    request.parameters.emplace_back(std::move(name), std::move(value));
  }
  return Status::Ok();
}

std::string ResponseHead(const HttpResponse& response, bool keep_alive) {
  std::string text =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, ReasonPhrase(response.status));
  if (!response.content_type.empty()) {
    text += fmt::format("Content-Type: {}\r\n", OneLine(response.content_type));
  }
  for (const auto& [name, value] : response.headers) {
    text += fmt::format("{}: {}\r\n", OneLine(name), OneLine(value));
  }
  if (response.status != 204 && response.status != 304) {
    text += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  text += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return text;
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Unknown";
  }
}

}  // namespace trellis::http
