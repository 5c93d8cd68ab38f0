#include "common/http/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>

namespace trellis::http {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace beast_http = boost::beast::http;
using boost::system::error_code;
using net::ip::tcp;

constexpr uint64_t kResponseSizeBytesMax = uint64_t{1} << 30;

// One exchange, written as four asynchronous steps under one deadline: resolve, connect, write,
// read.
class Exchange {
 public:
  Exchange(const std::string& host, uint16_t port, std::chrono::milliseconds timeout)
      : host_(host), port_(port), timeout_(timeout), resolver_(io_), stream_(io_) {
    parser_.body_limit(kResponseSizeBytesMax);
  }

  Result<HttpResponse> Run(beast_http::request<beast_http::string_body> request) {
    request_ = std::move(request);
    parser_.skip(request_.method() == beast_http::verb::head);
    stream_.expires_after(timeout_);
    resolver_.async_resolve(host_, std::to_string(port_), [this](error_code fault, auto found) {
      if (Failed("resolve", fault)) return;
      stream_.async_connect(found,
                            [this](error_code fault, const tcp::endpoint&) { OnConnected(fault); });
    });
    const auto until = std::chrono::steady_clock::now() + timeout_;
    io_.run_until(until);
    if (!done_ && status_.ok())
      status_ = TimedOut();  // a resolver cannot be interrupted by the stream
    if (!status_.ok()) return status_;
    return TakeResponse();
  }

 private:
  void OnConnected(error_code fault) {
    if (Failed("connect to", fault)) return;
    beast_http::async_write(stream_, request_, [this](error_code fault, size_t) {
      if (Failed("send to", fault)) return;
      beast_http::async_read(stream_, buffer_, parser_, [this](error_code fault, size_t) {
        if (Failed("read the answer of", fault)) return;
        done_ = true;
      });
    });
  }

  bool Failed(std::string_view what, error_code fault) {
    if (!fault) return false;
    if (fault == beast::error::timeout) {
      status_ = TimedOut();
    } else if (fault == beast_http::error::body_limit) {
      status_ = Status::ResourceExhausted("the answer of {}:{} is larger than {} bytes", host_,
                                          port_, kResponseSizeBytesMax);
    } else {
      status_ = Status::Unavailable("cannot {} {}:{}: {}", what, host_, port_, fault.message());
    }
    return true;
  }

  Status TimedOut() const {
    return Status::DeadlineExceeded("no answer of {}:{} within {} ms", host_, port_,
                                    timeout_.count());
  }

  HttpResponse TakeResponse() {
    auto message = parser_.release();
    HttpResponse response;
    response.status = static_cast<int>(message.result_int());
    response.content_type = std::string(message[beast_http::field::content_type]);
    for (const auto& field : message) {
      response.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    response.body = std::move(message.body());
    return response;
  }

  const std::string& host_;
  const uint16_t port_;
  const std::chrono::milliseconds timeout_;
  net::io_context io_{1};
  tcp::resolver resolver_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  beast_http::request<beast_http::string_body> request_;
  beast_http::response_parser<beast_http::string_body> parser_;
  Status status_;
  bool done_ = false;
};

}  // namespace

Result<HttpClient> HttpClient::Create(const std::string& url, std::chrono::milliseconds timeout) {
  std::string_view rest = url;
  if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (rest.substr(0, scheme) != "http") {
      return Status::InvalidArgument("'{}': only http:// is supported", url);
    }
    rest.remove_prefix(scheme + 3);
  }
  HttpClient client;
  client.timeout_ = timeout;
  const size_t slash = std::min(rest.find('/'), rest.size());
  client.path_prefix_ = std::string(rest.substr(slash));
  while (!client.path_prefix_.empty() && client.path_prefix_.back() == '/')
    client.path_prefix_.pop_back();
  std::string_view authority = rest.substr(0, slash);
  std::string_view port;
  if (const size_t bracket = authority.find(']'); !authority.empty() && authority[0] == '[') {
    if (bracket == std::string_view::npos) return Status::InvalidArgument("'{}': missing ']'", url);
    client.host_ = std::string(authority.substr(1, bracket - 1));
    port = authority.substr(bracket + 1);
  } else {
    const size_t colon = std::min(authority.find(':'), authority.size());
    client.host_ = std::string(authority.substr(0, colon));
    port = authority.substr(colon);
  }
  const bool plain_host = client.host_.find_first_of(" \t\r\n@?#") == std::string::npos;
  if (client.host_.empty() || !plain_host) {
    return Status::InvalidArgument("'{}' is not of the form http://HOST[:PORT][/PATH]", url);
  }
  if (port.empty()) return client;
  const auto [end, fault] =
      std::from_chars(port.data() + 1, port.data() + port.size(), client.port_);
  if (port[0] != ':' || fault != std::errc() || end != port.data() + port.size() ||
      client.port_ == 0) {
    return Status::InvalidArgument("'{}': the port must be a number from 1 to 65535", url);
  }
  return client;
}

Result<HttpResponse> HttpClient::Get(const std::string& target) const {
  return Call("GET", target, "", "");
}

Result<HttpResponse> HttpClient::Post(const std::string& target, const std::string& content_type,
                                      const std::string& body) const {
  return Call("POST", target, content_type, body);
}

Result<HttpResponse> HttpClient::Call(const std::string& method, const std::string& target,
                                      const std::string& content_type,
                                      const std::string& body) const {
  try {
    beast_http::request<beast_http::string_body> request;
    request.version(11);
    request.method_string(method);
    request.target(path_prefix_ + target);
    request.set(beast_http::field::host, fmt::format("{}:{}", host_, port_));
    request.set(beast_http::field::user_agent, "trellis");
    request.set(beast_http::field::accept, "*/*");
    if (!content_type.empty()) request.set(beast_http::field::content_type, content_type);
    request.keep_alive(false);
    request.body() = body;
    request.prepare_payload();
    return Exchange(host_, port_, timeout_).Run(std::move(request));
  } catch (const std::exception& thrown) {
    return Status::Unavailable("cannot call {}:{}: {}", host_, port_, thrown.what());
  }
}

}  // namespace trellis::http
