// What holds for a segment list in whichever of its four encodings it travels.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "common/segment_names/packed_names.h"
#include "common/wire/inventory_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/segment_list.pb.h"

namespace trellis::wire {
namespace {

using Encoding = SegmentListEncoding;
constexpr Encoding kAll[] = {Encoding::kKnown, Encoding::kPacked, Encoding::kNames,
                             Encoding::kLegacyJson};

std::string Pack(const std::vector<std::string>& names) {
  segment_names::NameStore store;
  std::vector<uint32_t> indexes;
  for (const std::string& name : names) indexes.push_back(store.Append(name));
  const segment_names::NameView view = store.View();
  segment_names::SortNaturally(view, indexes);
  std::string packed;
  segment_names::Pack(view, indexes, packed);
  return packed;
}

// `names` of table "t_OFFLINE" in an encoding; known: their positions.
std::string Encode(Encoding encoding, const std::vector<std::string>& names) {
  std::string bytes;
  if (encoding == Encoding::kKnown) {
    KnownSegments known;
    known.table = "t_OFFLINE";
    known.count = names.size();
    known.ordinals.addRange(0, names.size());
    REQUIRE(EncodeKnownSegments(known, bytes).ok());
  } else if (encoding == Encoding::kPacked) {
    REQUIRE(EncodePackedSegments("t_OFFLINE", Pack(names), bytes).ok());
  } else {
    const std::vector<SegmentListGroup> groups{{"t_OFFLINE", {names.begin(), names.end()}}};
    REQUIRE(SegmentListCodecOf(encoding).Encode(groups, bytes).ok());
  }
  return bytes;
}

// What the server of a `known` list was told: the names as its inventory brought them.
std::vector<std::string> ThroughInventory(const std::vector<std::string>& names) {
  Inventory inventory;
  SegmentBatch& batch = inventory.updates.emplace_back().added;
  for (uint32_t i = 0; i < names.size(); ++i) {
    batch.ordinals.push_back(i);
    batch.names.push_back(names[i]);
    batch.crcs.push_back(0);
    batch.rows.push_back(0);
  }
  const auto bytes = EncodeInventory(inventory);
  REQUIRE(bytes.ok());
  const auto decoded = DecodeInventory(AsBytes(*bytes));
  REQUIRE(decoded.ok());
  const auto& arrived = decoded->updates.at(0).added.names;
  return {arrived.begin(), arrived.end()};
}

std::vector<std::string> Sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

// The names that the bytes of a list mean; `bytes` may be gone by then.
std::vector<std::string> Decode(Encoding encoding, const std::string& bytes,
                                const std::vector<std::string>& inventory) {
  const auto list = DecodeSegmentLists(AsBytes(bytes));
  INFO(list.status().message());
  REQUIRE(list.ok());
  CHECK(list->encoding == encoding);
  std::vector<std::string> names;
  for (const KnownSegments& known : list->known) {
    CHECK(known.table == "t_OFFLINE");
    for (const uint32_t ordinal : known.ordinals) names.push_back(inventory.at(ordinal));
  }
  for (const SegmentListGroup& group : list->groups) {
    CHECK(group.key == "t_OFFLINE");
    names.insert(names.end(), group.names.begin(), group.names.end());
  }
  return names;
}

}  // namespace

TEST_CASE("names of every kind come back in all four encodings") {
  std::vector<std::string> names = {"",
                                    " ",
                                    "/",
                                    "a/b/../c",
                                    "per%cent%20",
                                    "comma,semicolon;",
                                    "quote\"quote'back\\slash",
                                    "{\"OFFLINE\":[\"x\"]}",
                                    "new\nline\ttab\r\b\f",
                                    std::string("zero\0byte", 9),
                                    "\x01\x1f\x7f",
                                    "\xc3\xa9t\xc3\xa9 \xf0\x9f\x98\x80",
                                    "\xff\xfe\x80",
                                    "\xed\xa0\x80",
                                    "\\u0041",
                                    std::string(250, 'n'),
                                    std::string(kMessageLimits.segment_name_bytes_max, '\xff'),
                                    "events_OFFLINE_2020-01-01_2020-01-02_17",
                                    "events_OFFLINE_2020-13-45_2020-01-02_007",
                                    "events__5__17__20260105T0613Z",
                                    "events__18446744073709551616__0__20260105T0613Z",
                                    "00000000000000000000000000000000000000000",
                                    "-1",
                                    "events_OFFLINE_0D3C1B9E-5d0a-4c1b-8f6e-2a7b9c4d5e6f"};
  std::mt19937_64 random(23);
  for (int i = 0; i < 200; ++i) {
    std::string name(1 + random() % 40, '\0');
    for (char& c : name) c = static_cast<char>(random());
    names.push_back(std::move(name));
  }
  const std::vector<std::string> inventory = ThroughInventory(names);
  CHECK(inventory == names);
  for (const Encoding encoding : kAll) {
    CAPTURE(SegmentListEncodingName(encoding));
    const auto read = Decode(encoding, Encode(encoding, names), inventory);
    CHECK(Sorted(read) == Sorted(names));
    // One name alone, too: whatever is shared with neighbours is not there then.
    for (const std::string& name : names)
      CHECK(Decode(encoding, Encode(encoding, {name}), {name}) == std::vector{name});
  }
}

TEST_CASE("an empty list is a list in all four encodings") {
  for (const Encoding encoding : kAll) {
    CAPTURE(SegmentListEncodingName(encoding));
    const std::string bytes = Encode(encoding, {});
    const auto list = DecodeSegmentLists(AsBytes(bytes));
    REQUIRE(list.ok());
    CHECK(list->encoding == encoding);
    CHECK(list->names_total() == 0);
    CHECK(list->known.size() + list->groups.size() == 1);
  }
}

TEST_CASE("packed names of several tables live as long as the list") {
  std::string bytes;
  REQUIRE(EncodePackedSegments("b_OFFLINE", Pack({"b_0", "b_1"}), bytes).ok());
  REQUIRE(EncodePackedSegments("a_OFFLINE", Pack({"a_7"}), bytes).ok());
  KnownSegments known;
  known.table = "c_OFFLINE";
  known.all_but = true;
  REQUIRE(EncodeKnownSegments(known, bytes).ok());
  auto list = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(list.ok());
  std::fill(bytes.begin(), bytes.end(), '?');
  CHECK(list->encoding == SegmentListEncoding::kKnown);
  CHECK(list->groups ==
        std::vector<SegmentListGroup>{{"a_OFFLINE", {"a_7"}}, {"b_OFFLINE", {"b_0", "b_1"}}});
  REQUIRE(list->known.size() == 1);
  CHECK(list->known[0] == known);
}

TEST_CASE("packed names that are malformed, double or too many are refused with their table") {
  const auto refused = [](const std::string& packed) {
    std::string bytes;
    REQUIRE(EncodePackedSegments("t_OFFLINE", packed, bytes).ok());
    const Status status = DecodeSegmentLists(AsBytes(bytes)).status();
    CAPTURE(status.message());
    CHECK((status.code() == StatusCode::kInvalidArgument ||
           status.code() == StatusCode::kResourceExhausted));
    CHECK(status.message().find("t_OFFLINE") != std::string::npos);
  };
  const std::string good = Pack({"events_OFFLINE_2020-01-01_2020-01-02_17", "x", "y"});
  refused(good.substr(0, good.size() - 1));
  refused(good + "x");
  refused(std::string(100, '\xff'));
}

TEST_CASE("4,096 packed tables are a list and one more is not") {
  v1::SegmentLists message;
  const std::string packed = Pack({"s"});
  for (size_t i = 0; i < kMessageLimits.segment_groups_max; ++i) {
    v1::TableList& table = *message.mutable_tables()->add_tables();
    table.set_table(std::to_string(i));
    table.set_packed(packed);
  }
  std::string bytes = message.SerializeAsString();
  const auto list = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(list.ok());
  CHECK(list->names_total() == kMessageLimits.segment_groups_max);
  REQUIRE(EncodePackedSegments("one more", packed, bytes).ok());
  CHECK(DecodeSegmentLists(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::wire
