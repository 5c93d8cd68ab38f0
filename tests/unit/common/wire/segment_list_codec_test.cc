#include "common/wire/segment_list_codec.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <random>

#include "common/wire/message_limits.h"
#include "common/wire/segment_list_json.h"
#include "trellis/v1/segment_list.pb.h"

namespace trellis::wire {
namespace {

using Lists = std::map<std::string, std::vector<std::string>>;

// Groups in descending key order, so that the writer has to sort.
std::vector<SegmentListGroup> Groups(const Lists& lists) {
  std::vector<SegmentListGroup> groups;
  for (auto list = lists.rbegin(); list != lists.rend(); ++list) {
    groups.push_back({list->first, {list->second.begin(), list->second.end()}});
  }
  return groups;
}

std::string Encode(SegmentListEncoding encoding, const Lists& lists) {
  std::string bytes = "before";
  const auto groups = Groups(lists);
  const Status status = SegmentListCodecOf(encoding).Encode(groups, bytes);
  INFO(status.message());
  REQUIRE(status.ok());
  REQUIRE(bytes.substr(0, 6) == "before");
  return bytes.substr(6);
}

Lists ToLists(const DecodedSegmentList& decoded) {
  Lists lists;
  for (const auto& group : decoded.groups) {
    auto& names = lists[group.key];
    for (const std::string_view name : group.names) names.emplace_back(name);
  }
  return lists;
}

std::string DeterministicProtobuf(const Lists& lists) {
  v1::SegmentLists message;
  auto& map = *message.mutable_names()->mutable_segments();
  for (const auto& [key, names] : lists) {
    auto& list = map[key];
    for (const std::string& name : names) list.add_segments(name);
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

// What the generated parser makes of bytes: nullopt = refused.
std::optional<v1::SegmentLists> Generated(const std::string& bytes) {
  v1::SegmentLists message;
  if (!message.ParseFromString(bytes)) return std::nullopt;
  return message;
}

Lists ToLists(const v1::SegmentsMap& map) {
  Lists lists;
  for (const auto& [key, list] : map.segments()) {
    lists[key].assign(list.segments().begin(), list.segments().end());
  }
  return lists;
}

std::string RandomText(std::mt19937_64& random, size_t size_max, bool any_byte) {
  std::string text(random() % (size_max + 1), 'x');
  for (char& c : text)
    c = any_byte ? static_cast<char>(random()) : static_cast<char>('a' + random() % 26);
  return text;
}

Lists RandomLists(std::mt19937_64& random) {
  Lists lists;
  for (size_t tables = random() % 4; tables > 0; --tables) {
    auto& names = lists[RandomText(random, 12, false)];
    const size_t size_max = random() % 8 == 0 ? 400 : 70;
    for (size_t count = random() % 20; count > 0; --count)
      names.push_back(RandomText(random, size_max, true));
  }
  return lists;
}

}  // namespace

TEST_CASE("the names writer gives the bytes of protobuf's deterministic serialisation") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const Lists lists = RandomLists(random);
    CHECK(Encode(SegmentListEncoding::kNames, lists) == DeterministicProtobuf(lists));
  }
}

TEST_CASE("each encoding brings back its lists and says which it is") {
  std::mt19937_64 random(11);
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    for (int round = 0; round < 200; ++round) {
      CAPTURE(round, SegmentListEncodingName(encoding));
      const Lists lists = RandomLists(random);
      const std::string bytes = Encode(encoding, lists);
      const auto decoded = DecodeSegmentLists(AsBytes(bytes));
      REQUIRE(decoded.ok());
      CHECK(decoded->encoding == encoding);
      CHECK(ToLists(*decoded) == lists);
      CHECK(std::is_sorted(decoded->groups.begin(), decoded->groups.end(),
                           [](const auto& a, const auto& b) { return a.key < b.key; }));
    }
  }
}

