#include "common/wire/inventory_messages.h"

#include <google/protobuf/stubs/logging.h>

#include <catch2/catch.hpp>
#include <random>

#include "common/wire/leaf_messages.h"
#include "common/wire/message_limits.h"
#include "common/wire/ordinals.h"
#include "tests/unit/common/wire/batch_checks.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

SegmentBatch MakeBatch(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  SegmentBatch batch;
  const auto names = std::make_shared<std::vector<std::string>>();
  uint32_t ordinal = 0;
  batch.zones.resize(2);
  batch.zones[0].column = "ts";
  batch.zones[1].column = "price";
  batch.partitions.push_back({"id", "Murmur", 64, {}});
  for (size_t i = 0; i < count; ++i) {
    batch.ordinals.push_back(ordinal += 1 + random() % 3);
    names->push_back("events_OFFLINE_" + std::to_string(random() % 100'000) + "_\xff");
    batch.crcs.push_back(random() >> random() % 64);
    batch.rows.push_back(static_cast<int64_t>(random() >> (1 + random() % 63)));
    for (ZoneColumn* zones : {&batch.time_ms, &batch.zones[0], &batch.zones[1]}) {
      const bool present = random() % 4 != 0;
      const auto a = static_cast<int64_t>(random());
      const auto b = static_cast<int64_t>(random());
      zones->present.push_back(present);
      zones->min.push_back(present ? std::min(a, b) : 0);
      zones->max.push_back(present ? std::max(a, b) : 0);
    }
    batch.partitions[0].partition.push_back(
        random() % 4 == 0 ? PartitionColumn::kUnknown : static_cast<uint32_t>(random() % 64));
  }
  batch.names.assign(names->begin(), names->end());
  batch.names_owner = names;
  return batch;
}

Inventory WithUpdate(const SegmentBatch& batch) {
  Inventory inventory;
  inventory.updates.resize(1);
  inventory.updates[0].table = "t_OFFLINE";
  inventory.updates[0].added = batch;
  return inventory;
}

Result<Inventory> ThereAndBack(const Inventory& inventory) {
  TRELLIS_ASSIGN_OR_RETURN(const std::string bytes, EncodeInventory(inventory));
  return DecodeInventory(AsBytes(bytes));
}

}  // namespace

TEST_CASE("a watch request comes back equal, and an older peer's is read") {
  const WatchRequest request{{kInventoryDeltasFeature, "later"}};
  const std::string bytes = EncodeWatchRequest(request);
  CHECK(DecodeWatchRequest(AsBytes(bytes))->features == request.features);
  CHECK(EncodeWatchRequest({}) == "\x08\x01");
  CHECK(DecodeWatchRequest(AsBytes("\x08\x01"))->features.empty());
  CHECK(DecodeWatchRequest({}).status().code() == StatusCode::kFailedPrecondition);
  CHECK(DecodeWatchRequest(AsBytes("\x08\x02")).status().code() == StatusCode::kFailedPrecondition);
  CHECK(DecodeWatchRequest(AsBytes("\x0a\xff")).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("a whole inventory comes back equal") {
  Inventory inventory;
  inventory.incarnation = ~uint64_t{0};
  inventory.epoch = 4;
  inventory.build_version = "0.1.0";
  inventory.segment_list_encodings = {"known", "packed", "names", "legacy_json"};
  inventory.features = {kListChunksFeature};
  inventory.tables = {{"t_OFFLINE",
                       "{}",
                       "",
                       {{"s1", 7, 100, 0, std::nullopt, ""}, {"\xff", 0, 0, {}, 5, "broken"}},
                       "upsert"}};
  const auto decoded = ThereAndBack(inventory);
  REQUIRE(decoded.ok());
  CHECK(decoded->protocol_version == kProtocolVersion);
  CHECK(decoded->incarnation == inventory.incarnation);
  CHECK(decoded->epoch == 4);
  CHECK(decoded->build_version == "0.1.0");
  CHECK(decoded->segment_list_encodings == inventory.segment_list_encodings);
  CHECK(decoded->features == inventory.features);
  CHECK(decoded->tables == inventory.tables);
  CHECK(decoded->updates.empty());
  CHECK_FALSE(decoded->complete);
  CHECK(!DecodeInventory(AsBytes(std::string_view("\x0a\xff"))).ok());
  inventory.tables[0].segments[0].rows = -1;
  CHECK(ThereAndBack(inventory).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("updates come back equal, their names held by the batch") {
  std::vector<SegmentBatch> batches;
  Inventory inventory;
  inventory.complete = true;
  for (const size_t count : {0, 1, 7, 8, 9, 1'000}) {
    batches.push_back(MakeBatch(count, count + 1));
    TableUpdate& update = inventory.updates.emplace_back();
    update.table = "t" + std::to_string(count) + "_OFFLINE";
    update.incarnation = ~uint64_t{0} - count;
    update.epoch = 10 + count;
    update.base_epoch = count;
    update.more = count == 1;
    update.gone = count == 7;
    if (count == 8)
      update.description = {"{}", "{\"a\":1}", "dedup", {{"torn", 1, 0, {}, {}, "r"}}};
    if (count == 9) update.description.emplace();
    if (count != 0) update.added = batches.back();
    update.dropped.addRange(count, 3 * count);
  }
  // No segment with a time, and no zones at all.
  inventory.updates[2].added.time_ms = {};
  inventory.updates[2].added.zones.clear();
  const auto decoded = ThereAndBack(inventory);
  INFO(decoded.status().message());
  REQUIRE(decoded.ok());
  CHECK(decoded->complete);
  REQUIRE(decoded->updates.size() == inventory.updates.size());
  for (size_t i = 0; i < decoded->updates.size(); ++i) {
    const TableUpdate& a = inventory.updates[i];
    const TableUpdate& b = decoded->updates[i];
    CAPTURE(i);
    CHECK(a.table == b.table);
    CHECK(a.incarnation == b.incarnation);
    CHECK(a.epoch == b.epoch);
    CHECK(a.base_epoch == b.base_epoch);
    CHECK(a.more == b.more);
    CHECK(a.gone == b.gone);
    CHECK(a.description == b.description);
    CHECK(a.dropped == b.dropped);
    CheckEqual(a.added, b.added);
  }
}

TEST_CASE("names of every kind, up to the limit, come back in a batch") {
  SegmentBatch batch;
  const std::string longest(kMessageLimits.segment_name_bytes_max, 'n');
  batch.names = {
      "", "a/b c%d,\"'", "\xff\xfe", "\xc3\xa9", longest, "a", std::string_view("\0x", 2)};
  for (uint32_t i = 0; i < batch.names.size(); ++i) {
    batch.ordinals.push_back(i);
    batch.crcs.push_back(i);
    batch.rows.push_back(i);
  }
  const auto decoded = ThereAndBack(WithUpdate(batch));
  REQUIRE(decoded.ok());
  CheckEqual(decoded->updates[0].added, batch);
}

TEST_CASE("both ends refuse a batch whose columns are not sound") {
  using Change = void (*)(SegmentBatch&);
  const std::string long_name(kMessageLimits.segment_name_bytes_max + 1, 'n');
  static std::string_view too_long;
  too_long = long_name;
  const std::pair<const char*, Change> cases[] = {
      {"column 'names' has 19 values for 20", [](auto& b) { b.names.pop_back(); }},
      {"column 'crcs' has 21 values for 20", [](auto& b) { b.crcs.push_back(1); }},
      {"column 'rows' has 0 values for 20", [](auto& b) { b.rows.clear(); }},
      {"column 'ts' has 19 minima", [](auto& b) { b.zones[0].min.pop_back(); }},
      {"column 'ts' has 21 maxima", [](auto& b) { b.zones[0].max.push_back(0); }},
      {"column 'price' has", [](auto& b) { b.zones[1].present.resize(8); }},
      {"column 'price' has",
       [](auto& b) {
         b.zones[1] = {"price", {}, {}, {}};
       }},
      {"column 'time_ms' has 19 minima", [](auto& b) { b.time_ms.min.pop_back(); }},
      {"column 'id' has 19 partitions", [](auto& b) { b.partitions[0].partition.pop_back(); }},
      {"column 'id' has partition 64 of 64", [](auto& b) { b.partitions[0].partition[3] = 64; }},
      {"column 'id' has partition", [](auto& b) { b.partitions[0].count = 0; }},
      {"has -1 rows", [](auto& b) { b.rows[4] = -1; }},
      {"has 1025 bytes, at most 1024", [](auto& b) { b.names[2] = too_long; }},
      {"minimum 5 and maximum 4, known, in row 6",
       [](auto& b) {
         b.zones[1].present[6] = 1;
         b.zones[1].min[6] = 5;
         b.zones[1].max[6] = 4;
       }},
      {"minimum 0 and maximum 4, not known, in row 6",
       [](auto& b) {
         b.time_ms.present[6] = 0;
         b.time_ms.min[6] = 0;
         b.time_ms.max[6] = 4;
       }},
      {"ordinal 268435456, at most 268435455",
       [](auto& b) { b.ordinals.back() = kMessageLimits.ordinals_max; }},
      {"comes after", [](auto& b) { b.ordinals[1] = b.ordinals[0]; }},
  };
  for (const auto& [words, change] : cases) {
    SegmentBatch batch = MakeBatch(20, 3);
    change(batch);
    const Status status = EncodeInventory(WithUpdate(batch)).status();
    CAPTURE(words, status.message());
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find(words) != std::string::npos);
    CHECK(status.message().find("t_OFFLINE") != std::string::npos);
  }
}

TEST_CASE("a batch that lies in a way no writer can is refused") {
  using Change = void (*)(v1::SegmentBatch&);
  const std::pair<const char*, Change> cases[] = {
      {"values for 21", [](auto& b) { b.set_count(21); }},
      {"values for 0", [](auto& b) { b.clear_count(); }},
      {"ordinals", [](auto& b) { b.set_ordinals(std::string(b.ordinals()).substr(1)); }},
      {"values for 20",
       [](auto& b) {
         Roaring all;
         all.addRange(0, kMessageLimits.ordinals_max);
         b.set_ordinals(WriteOrdinals(all));
       }},
      {"", [](auto& b) { b.set_names(std::string(b.names()).substr(0, b.names().size() - 1)); }},
      {"column 'crcs' has 21", [](auto& b) { b.add_crcs(1); }},
      {"column 'rows' has 19", [](auto& b) { b.mutable_rows()->RemoveLast(); }},
      {"has -5 rows", [](auto& b) { b.set_rows(3, -5); }},
      {"column 'ts' has 2 bytes of flags for 3",
       [](auto& b) { b.mutable_zones(0)->mutable_present()->pop_back(); }},
      {"bytes of flags", [](auto& b) { b.mutable_time_ms()->mutable_present()->push_back(0); }},
      {"column 'ts' has 19 minima",
       [](auto& b) { b.mutable_zones(0)->mutable_min()->RemoveLast(); }},
      {"column 'time_ms' has 21 maxima", [](auto& b) { b.mutable_time_ms()->add_max(0); }},
      {"partition", [](auto& b) { b.mutable_partitions(0)->set_partition_plus_one(7, 65); }},
      {"minimum",
       [](auto& b) {
         (*b.mutable_zones(0)->mutable_present())[0] |= 1;
         b.mutable_zones(0)->set_min(0, 1);
         b.mutable_zones(0)->set_max(0, 0);
       }},
  };
  const std::string good = *EncodeInventory(WithUpdate(MakeBatch(20, 3)));
  for (const auto& [words, change] : cases) {
    v1::Inventory message;
    REQUIRE(message.ParseFromString(good));
    change(*message.mutable_updates(0)->mutable_added());
    const std::string bytes = message.SerializeAsString();
    const Status status = DecodeInventory(AsBytes(bytes)).status();
    CAPTURE(words, status.message());
    CHECK(status.code() == StatusCode::kInvalidArgument);
    CHECK(status.message().find(words) != std::string::npos);
  }
  v1::Inventory message;
  REQUIRE(message.ParseFromString(good));
  message.mutable_updates(0)->set_dropped("x");
  const std::string bytes = message.SerializeAsString();
  CHECK(DecodeInventory(AsBytes(bytes)).status().code() == StatusCode::kInvalidArgument);
}

TEST_CASE("more segments than one message may have are refused on both ends") {
  SegmentBatch batch;
  const size_t count = kMessageLimits.inventory_message_segments_max;
  const auto grow = [&](size_t to) {
    for (auto i = static_cast<uint32_t>(batch.size()); i < to; ++i) batch.ordinals.push_back(i);
    batch.names.resize(to);
    batch.crcs.resize(to);
    batch.rows.resize(to);
  };
  grow(count);
  Inventory inventory = WithUpdate(batch);
  CHECK(ThereAndBack(inventory).ok());
  // The limit is one of the message, however its segments are spread over updates.
  inventory.updates.push_back(WithUpdate(MakeBatch(1, 1)).updates[0]);
  CHECK(ThereAndBack(inventory).status().code() == StatusCode::kResourceExhausted);
  grow(count + 1);
  CHECK(EncodeInventory(WithUpdate(batch)).status().code() == StatusCode::kResourceExhausted);
  v1::Inventory message;
  message.add_updates()->mutable_added()->set_count(~0u);
  const std::string bytes = message.SerializeAsString();
  CHECK(DecodeInventory(AsBytes(bytes)).status().code() == StatusCode::kResourceExhausted);
}

TEST_CASE("an inventory cut short or altered is refused or sound") {
  const google::protobuf::LogSilencer quiet;  // it logs each string that is not UTF-8
  std::mt19937_64 random(17);
  const std::string good = *EncodeInventory(WithUpdate(MakeBatch(20, 5)));
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    const auto decoded = DecodeInventory(AsBytes(bytes));
    if (!decoded.ok()) {
      ++refused;
      continue;
    }
    const auto again = ThereAndBack(*decoded);
    REQUIRE(again.ok());
    for (size_t i = 0; i < decoded->updates.size(); ++i)
      CheckEqual(again->updates[i].added, decoded->updates[i].added);
  }
  CHECK(refused > 5'000);
}

}  // namespace trellis::wire
