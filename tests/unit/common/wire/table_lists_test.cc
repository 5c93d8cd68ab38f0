#include <google/protobuf/stubs/logging.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "common/wire/message_limits.h"
#include "common/wire/ordinals.h"
#include "common/wire/segment_list_codec.h"
#include "trellis/v1/segment_list.pb.h"

namespace trellis::wire {
namespace {

Roaring RandomOrdinals(std::mt19937_64& random) {
  Roaring ordinals;
  const uint32_t below = 1 + random() % 100'000;
  for (size_t count = random() % 3 == 0 ? 0 : random() % 2'000; count > 0; --count)
    ordinals.add(static_cast<uint32_t>(random() % below));
  if (random() % 4 == 0) ordinals.flip(0, below);
  return ordinals;
}

KnownSegments RandomKnown(std::mt19937_64& random, Roaring ordinals) {
  KnownSegments known;
  known.table = random() % 8 == 0 ? "" : "table_" + std::to_string(random());
  known.incarnation = random() % 4 == 0 ? 0 : random();
  known.epoch = random() % 4 == 0 ? 0 : random() >> random() % 64;
  known.all_but = random() % 2 == 0;
  known.ordinals = std::move(ordinals);
  known.count = random() % 4 == 0 ? 0 : random() >> random() % 64;
  return known;
}

void SetKnown(const KnownSegments& from, v1::TableList& to) {
  to.set_table(from.table);
  v1::KnownSegments& known = *to.mutable_known();
  known.set_incarnation(from.incarnation);
  known.set_epoch(from.epoch);
  (from.all_but ? *known.mutable_all_but() : *known.mutable_only()) = WriteOrdinals(from.ordinals);
  known.set_count(from.count);
}

std::string Generated(const KnownSegments& known) {
  v1::SegmentLists message;
  SetKnown(known, *message.mutable_tables()->add_tables());
  return message.SerializeAsString();
}

std::string Encode(const KnownSegments& known) {
  std::string out = "before";
  const Status status = EncodeKnownSegments(known, out);
  INFO(status.message());
  REQUIRE(status.ok());
  return out.substr(6);
}

Status DecodeStatus(const v1::SegmentLists& message) {
  const std::string bytes = message.SerializeAsString();
  return DecodeSegmentLists(AsBytes(bytes)).status();
}

}  // namespace

TEST_CASE("a known list has the bytes of protobuf's serialisation and comes back equal") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    const KnownSegments known = RandomKnown(random, RandomOrdinals(random));
    const std::string bytes = Encode(known);
    REQUIRE(bytes == Generated(known));
    const auto decoded = DecodeSegmentLists(AsBytes(bytes));
    REQUIRE(decoded.ok());
    CHECK(decoded->encoding == SegmentListEncoding::kKnown);
    CHECK(decoded->groups.empty());
    REQUIRE(decoded->known.size() == 1);
    CHECK(decoded->known[0] == known);
  }
}

TEST_CASE("everything a server has is a list of at most 64 bytes") {
  KnownSegments known;
  known.table = "a_table_with_a_name_OFFLINE";
  known.incarnation = ~uint64_t{0};
  known.epoch = 1'000'000;
  known.all_but = true;
  known.count = 60'000;
  CHECK(Encode(known).size() <= 64);
}