TEST_CASE("the names reader agrees with the generated parser on mutated bytes") {
  std::mt19937_64 random(13);
  const google::protobuf::LogSilencer quiet;  // it logs each key that is not UTF-8
  int accepted = 0, refused = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string bytes = DeterministicProtobuf(RandomLists(random));
    // Sometimes two messages behind each other: the map is merged, the last entry of a key wins.
    if (random() % 4 == 0) bytes += DeterministicProtobuf(RandomLists(random));
    for (size_t edits = random() % 4; edits > 0 && !bytes.empty(); --edits) {
      const size_t at =
          random() % std::min<size_t>(bytes.size(), random() % 2 == 0 ? 30 : bytes.size());
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random() % 3);
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>("\x0a\x12\x08\x0b\x0c\x1b\x00\x80"[random() % 8]));
          break;
        default:
          bytes.resize(at);
          break;
      }
    }
    CAPTURE(round);
    const auto expected = Generated(bytes);
    const auto decoded = DecodeSegmentLists(AsBytes(bytes));
    if (!expected) {
      CHECK(!decoded.ok());
      ++refused;
    } else if (expected->has_names()) {
      REQUIRE(decoded.ok());
      CHECK(ToLists(*decoded) == ToLists(expected->names()));
      ++accepted;
    }
  }
  CHECK(accepted > 5'000);
  CHECK(refused > 5'000);
}

TEST_CASE("names are views into the message") {
  const std::string bytes =
      Encode(SegmentListEncoding::kNames, {{"OFFLINE", {"a_long_segment_name_1", "b"}}});
  const auto decoded = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(decoded.ok());
  for (const std::string_view name : decoded->groups.at(0).names) {
    CHECK(name.data() >= bytes.data());
    CHECK(name.data() + name.size() <= bytes.data() + bytes.size());
  }
  CHECK(decoded->unescaped == nullptr);
}

TEST_CASE("an empty list is not no list") {
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    const std::string bytes = Encode(encoding, {{"OFFLINE", {}}});
    const auto decoded = DecodeSegmentLists(AsBytes(bytes));
    REQUIRE(decoded.ok());
    REQUIRE(decoded->groups.size() == 1);
    CHECK(decoded->groups[0].key == "OFFLINE");
    CHECK(decoded->names_total() == 0);
  }
  CHECK(DecodeSegmentLists({}).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("legacy JSON has no blanks and Jackson's escapes") {
  const std::string json = R"({"OFFLINE":["a","q\"b\\s\/"],"REALTIME":["c"]})";
  Lists lists{{"OFFLINE", {"a", "q\"b\\s/"}}, {"REALTIME", {"c"}}};
  v1::SegmentLists message;
  REQUIRE(message.ParseFromString(Encode(SegmentListEncoding::kLegacyJson, lists)));
  CHECK(message.legacy_json() == R"({"OFFLINE":["a","q\"b\\s/"],"REALTIME":["c"]})");
  message.set_legacy_json(json);
  const std::string bytes = message.SerializeAsString();
  const auto decoded = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(decoded.ok());
  CHECK(ToLists(*decoded) == lists);

  REQUIRE(message.ParseFromString(
      Encode(SegmentListEncoding::kLegacyJson, {{"T", {"\x01\x1f\n\t\b\f\r\x7f\xc3\xa9"}}})));
  CHECK(message.legacy_json() == "{\"T\":[\"\\u0001\\u001F\\n\\t\\b\\f\\r\x7f\xc3\xa9\"]}");
}

TEST_CASE("legacy JSON in any legal form is read") {
  const std::string json =
      " { \"OFFLINE\" : [ \"a\" , \"\\u00e9\\uD83D\\uDE00\" ] , \"R\\u0045\" : [ ] }\n";
  std::vector<SegmentListGroup> groups;
  std::shared_ptr<const void> unescaped;
  REQUIRE(ReadSegmentsJson(json, groups, unescaped).ok());
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].names == std::vector<std::string_view>{"a", "\xc3\xa9\xf0\x9f\x98\x80"});
  CHECK(groups[1].key == "RE");
}

TEST_CASE("malformed legacy JSON is refused with its offset") {
  for (const std::string json :
       {"", "{", "[]", "{}x", "{\"a\"}", "{\"a\":}", "{\"a\":[}", "{\"a\":[\"b]}",
        "{\"a\":[\"b\",]}", "{\"a\":[1]}", "{\"a\":[\"\\x\"]}", "{\"a\":[\"\\u12\"]}",
        "{\"a\":[\"\\ud800\"]}", "{\"a\":[\"\\udc00\"]}", "{\"a\":[\"\n\"]}", "{\"a\":[],}",
        "{\"a\":[],\"a\":[]}", "{\"a\":null}", "{\"\xff\":[]}"}) {
    CAPTURE(json);
    std::vector<SegmentListGroup> groups;
    std::shared_ptr<const void> unescaped;
    const Status status = ReadSegmentsJson(json, groups, unescaped);
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find("at offset") != std::string::npos);
  }
}

