#include "common/http/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

#include "common/http/http_client.h"

using namespace trellis::http;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using std::chrono::milliseconds;
using trellis::StatusCode;

namespace {

// A raw client connection, to send what no proper client would.
class RawConnection {
 public:
  explicit RawConnection(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Not a Catch assertion: tests connect from several threads.
    TRELLIS_CHECK(connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  }
  ~RawConnection() { Close(); }
  RawConnection(const RawConnection&) = delete;

  void Send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server has closed
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }
  // Reads until `count` answers with a Content-Length are complete, the end of the stream, or 5 s.
  std::string ReadAnswers(size_t count) {
    std::string text;
    while (CompleteAnswers(text) < count && ReadSome(text)) continue;
    return text;
  }
  std::string ReadToEnd() {
    std::string text;
    while (ReadSome(text)) continue;
    return text;
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  bool ReadSome(std::string& text) {
    pollfd wait{fd_, POLLIN, 0};
    if (poll(&wait, 1, 5000) <= 0) return false;
    char bytes[65536];
    const ssize_t size = recv(fd_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    text.append(bytes, static_cast<size_t>(size));
    return true;
  }
  static size_t CompleteAnswers(const std::string& text) {
    size_t count = 0;
    size_t at = 0;
    while (true) {
      const size_t end = text.find("\r\n\r\n", at);
      if (end != std::string::npos && text.compare(at, 12, "HTTP/1.1 100") == 0) {
        at = end + 4;
        continue;
      }
      const size_t length = text.find("Content-Length: ", at);
      if (end == std::string::npos || length == std::string::npos || length > end) return count;
      at = end + 4 + std::stoul(text.substr(length + 16));
      if (at > text.size()) return count;
      ++count;
    }
  }
  int fd_;
};

void Echo(HttpRequest request, Responder respond) {
  respond({200, "text/plain", {}, request.method + " " + request.path + " " + request.body});
}

std::unique_ptr<HttpServer> StartServer(Handler handler, HttpLimits limits = {}) {
  auto server = HttpServer::Start("127.0.0.1", 0, 2, limits, std::move(handler));
  REQUIRE(server.ok());
  return std::move(server).value();
}

HttpClient ClientOf(const HttpServer& server, milliseconds timeout = milliseconds(5000)) {
  return HttpClient::Create(fmt::format("http://127.0.0.1:{}", server.port()), timeout).value();
}

// Holds the responders of running requests until a test answers them.
struct HeldRequests {
  Handler handler() {
    return [this](HttpRequest request, Responder respond) {
      std::lock_guard lock(mutex);
      cancels.push_back(request.cancel);
      responders.push_back(std::move(respond));
      changed.notify_all();
    };
  }
  bool WaitFor(size_t count) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(5),
                            [&] { return responders.size() >= count; });
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::shared_ptr<CancelSignal>> cancels;
  std::vector<Responder> responders;
};

template <class F>
bool Eventually(F condition) {
  for (int i = 0; i < 500; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("a request is answered with its own body") {
  auto server = StartServer(Echo);
  const HttpClient client = ClientOf(*server);
  const auto answer = client.Post("/a%20b?x=1", "text/plain", "payload");
  REQUIRE(answer.ok());
  CHECK(answer->status == 200);
  CHECK(answer->content_type == "text/plain");
  CHECK(answer->body == "POST /a b payload");
  CHECK(client.Get("/")->body == "GET / ");
}

TEST_CASE("an answer may come later from another thread") {
  std::vector<std::thread> threads;
  auto server = StartServer([&](HttpRequest, Responder respond) {
    threads.emplace_back([respond] {
      std::this_thread::sleep_for(milliseconds(20));
      respond({418, "text/plain", {{"X-Late", "yes"}}, std::string(3 << 20, 'x')});
    });
  });
  const auto answer = ClientOf(*server).Get("/");
  REQUIRE(answer.ok());
  CHECK(answer->status == 418);
  CHECK(answer->body.size() == 3 << 20);
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("64 kept-alive connections at once each get their own answers in order") {
  auto server = StartServer(Echo);
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int c = 0; c < 64; ++c) {
    threads.emplace_back([&, c] {
      RawConnection connection(server->port());
      for (int i = 0; i < 20; ++i) {
        connection.Send(fmt::format("GET /{}/{} HTTP/1.1\r\nHost: h\r\n\r\n", c, i));
        const std::string body = fmt::format("GET /{}/{} ", c, i);
        const std::string answer = connection.ReadAnswers(1);
        if (answer.size() > body.size() && answer.substr(answer.size() - body.size()) == body)
          ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 64 * 20);
}

TEST_CASE("pipelined requests are run one at a time and answered in order") {
  HeldRequests held;
  auto server = StartServer(held.handler());
  RawConnection connection(server->port());
  connection.Send(
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: "
      "2\r\n\r\nab");
  REQUIRE(held.WaitFor(1));
  std::this_thread::sleep_for(milliseconds(50));
  {
    std::lock_guard lock(held.mutex);
    REQUIRE(held.responders.size() == 1);
    held.responders[0]({200, "text/plain", {}, "first"});
  }
  REQUIRE(held.WaitFor(2));
  held.responders[1]({200, "text/plain", {}, "second"});
  const std::string answers = connection.ReadAnswers(2);
  CHECK(answers.find("first") < answers.find("second"));
  CHECK_THAT(answers, Contains("second"));
}

TEST_CASE("a chunked body arrives whole, byte by byte too") {
  auto server = StartServer(Echo);
  RawConnection connection(server->port());
  const std::string request =
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (char c : request) connection.Send(std::string_view(&c, 1));
  CHECK_THAT(connection.ReadAnswers(1), Contains("POST /c abcde"));
}

TEST_CASE("a client that waits for 100 Continue gets it") {
  auto server = StartServer(Echo);
  RawConnection connection(server->port());
  connection.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(50));
  connection.Send("hi");
  const std::string answer = connection.ReadAnswers(1);
  CHECK_THAT(answer, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"));
  CHECK_THAT(answer, Contains("POST / hi"));
}

TEST_CASE("HEAD is answered without a body and 1.0 is closed after its answer") {
  auto server = StartServer(Echo);
  RawConnection head(server->port());
  head.Send("HEAD /h HTTP/1.0\r\n\r\n");
  const std::string answer = head.ReadToEnd();
  CHECK_THAT(answer, Contains("Content-Length: 8\r\n"));
  CHECK(answer.substr(answer.size() - 4) == "\r\n\r\n");
}

TEST_CASE("malformed requests are answered 400 and closed") {
  auto server = StartServer(Echo);
  for (std::string_view garbage :
       {std::string_view("\0\1\2\3garbage\r\n\r\n", 15), std::string_view("GET\r\n\r\n"),
        std::string_view("GET / HTTP/9.9\r\n\r\n"),
        std::string_view("GET / HTTP/1.1\r\nNo colon\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string_view("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string_view("GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n"),
        std::string_view("\x16\x03\x01\x02\x00\x01")}) {
    CAPTURE(std::string(garbage));
    RawConnection connection(server->port());
    connection.Send(garbage);
    connection.Send("\r\n\r\n");
    CHECK_THAT(connection.ReadToEnd(), StartsWith("HTTP/1.1 400 "));
  }
  CHECK(ClientOf(*server).Get("/still")->body == "GET /still ");
}

TEST_CASE("random bytes never stop the server") {
  auto server = StartServer(Echo);
  uint64_t state = 42;
  for (int i = 0; i < 50; ++i) {
    std::string bytes = i % 2 ? "POST / HTTP/1.1\r\n" : "";
    for (int b = 0; b < 400; ++b) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      bytes += static_cast<char>(state >> 56);
    }
    RawConnection connection(server->port());
    connection.Send(bytes);
  }
  CHECK(ClientOf(*server).Get("/still")->body == "GET /still ");
}

TEST_CASE("a body above the limit is refused with 413, announced or not") {
  HttpLimits limits;
  limits.body_size_bytes_max = 1000;
  auto server = StartServer(Echo, limits);
  const HttpClient client = ClientOf(*server);
  CHECK(client.Post("/", "text/plain", std::string(1000, 'x'))->status == 200);
  CHECK(client.Post("/", "text/plain", std::string(1001, 'x'))->status == 413);
  RawConnection chunked(server->port());
  chunked.Send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 5; ++i) chunked.Send("100\r\n" + std::string(256, 'y') + "\r\n");
  CHECK_THAT(chunked.ReadToEnd(), StartsWith("HTTP/1.1 413 "));
  RawConnection huge(server->port());
  huge.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n");
  CHECK_THAT(huge.ReadToEnd(), StartsWith("HTTP/1.1 4"));
}

TEST_CASE("headers above the limit are refused with 431") {
  HttpLimits limits;
  limits.header_size_bytes_max = 2000;
  auto server = StartServer(Echo, limits);
  RawConnection connection(server->port());
  connection.Send("GET / HTTP/1.1\r\nX: " + std::string(3000, 'x') + "\r\n\r\n");
  CHECK_THAT(connection.ReadToEnd(), StartsWith("HTTP/1.1 431 "));
}

TEST_CASE("a request that stops half-way is answered 408, an idle connection is closed") {
  HttpLimits limits;
  limits.request_timeout = milliseconds(100);
  limits.idle_timeout = milliseconds(100);
  auto server = StartServer(Echo, limits);
  RawConnection slow(server->port());
  slow.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
  CHECK_THAT(slow.ReadToEnd(), StartsWith("HTTP/1.1 408 "));
  RawConnection idle(server->port());
  CHECK(idle.ReadToEnd() == "");
  CHECK(Eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("a request that runs longer than every time-out is not cut") {
  HttpLimits limits;
  limits.request_timeout = limits.idle_timeout = limits.write_timeout = milliseconds(50);
  HeldRequests held;
  auto server = StartServer(held.handler(), limits);
  RawConnection connection(server->port());
  connection.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  REQUIRE(held.WaitFor(1));
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(!held.cancels[0]->cancelled());
  held.responders[0]({200, "text/plain", {}, "late"});
  CHECK_THAT(connection.ReadAnswers(1), Contains("late"));
}

TEST_CASE("a client that does not read its answer is cut after the write time-out") {
  HttpLimits limits;
  limits.write_timeout = milliseconds(100);
  auto server = StartServer(
      [](HttpRequest, Responder respond) {
        respond({200, "text/plain", {}, std::string(64 << 20, 'z')});
      },
      limits);
  RawConnection connection(server->port());
  connection.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  REQUIRE(Eventually([&] { return server->connections() == 1; }));
  CHECK(Eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("a client that goes away cancels its running request") {
  HeldRequests held;
  auto server = StartServer(held.handler());
  auto connection = std::make_unique<RawConnection>(server->port());
  connection->Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  REQUIRE(held.WaitFor(1));
  CHECK(!held.cancels[0]->cancelled());
  connection->Close();
  CHECK(Eventually([&] { return held.cancels[0]->cancelled(); }));
  held.responders[0]({200, "text/plain", {}, "nobody hears this"});
  CHECK(Eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("connections above the limit are answered 503, and room is given back") {
  HttpLimits limits;
  limits.connections_max = 2;
  auto server = StartServer(Echo, limits);
  {
    RawConnection a(server->port());
    RawConnection b(server->port());
    REQUIRE(Eventually([&] { return server->connections() == 2; }));
    RawConnection c(server->port());
    CHECK_THAT(c.ReadToEnd(), StartsWith("HTTP/1.1 503 "));
  }
  REQUIRE(Eventually([&] { return server->connections() == 0; }));
  CHECK(ClientOf(*server).Get("/")->status == 200);
}

TEST_CASE("a port in use is refused by number, and a host that does not resolve by name") {
  auto server = StartServer(Echo);
  const auto second = HttpServer::Start("127.0.0.1", server->port(), 1, {}, Echo);
  REQUIRE(!second.ok());
  CHECK(second.status().code() == StatusCode::kUnavailable);
  CHECK_THAT(second.status().message(), Contains(fmt::format("127.0.0.1:{}", server->port())));
  const auto nowhere = HttpServer::Start("no.such.host.invalid", 0, 1, {}, Echo);
  REQUIRE(!nowhere.ok());
  CHECK_THAT(nowhere.status().message(), Contains("no.such.host.invalid"));
}

TEST_CASE("draining lets a running request answer, closes idle connections and refuses new ones") {
  HeldRequests held;
  auto server = StartServer(held.handler());
  RawConnection idle(server->port());
  RawConnection busy(server->port());
  busy.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  REQUIRE(held.WaitFor(1));
  REQUIRE(Eventually([&] { return server->connections() == 2; }));
  trellis::Status drained = trellis::Status::Internal("not run");
  std::thread drain([&] { drained = server->Drain(milliseconds(5000)); });
  CHECK(idle.ReadToEnd() == "");
  held.responders[0]({200, "text/plain", {}, "done"});
  const std::string answer = busy.ReadToEnd();
  drain.join();
  CHECK(drained.ok());
  CHECK_THAT(answer, Contains("Connection: close"));
  CHECK_THAT(answer, Contains("done"));
  CHECK(!ClientOf(*server).Get("/").ok());
}

TEST_CASE("draining cuts what still runs at the deadline, and a later answer is dropped") {
  HeldRequests held;
  auto server = StartServer(held.handler());
  RawConnection busy(server->port());
  busy.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  REQUIRE(held.WaitFor(1));
  const trellis::Status drained = server->Drain(milliseconds(50));
  CHECK(drained.code() == StatusCode::kDeadlineExceeded);
  CHECK_THAT(drained.message(), StartsWith("1 connections"));
  CHECK(held.cancels[0]->cancelled());
  server.reset();
  held.responders[0]({200, "text/plain", {}, "too late"});
  CHECK(busy.ReadToEnd() == "");
}

TEST_CASE("a handler that throws or drops its responder is answered 500") {
  auto server = StartServer([](HttpRequest request, Responder) {
    if (request.path == "/throw") throw std::runtime_error("thrown");
  });
  CHECK(ClientOf(*server).Get("/throw")->status == 500);
  CHECK(ClientOf(*server).Get("/drop")->status == 500);
}

TEST_CASE("the client gives up at its time-out and names a server that is not there") {
  HeldRequests held;
  auto server = StartServer(held.handler());
  const auto late = ClientOf(*server, milliseconds(100)).Get("/");
  REQUIRE(!late.ok());
  CHECK(late.status().code() == StatusCode::kDeadlineExceeded);
  const uint16_t port = server->port();
  server.reset();
  const auto gone =
      HttpClient::Create(fmt::format("127.0.0.1:{}", port), milliseconds(1000))->Get("/");
  REQUIRE(!gone.ok());
  CHECK(gone.status().code() == StatusCode::kUnavailable);
  CHECK_THAT(gone.status().message(), Contains(fmt::format("127.0.0.1:{}", port)));
}

TEST_CASE("a client URL is taken apart, and a wrong one refused") {
  const auto client = HttpClient::Create("http://[::1]:8099/pinot/", milliseconds(1));
  REQUIRE(client.ok());
  CHECK(client->host() == "::1");
  CHECK(client->port() == 8099);
  CHECK(client->path_prefix() == "/pinot");
  CHECK(HttpClient::Create("localhost", milliseconds(1))->port() == 80);
  for (const char* url :
       {"", "http://", "https://h", "ftp://h", "http://h:", "http://h:0", "http://h:65536",
        "http://h:1x", "http://u@h", "http://[::1", "http://a b"}) {
    CAPTURE(url);
    CHECK(!HttpClient::Create(url, milliseconds(1)).ok());
  }
}
