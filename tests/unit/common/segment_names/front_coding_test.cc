#include "common/segment_names/front_coding.h"

#include <catch2/catch.hpp>

#include "common/segment_names/name_store.h"
#include "common/segment_names/packed_names.h"
#include "tests/unit/common/segment_names/sample_names.h"

namespace trellis::segment_names {

namespace {

using Texts = std::vector<std::string>;

std::string Coded(const std::vector<std::string>& names) {
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string out;
  FrontCode(views, out);
  return out;
}
Texts Read(std::string_view bytes) {
  const auto list = ReadFrontCoded(AsBytes(bytes), {});
  if (!list.ok()) return {list.status().message()};
  return {list->names.begin(), list->names.end()};
}
Status Refusal(std::string_view bytes, const UnpackLimits& limits = {}) {
  return ReadFrontCoded(AsBytes(bytes), limits).status();
}

}  // namespace

TEST_CASE("front coding writes prefix, length and rest", "[segment_names]") {
  CHECK(Coded({}) == std::string("\0", 1));
  CHECK(Coded({"abc", "abd", "ab", "ab"}) == std::string("\4"
                                                         "\0\3"
                                                         "abc"
                                                         "\2\1"
                                                         "d"
                                                         "\2\0"
                                                         "\2\0",
                                                         13));
  std::string out = "kept";
  FrontCode({}, out);
  CHECK(out == std::string("kept\0", 5));
}

TEST_CASE("front-coded names come back in any order, equal ones too", "[segment_names]") {
  Texts names = NastyNames();
  std::mt19937_64 random(1);
  while (names.size() < 5'000) names.push_back(RandomName(random));
  CHECK(Read(Coded(names)) == names);
  std::sort(names.begin(), names.end());
  CHECK(Read(Coded(names)) == names);
  CHECK(Read(Coded({"x", "x", "", "", "x"})) == Texts{"x", "x", "", "", "x"});
  CHECK(Read(Coded({})).empty());
  const Texts longest = {std::string(kNameBytesMax, 'l'), std::string(kNameBytesMax, 'l')};
  CHECK(Read(Coded(longest)) == longest);
}

TEST_CASE("the names' memory is the list's owner", "[segment_names]") {
  NameList list;
  {
    std::string bytes = Coded({"first", "second"});
    list = ReadFrontCoded(AsBytes(bytes), {}).value();
    bytes.assign(bytes.size(), '!');
  }
  REQUIRE(list.owner != nullptr);
  CHECK(list.names == std::vector<std::string_view>{"first", "second"});
}

TEST_CASE("front-coded bytes that lie are refused", "[segment_names]") {
  const auto is_invalid = [](const Status& status, std::string_view message) {
    INFO(status.message());
    return status.code() == StatusCode::kInvalidArgument &&
           status.message().find(message) != std::string::npos;
  };
  CHECK(is_invalid(Refusal(""), "no count at offset 0"));
  CHECK(is_invalid(Refusal("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "no count"));
  CHECK(is_invalid(Refusal("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                   "18446744073709551615 names in 0 bytes"));
  CHECK(is_invalid(Refusal(std::string("\2\0\1a", 4)), "2 names in 3 bytes"));
  CHECK(is_invalid(Refusal(std::string("\1\1\1a", 4)), "shares 1 bytes with a name of 0 bytes"));
  CHECK(is_invalid(Refusal(std::string("\2\0\1a\2\0", 6)), "offset 4: shares 2 bytes"));
  CHECK(is_invalid(Refusal(std::string("\1\0\2a", 4)), "2 bytes wanted, 1 left"));
  CHECK(is_invalid(Refusal(std::string("\1\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12)),
                   "bytes wanted, 0 left"));
  CHECK(is_invalid(Refusal(std::string("\1\0\1ab", 5)), "1 bytes too many at offset 4"));
  CHECK(is_invalid(Refusal(std::string("\1\0\x80\x80", 4)), "no lengths"));
  std::string too_long = Coded({std::string(kNameBytesMax, 'l')});
  too_long[0] = 2;
  AppendVarint(kNameBytesMax, too_long);
  AppendVarint(1, too_long);
  too_long.push_back('l');
  CHECK(is_invalid(Refusal(too_long), "65536 bytes, at most 65535"));
}

TEST_CASE("every prefix of front-coded bytes is refused", "[segment_names]") {
  const std::string bytes = Coded(NastyNames());
  for (size_t size = 0; size < bytes.size(); size += size < 900 ? 1 : 97) {
    CHECK(Refusal(std::string_view(bytes).substr(0, size)).code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("front-coded names stay within the limits", "[segment_names]") {
  const std::string bytes = Coded({"abc", "abd", "abe"});
  CHECK(Refusal(bytes, {.names_max = 3, .text_bytes_max = 9}).ok());
  CHECK(Refusal(bytes, {.names_max = 2, .text_bytes_max = 9}).code() ==
        StatusCode::kResourceExhausted);
  CHECK(Refusal(bytes, {.names_max = 3, .text_bytes_max = 8}).code() ==
        StatusCode::kResourceExhausted);
  // A few bytes that stand for two gigabytes.
  std::string bomb;
  AppendVarint(32'768, bomb);
  AppendVarint(0, bomb);
  AppendVarint(kNameBytesMax, bomb);
  bomb.append(kNameBytesMax, 'x');
  for (int i = 1; i < 32'768; ++i) {
    AppendVarint(kNameBytesMax, bomb);
    AppendVarint(0, bomb);
  }
  CHECK(Refusal(bomb).code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::segment_names