TEST_CASE("a list with a key twice or a key that is not UTF-8 is not written") {
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    const auto& codec = SegmentListCodecOf(encoding);
    std::string out = "kept";
    CHECK(codec.Encode(std::vector<SegmentListGroup>{{"A", {}}, {"A", {}}}, out).code() ==
          StatusCode::kInvalidArgument);
    CHECK(codec.Encode(std::vector<SegmentListGroup>{{"\xc3", {}}}, out).code() ==
          StatusCode::kInvalidArgument);
    CHECK(out == "kept");
  }
}

TEST_CASE("a list over the limit names size and limit") {
  const std::string name(1 << 20, 'n');
  const std::vector<SegmentListGroup> groups{{"OFFLINE", std::vector<std::string_view>(256, name)}};
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    std::string out = "kept";
    const Status status = SegmentListCodecOf(encoding).Encode(groups, out);
    CHECK(out == "kept");
    CHECK(status.code() == StatusCode::kResourceExhausted);
    CHECK(status.message().find(std::to_string(kMessageLimits.segment_list_bytes_max)) !=
          std::string::npos);
  }
}

TEST_CASE("more names than a list may have are refused before memory is taken for them") {
  // An unnamed table's list of empty names: two bytes each.
  std::string list;
  for (size_t i = 0; i <= kMessageLimits.segment_names_max; ++i) list += std::string("\x0a\x00", 2);
  v1::SegmentsMap map;
  REQUIRE((*map.mutable_segments())["T"].ParseFromString(list));
  v1::SegmentLists message;
  *message.mutable_names() = map;
  const std::string bytes = message.SerializeAsString();
  CHECK(DecodeSegmentLists(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("more tables than a list may have are refused, in one piece or in many") {
  // 5,000 pieces of one table each: the list of tables found so far is walked for each.
  std::string piece;
  for (int i = 0; i < 5000; ++i) piece += DeterministicProtobuf({{"t" + std::to_string(i), {}}});
  CHECK(DecodeSegmentLists(AsBytes(piece)).status().code() == StatusCode::kResourceExhausted);
  std::string json = "{";
  for (int i = 0; i < 5000; ++i) json += "\"t" + std::to_string(i) + "\":[],";
  json.back() = '}';
  v1::SegmentLists message;
  message.set_legacy_json(json);
  const std::string bytes = message.SerializeAsString();
  CHECK(DecodeSegmentLists(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);

  Lists lists;
  for (size_t i = 0; i < kMessageLimits.segment_groups_max; ++i)
    lists["t" + std::to_string(i)] = {"s"};
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    const std::string most = Encode(encoding, lists);
    const auto decoded = DecodeSegmentLists(AsBytes(most));
    REQUIRE(decoded.ok());
    CHECK(ToLists(*decoded) == lists);
  }
  lists["one more"] = {};
  std::string out;
  for (const auto encoding : {SegmentListEncoding::kNames, SegmentListEncoding::kLegacyJson}) {
    CHECK(SegmentListCodecOf(encoding).Encode(Groups(lists), out).code() ==
          StatusCode::kResourceExhausted);
  }
}

TEST_CASE("64 MB of brackets, blanks or quotes end in an error") {
  for (const char* repeated : {"[", "{", "]", " ", "\"", "{\"a\":[", "\\", "[[\"\"],"}) {
    v1::SegmentLists message;
    std::string& json = *message.mutable_legacy_json();
    while (json.size() < size_t{64} << 20) json += repeated;
    const std::string bytes = message.SerializeAsString();
    const Status status = DecodeSegmentLists(AsBytes(bytes)).status();
    CAPTURE(repeated, status.message());
    CHECK(status.code() == StatusCode::kInvalidArgument);
  }
}

TEST_CASE("encodings have names both ways") {
  using E = SegmentListEncoding;
  for (const auto& [encoding, name] :
       std::initializer_list<std::pair<E, std::string_view>>{{E::kKnown, "known"},
                                                             {E::kPacked, "packed"},
                                                             {E::kNames, "names"},
                                                             {E::kLegacyJson, "legacy_json"}}) {
    CHECK(SegmentListEncodingName(encoding) == name);
    CHECK(ParseSegmentListEncoding(name) == encoding);
  }
  for (const std::string_view unknown : {"", "Known", "packed2", "unknown"})
    CHECK(ParseSegmentListEncoding(unknown) == std::nullopt);
}

}  // namespace trellis::wire
