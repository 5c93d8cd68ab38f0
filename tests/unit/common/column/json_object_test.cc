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

// The value of `key` in `object`; nullopt where it has none.
Result<std::optional<std::string>> FindOne(std::string_view object, std::string_view key) {
  std::string_view value;
  size_t failed = 0;
  TRELLIS_RETURN_IF_ERROR(FindJsonMembers({&object, 1}, nullptr, {&key, 1}, &value, failed));
  if (value.data() == nullptr) return std::optional<std::string>();
  return std::optional(std::string(value));
}

TEST_CASE("a member is found by its whole key, escaped or not, the first of two") {
  const std::string_view object = R"({"ab":1,"a":2,"\u0061c":3,"a":4,"\u00zz":5})";
  CHECK(FindOne(object, "a").value() == "2");
  CHECK(FindOne(object, "ac").value() == "3");
  CHECK_FALSE(FindOne(object, "b").value().has_value());
  CHECK_FALSE(FindOne(object, "\\u00zz").value().has_value());
  CHECK_FALSE(FindOne("", "a").value().has_value());
  CHECK(FindOne("{\"a\":1", "a").value() == "1");  // not looked at behind it
  CHECK(FindOne("{\"a\":1", "b").status().IsCorrupt());
}

TEST_CASE("several members are found in one walk of each object") {
  const std::string_view objects[] = {R"({"b":1,"a":{"c":2},"b":3})", "", R"({"c":4,"a":5})", "no"};
  const std::string_view keys[] = {"a", "b", "c"};
  const uint8_t nulls[] = {0, 0, 0, 1};
  std::string_view values[12];
  values[4] = "left from before";
  size_t failed = 99;
  REQUIRE(FindJsonMembers(objects, nulls, keys, values, failed).ok());
  const std::vector<std::string_view> expected = {R"({"c":2})", "1", "", "", "", "", "5", "", "4"};
  CHECK(std::vector<std::string_view>(values, values + 9) == expected);
  for (size_t i = 0; i < 12; ++i) CHECK((values[i].data() == nullptr) == values[i].empty());
  CHECK(failed == 99);
  const Status status = FindJsonMembers(objects, nullptr, keys, values, failed);
  CHECK(status.message() == "JSON object of 2 bytes is damaged at 0");
  CHECK(failed == 3);
}

}  // namespace
}  // namespace trellis::column