TEST_CASE("a packed list has the bytes of protobuf's serialisation") {
  for (const std::string& table :
       {std::string("t_OFFLINE"), std::string(200, 't'), std::string()}) {
    for (const size_t size : {0, 1, 127, 128, 20'000}) {
      const std::string packed(size, 'p');
      v1::SegmentLists message;
      auto& list = *message.mutable_tables()->add_tables();
      list.set_table(table);
      list.set_packed(packed);
      std::string bytes;
      REQUIRE(EncodePackedSegments(table, packed, bytes).ok());
      CHECK(bytes == message.SerializeAsString());
    }
  }
}

TEST_CASE("messages of several tables can be joined") {
  std::mt19937_64 random(9);
  std::vector<KnownSegments> lists;
  std::string bytes;
  for (int i = 0; i < 20; ++i) {
    lists.push_back(RandomKnown(random, RandomOrdinals(random)));
    lists.back().table = "t" + std::to_string(100 + i);
    REQUIRE(EncodeKnownSegments(lists.back(), bytes).ok());
  }
  const auto decoded = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(decoded.ok());
  CHECK(decoded->known == lists);
}

TEST_CASE("the tables reader merges as the generated parser does") {
  std::mt19937_64 random(13);
  const google::protobuf::LogSilencer quiet;  // it logs each table that is not UTF-8
  int accepted = 0, refused = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::string bytes;
    for (size_t pieces = 1 + random() % 3; pieces > 0; --pieces) {
      const KnownSegments known = RandomKnown(random, Roaring::bitmapOf(2, 1, 70'000));
      // A table's list in two pieces, the second of which overrules some of the first.
      v1::SegmentLists message;
      SetKnown(known, *message.mutable_tables()->add_tables());
      if (random() % 6 == 0) message.mutable_names();
      bytes += message.SerializeAsString();
    }
    for (size_t edits = random() % 4; edits > 0 && !bytes.empty(); --edits) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, 1 + random() % 3);
          break;
        case 2:
          bytes.insert(at, 1, static_cast<char>("\x0a\x12\x1a\x22\x09\x10\x28\x00"[random() % 8]));
          break;
        default:
          bytes.insert(at, bytes.substr(at, random() % 30));
          break;
      }
    }
    CAPTURE(round);
    v1::SegmentLists message;
    const bool parsed = message.ParseFromString(bytes);
    const auto decoded = DecodeSegmentLists(AsBytes(bytes));
    if (!parsed) {
      CHECK(!decoded.ok());
      ++refused;
    }
    if (!decoded.ok() || !message.has_tables()) continue;
    ++accepted;
    REQUIRE(parsed);
    std::map<std::string, KnownSegments> expected;
    for (const v1::TableList& list : message.tables().tables()) {
      if (!list.has_known()) continue;
      KnownSegments& known = expected[list.table()];
      known.table = list.table();
      known.incarnation = list.known().incarnation();
      known.epoch = list.known().epoch();
      known.all_but = list.known().has_all_but();
      known.count = list.known().count();
      known.ordinals =
          *ReadOrdinals(AsBytes(known.all_but ? list.known().all_but() : list.known().only()));
    }
    REQUIRE(decoded->known.size() == expected.size());
    for (const KnownSegments& known : decoded->known) CHECK(known == expected.at(known.table));
  }
  CHECK(accepted > 3'000);
  CHECK(refused > 3'000);
}

TEST_CASE("the last of a oneof wins, and a form in several pieces is merged") {
  KnownSegments known;
  known.table = "t";
  known.epoch = 5;
  known.ordinals = Roaring::bitmapOf(1, 3u);
  const std::string tables = Encode(known);
  std::string names;
  REQUIRE(SegmentListCodecOf(SegmentListEncoding::kNames)
              .Encode(std::vector<SegmentListGroup>{{"t", {"s"}}}, names)
              .ok());
  std::string bytes = tables + names;
  CHECK(DecodeSegmentLists(AsBytes(bytes))->encoding == SegmentListEncoding::kNames);
  CHECK(DecodeSegmentLists(AsBytes(bytes))->known.empty());
  // The first piece does not count any more, so its table is not listed twice.
  bytes = tables + names + tables;
  const auto decoded = DecodeSegmentLists(AsBytes(bytes));
  REQUIRE(decoded.ok());
  CHECK(decoded->groups.empty());
  REQUIRE(decoded->known.size() == 1);
  CHECK(decoded->known[0] == known);
  // Within a table: packed, then known in two pieces; what was packed is never looked at.
  v1::TableList first, second, third;
  first.set_packed("not packed names");
  first.set_table("other");
  second.mutable_known()->set_epoch(8);
  second.mutable_known()->set_only("no bitmap");
  third.mutable_known()->set_all_but("");
  third.set_table("t");
  const std::string list =
      first.SerializeAsString() + second.SerializeAsString() + third.SerializeAsString();
  const std::string whole = std::string("\x1a") + static_cast<char>(list.size() + 2) + "\x0a" +
                            static_cast<char>(list.size()) + list;
  const auto merged = DecodeSegmentLists(AsBytes(whole));
  INFO(merged.status().message());
  REQUIRE(merged.ok());
  REQUIRE(merged->known.size() == 1);
  CHECK(merged->known[0].table == "t");
  CHECK(merged->known[0].epoch == 8);
  CHECK(merged->known[0].all_but);
}

TEST_CASE("a table listed twice or without a list is refused by name") {
  v1::SegmentLists message;
  v1::TableList& a = *message.mutable_tables()->add_tables();
  a.set_table("the_table");
  const auto refused = [&](std::string_view words) {
    const Status status = DecodeStatus(message);
    CAPTURE(status.message(), words);
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find("the_table") != std::string::npos);
    CHECK(status.message().find(words) != std::string::npos);
  };
  refused("no list that this build knows");
  a.mutable_known();
  refused("without ordinals");
  a.mutable_known()->set_only("");
  CHECK(DecodeStatus(message).ok());
  v1::TableList& b = *message.mutable_tables()->add_tables();
  b = a;
  refused("listed twice");
  b.set_packed("");
  refused("listed twice");
}

