#include "common/column/json_object.h"

#include <catch2/catch.hpp>
#include <vector>

namespace trellis::column {
namespace {

// The members as "key=value", or the message of the error.
std::vector<std::string> Members(std::string_view text) {
  JsonObjectWalk walk(text);
  JsonMember member;
  std::vector<std::string> members;
  std::string storage;
  while (true) {
    const auto more = walk.Next(member);
    if (!more.ok()) return {more.status().message()};
    if (!*more) return members;
    members.push_back(std::string(JsonMemberKey(member, storage).value_or("?")) + "=" +
                      std::string(member.json));
  }
}

using Texts = std::vector<std::string>;

TEST_CASE("the members of an object are taken as they stand") {
  CHECK(Members("{}").empty());
  CHECK(Members(" { } ").empty());
  CHECK(Members(R"({"a":1,"b" : "x,}\"" , "c":{"d":[1,"]"]},"":null})") ==
        Texts{"a=1", R"(b="x,}\"")", R"(c={"d":[1,"]"]})", "=null"});
  CHECK(Members(R"({"a\"b\u00e9":-1.50e3})") == Texts{"a\"b\xC3\xA9=-1.50e3"});
  CHECK(Members(R"({"a":1,"a":2})") == Texts{"a=1", "a=2"});
}

TEST_CASE("what is no object is corrupt and says where") {
  CHECK(Members("") == Texts{"JSON object of 0 bytes is damaged at 0"});
  CHECK(Members("[1]") == Texts{"JSON object of 3 bytes is damaged at 0"});
  for (const char* text :
       {"{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{\"a\":[1}",
        "{\"a\":\"x}", "{\"a\":1} x", "{\"a\" 1}", "{\"a\":1 2}", "{\"a\\", "{\"a\":,\"b\":1}"}) {
    INFO(text);
    const Texts members = Members(text);
    REQUIRE_FALSE(members.empty());
    CHECK(members.back().find("is damaged at") != std::string::npos);
  }
}

TEST_CASE("a member is found by its whole key, escaped or not, the first of two") {
  const std::string_view object = R"({"ab":1,"a":2,"\u0061c":3,"a":4})";
  CHECK(FindJsonMember(object, "a").value() == "2");
  CHECK(FindJsonMember(object, "ac").value() == "3");
  CHECK_FALSE(FindJsonMember(object, "b").value().has_value());
  CHECK_FALSE(FindJsonMember("", "a").value().has_value());
  CHECK(FindJsonMember("{\"a\":1", "b").status().IsCorrupt());
}

}  // namespace
}  // namespace trellis::column
