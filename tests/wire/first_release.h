#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/block/block.h"
#include "common/plan/stage.h"
#include "common/wire/inventory_messages.h"
#include "common/wire/leaf_messages.h"
#include "common/wire/segment_list_codec.h"

// The messages behind golden/0.1, which release 0.1's encoders wrote from these very values.
// Neither they nor the files ever change.
namespace trellis::wire {

inline plan::LeafStage FirstStage() {
  plan::Predicate in;
  in.kind = plan::Predicate::Kind::kIn;
  in.subject = plan::Expression::Column("league", {DataType::kString, false});
  in.values = {Value::String("AL"), Value::String("NL")};
  plan::Predicate range;
  range.kind = plan::Predicate::Kind::kRange;
  range.subject = plan::Expression::Column("yearID", {DataType::kInt, false});
  range.lower = Value::Int(1990);
  range.upper = Value::Int(2000);
  range.lower_inclusive = true;
  plan::LeafStage stage;
  stage.table = "baseballStats_OFFLINE";
  stage.shape = plan::QueryShape::kGroupBy;
  stage.filter =
      plan::Filter::And({plan::Filter::Of(in), plan::Filter::Not(plan::Filter::Of(range))});
  stage.keys = {plan::Expression::Column("teamID", {DataType::kString, false})};
  stage.aggregates.resize(1);
  stage.aggregates[0].function = "sum";
  stage.aggregates[0].arguments = {plan::Expression::Column("runs", {DataType::kInt, false})};
  stage.null_handling = true;
  stage.groups_max = 100'000;
  return stage;
}

// Names of every kind, one of them longer than a one-byte length.
inline std::vector<std::string> FirstNames() {
  return {"baseballStats_OFFLINE_0",
          "a/b c%d,\"e\\f'",
          "\xc3\xa9t\xc3\xa9",
          "\xff\xfe",
          "",
          "tab\tand\x01",
          std::string(250, 'n')};
}

inline LeafRequest FirstRequest(std::string stage) {
  LeafRequest request;
  request.query_id = "broker_1-42";
  request.attempt = 3;
  request.timeout_ms = 10'000;
  request.stage = SharedBytes::Own(std::move(stage));
  return request;
}

inline Inventory FirstInventory() {
  Inventory inventory;
  inventory.incarnation = 0x0123456789abcdef;
  inventory.epoch = 7;
  inventory.build_version = "0.1.0";
  inventory.segment_list_encodings = {"names", "legacy_json"};
  inventory.features = {"a_feature"};
  TableInventory table;
  table.table = "baseballStats_OFFLINE";
  table.schema_json = "{\"schemaName\":\"baseballStats\"}";
  table.config_json = "{\"tableName\":\"baseballStats_OFFLINE\"}";
  SegmentEntry timed;
  timed.name = "baseballStats_OFFLINE_0";
  timed.crc = 2'512'000'111;
  timed.rows = 97'889;
  timed.start_time_ms = -1;
  timed.end_time_ms = 1'577'836'800'000;
  SegmentEntry torn;
  torn.name = "\xff\xfe";
  torn.broken = "columns.psf is cut short";
  table.segments = {timed, torn};
  TableInventory refused;
  refused.table = "orders_REALTIME";
  refused.refused = "upsert";
  inventory.tables = {table, refused};
  return inventory;
}

inline LeafAccepted FirstAccepted() {
  LeafAccepted accepted;
  accepted.missing = {"gone", "\xff"};
  accepted.broken = {{"torn", "bad checksum"}};
  return accepted;
}

inline LeafDone FirstDone() {
  LeafDone done;
  done.status = Status::Query(PinotCode::kUnknownColumn, "no column 'x'");
  LeafStatistics& s = done.statistics;
  s.segments_queried = 1;
  s.segments_processed = 2;
  s.segments_matched = 3;
  s.segments_pruned = 4;
  s.segments_pruned_by_value = 5;
  s.segments_pruned_by_limit = 6;
  s.documents_scanned = 7;
  s.documents_total = 8;
  s.entries_scanned_in_filter = 9;
  s.entries_scanned_post_filter = int64_t{1} << 40;
  s.groups_limit_reached = true;
  s.execute_us = 11;
  s.decode_us = 12;
  s.list_encoding = "names";
  return done;
}

inline std::shared_ptr<const Block> FirstBlock() {
  auto block = std::make_shared<Block>();
  block->rows = 3;
  ColumnVector numbers(DataType::kLong);
  ColumnVector texts(DataType::kString);
  ColumnVector lists(ValueType{DataType::kInt, true});
  for (int i = 0; i < 3; ++i) {
    numbers.Append(i == 1 ? Value::Null(DataType::kLong) : Value::Long(i - 1));
    texts.Append(Value::String(std::string(static_cast<size_t>(i), 'x')));
    std::vector<Value> elements(static_cast<size_t>(i), Value::Int(i));
    lists.Append(Value::Array(DataType::kInt, std::move(elements)));
  }
  block->columns.push_back(std::move(numbers));
  block->columns.push_back(std::move(texts));
  block->columns.push_back(std::move(lists));
  block->columns.push_back(ColumnVector::Constant(Value::Double(0.5), 3));
  return block;
}

}  // namespace trellis::wire