TEST_CASE("bitmaps of ordinals that lie are refused with table and offset") {
  Roaring at_limit = Roaring::bitmapOf(1, kMessageLimits.ordinals_max);
  std::string past(at_limit.getSizeInBytes(), '\0');
  at_limit.write(past.data());
  const std::string good = WriteOrdinals(Roaring::bitmapOf(3, 1, 2, 3));
  std::string many_containers = good, many_values = good;
  many_containers.replace(4, 4, "\xff\xff\xff\xff");
  many_values.replace(10, 2, "\xff\xff");
  for (const std::string& bytes :
       {past, many_containers, many_values, good.substr(0, good.size() - 1), good + "x",
        std::string("\x3b\x30\xff\xff\xff", 5), std::string(64, '\xff')}) {
    v1::SegmentLists message;
    v1::TableList& list = *message.mutable_tables()->add_tables();
    list.set_table("t_OFFLINE");
    list.mutable_known()->set_all_but(bytes);
    const Status status = DecodeStatus(message);
    CAPTURE(status.message());
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find("'t_OFFLINE' at offset 19") != std::string::npos);
  }
}

TEST_CASE("a known list with an ordinal at the limit or a table that is not UTF-8 is not written") {
  KnownSegments known;
  known.table = "\xff";
  std::string out = "kept";
  CHECK(EncodeKnownSegments(known, out).code() == StatusCode::kInvalidArgument);
  CHECK(EncodePackedSegments("\xc3", "", out).code() == StatusCode::kInvalidArgument);
  known.table = "t";
  known.ordinals.add(kMessageLimits.ordinals_max);
  CHECK(EncodeKnownSegments(known, out).code() == StatusCode::kInvalidArgument);
  CHECK(EncodePackedSegments("t", std::string_view(out.data(), size_t{1} << 40), out).code() ==
        StatusCode::kResourceExhausted);
  CHECK(out == "kept");
}

TEST_CASE("more tables than a list may have are refused before they are kept") {
  v1::SegmentLists message;
  for (size_t i = 0; i <= kMessageLimits.segment_groups_max; ++i) {
    if (i == kMessageLimits.segment_groups_max) CHECK(DecodeStatus(message).ok());
    v1::TableList& list = *message.mutable_tables()->add_tables();
    list.set_table(std::to_string(i));
    list.mutable_known()->set_only("");
  }
  CHECK(DecodeStatus(message).code() == StatusCode::kResourceExhausted);
  // In pieces, too.
  std::string pieces;
  for (size_t i = 0; i <= kMessageLimits.segment_groups_max; ++i)
    pieces += std::string("\x1a\x02\x0a\x00", 4);
  CHECK(DecodeSegmentLists(AsBytes(pieces)).status().code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::wire
