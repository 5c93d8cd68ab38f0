#include "server/inventory/interned_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace trellis::server {
namespace {

TEST_CASE("equal texts are interned once, different ones apart") {
  const std::string text = "a column's name that no other test has interned";
  const std::string_view first = InternedText(text);
  CHECK(first == text);
  CHECK(first.data() != text.data());
  for (int i = 0; i < 1'000; ++i) InternedText("other " + std::to_string(i));
  CHECK(InternedText(std::string(text)).data() == first.data());
  CHECK(InternedText(text + "!") == text + "!");
  CHECK(InternedText("").empty());
}

}  // namespace
}  // namespace trellis::server
