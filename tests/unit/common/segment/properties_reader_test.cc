#include "common/segment/properties_reader.h"

#include <catch2/catch.hpp>

namespace trellis::segment {
namespace {

// "key=value@line" of each property, or the error's message.
std::vector<std::string> Read(std::string_view text) {
  PropertiesReader reader(text);
  PropertyLine line;
  std::vector<std::string> all;
  while (true) {
    const auto more = reader.Next(line);
    if (!more.ok()) all.push_back(more.status().message());
    if (!more.ok() || !*more) return all;
    all.push_back(fmt::format("{}={}@{}", line.key, line.value, line.line));
  }
}

TEST_CASE("lines end in any of the three ways, mixed too") {
  const std::vector<std::string> expected = {"a=1@1", "b=2@2", "c=3@4"};
  CHECK(Read("a=1\nb=2\n\nc=3") == expected);
  CHECK(Read("a=1\r\nb=2\r\n\r\nc=3\r\n") == expected);
  CHECK(Read("a=1\rb=2\r\rc=3\r") == expected);
  CHECK(Read("a=1\rb=2\r\n\nc=3") == expected);
  CHECK(Read("").empty());
  CHECK(Read("\n\r").empty());
}

TEST_CASE("a continued line keeps the number of its first part") {
  CHECK(Read("a = x\\\n  # no\n  y\nb=1") == std::vector<std::string>{"a=xy@1", "b=1@4"});
  CHECK(Read("a = x\\\\\nb=1") == std::vector<std::string>{"a=x\\@1", "b=1@2"});
  CHECK_THAT(Read("b=1\na = x\\\n").back(), Catch::Contains("line 2"));
}

TEST_CASE("values split as the library splits them") {
  PropertiesReader reader("");
  const auto split = [&](std::string_view value) {
    std::vector<std::string_view> elements;
    reader.Split(value, elements);
    CHECK(reader.FirstElement(value) == elements.front());
    return elements;
  };
  using Elements = std::vector<std::string_view>;
  CHECK(split(" a ") == Elements{" a "});
  CHECK(split("a , b,") == Elements{"a", "b", ""});
  CHECK(split("a\\,b,c\\\\") == Elements{"a,b", "c\\"});
  CHECK(split("a\\b,c") == Elements{"a\\b", "c"});
  CHECK(split("") == Elements{""});
}

}  // namespace
}  // namespace trellis::segment
