#include "common/http/http_message.h"

#include <catch2/catch.hpp>

using namespace trellis::http;

TEST_CASE("a target is split and decoded") {
  HttpRequest request;
  REQUIRE(ParseTarget("/query/a%2Fb+c?sql=SELECT+1%2B1&x&=e&&y=a=b#frag", request).ok());
  CHECK(request.path == "/query/a/b+c");
  CHECK(request.parameters ==
        NameValues{{"sql", "SELECT 1+1"}, {"x", ""}, {"", "e"}, {"y", "a=b"}});
  CHECK(request.Parameter("y") == "a=b");
  CHECK(!request.Parameter("Y").has_value());
}

TEST_CASE("a target with a wrong escape or without a slash is refused") {
  HttpRequest request;
  for (const char* target :
       {"", "x", "http://h/", "/%", "/%4", "/%4x", "/?a=%zz", "/?a=%0", "/%00", "*"}) {
    CAPTURE(target);
    CHECK(!ParseTarget(target, request).ok());
  }
  CHECK(ParseTarget("/%41", request).ok());
  CHECK(request.path == "/A");
}

TEST_CASE("header names are found in any case") {
  HttpRequest request;
  request.headers = {{"Content-Type", "a"}, {"content-type", "b"}};
  CHECK(request.Header("CONTENT-TYPE") == "a");
  CHECK(!request.Header("Content").has_value());
}

TEST_CASE("a responder answers once, and 500 when it is dropped") {
  std::vector<int> sent;
  {
    Responder responder([&](HttpResponse response) { sent.push_back(response.status); });
    const Responder copy = responder;
    copy({201});
    responder({202});
  }
  {
    Responder dropped([&](HttpResponse response) { sent.push_back(response.status); });
  }
  CHECK(sent == std::vector<int>{201, 500});
}

TEST_CASE("a cancel callback runs once, also when it comes late") {
  CancelSignal signal;
  int early = 0;
  int late = 0;
  signal.OnCancel([&] { ++early; });
  CHECK(!signal.cancelled());
  signal.Cancel();
  signal.Cancel();
  signal.OnCancel([&] { ++late; });
  CHECK(signal.cancelled());
  CHECK(early == 1);
  CHECK(late == 1);
}

TEST_CASE("line ends in header values cannot split a response") {
  const std::string head =
      ResponseHead({200, "text/plain", {{"X-A", "b\r\nSet-Cookie: c"}}, "four"}, false);
  CHECK(head ==
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: b  Set-Cookie: c\r\nContent-Length: "
        "4\r\n"
        "Connection: close\r\n\r\n");
}
