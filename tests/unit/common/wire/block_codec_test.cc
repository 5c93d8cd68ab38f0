#include "common/wire/block_codec.h"

#include <catch2/catch.hpp>
#include <random>

#include "common/wire/message_limits.h"
#include "trellis/v1/leaf.pb.h"

namespace trellis::wire {
namespace {

constexpr DataType kTypes[] = {DataType::kInt,    DataType::kLong,    DataType::kFloat,
                               DataType::kDouble, DataType::kBoolean, DataType::kTimestamp,
                               DataType::kString, DataType::kBytes};

Value RandomValue(DataType type, std::mt19937_64& random) {
  switch (PhysicalOf(type)) {
    case Physical::kInt32:
      return type == DataType::kInt ? Value::Int(static_cast<int32_t>(random()))
                                    : Value::Boolean(random() % 2 == 0);
    case Physical::kInt64: {
      const auto number = static_cast<int64_t>(random());
      return type == DataType::kLong ? Value::Long(number) : Value::Timestamp(number);
    }
    case Physical::kFloat:
      return Value::Float(static_cast<float>(random() % 1000) / 8);
    case Physical::kDouble:
      return Value::Double(static_cast<double>(random() % 1000) / 8);
    case Physical::kBytes:
      break;
  }
  std::string bytes(random() % 30, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return Value::Bytes(type, std::move(bytes));
}

// One single-value, one multi-value, one constant and one null-constant column of each type.
std::shared_ptr<Block> MakeBlock(size_t rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto block = std::make_shared<Block>();
  block->rows = rows;
  for (const DataType type : kTypes) {
    ColumnVector single(type);
    ColumnVector multi(ValueType{type, true});
    for (size_t row = 0; row < rows; ++row) {
      single.Append(random() % 3 == 0 ? Value::Null(type) : RandomValue(type, random));
      std::vector<Value> elements;
      for (size_t n = random() % 4; n > 0; --n) elements.push_back(RandomValue(type, random));
      multi.Append(random() % 5 == 0 ? Value::Null(type) : Value::Array(type, std::move(elements)));
    }
    block->columns.push_back(std::move(single));
    block->columns.push_back(std::move(multi));
    block->columns.push_back(ColumnVector::Constant(RandomValue(type, random), rows));
    block->columns.push_back(ColumnVector::Constant(Value::Null(type), rows));
  }
  return block;
}

void CheckEqual(const Block& a, const Block& b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.columns.size() == b.columns.size());
  for (size_t i = 0; i < a.columns.size(); ++i) {
    CAPTURE(i);
    CHECK(a.columns[i].value_type() == b.columns[i].value_type());
    CHECK(a.columns[i].is_constant() == b.columns[i].is_constant());
    REQUIRE(b.columns[i].size() == a.rows);
    for (size_t row = 0; row < a.rows; ++row)
      REQUIRE(a.columns[i].Get(row) == b.columns[i].Get(row));
  }
}

}  // namespace

TEST_CASE("a block of every type and shape comes back equal") {
  for (const size_t rows : {0, 1, 7, 8, 9, 64, 1000}) {
    CAPTURE(rows);
    const auto block = MakeBlock(rows, rows + 1);
    auto encoded = EncodeBlock(block);
    REQUIRE(encoded.ok());
    CHECK(TotalBytes(encoded->body) == encoded->body_bytes);
    const auto decoded =
        DecodeBlock(AsBytes(encoded->header), SharedBytes::Own(Join(encoded->body)));
    INFO(decoded.status().message());
    REQUIRE(decoded.ok());
    CheckEqual(*block, *decoded);
  }
}

TEST_CASE("buffers lie at multiples of 64 bytes with Arrow's bit order") {
  auto block = std::make_shared<Block>();
  block->rows = 3;
  ColumnVector column(DataType::kString);
  column.Append(Value::String("ab"));
  column.Append(Value::Null(DataType::kString));
  column.Append(Value::String("c"));
  block->columns.push_back(std::move(column));
  const auto encoded = EncodeBlock(block);
  REQUIRE(encoded.ok());
  v1::BlockHeader header;
  REQUIRE(header.ParseFromString(encoded->header));
  const auto& c = header.columns(0);
  const std::string body = Join(encoded->body);
  for (const auto* range : {&c.validity(), &c.values(), &c.value_offsets()})
    CHECK(range->offset() % 64 == 0);
  CHECK(body.at(c.validity().offset()) == 0b101);
  CHECK(body.substr(c.values().offset(), c.values().size_bytes()) == "abc");
  CHECK(body.substr(c.value_offsets().offset(), 16) ==
        std::string("\0\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0", 16));
  CHECK(body.size() % 64 == 0);
}

TEST_CASE("fixed-width values are sent from the block's own memory and text is read in place") {
  const auto block = MakeBlock(100, 5);
  auto encoded = EncodeBlock(block);
  REQUIRE(encoded.ok());
  const auto* values = reinterpret_cast<const uint8_t*>(block->columns[0].values<int32_t>().data());
  bool shared = false;
  for (const SharedBytes& slice : encoded->body) shared |= slice.view.data() == values;
  CHECK(shared);

  Block decoded;
  ByteView body;
  {
    const SharedBytes bytes = SharedBytes::Own(Join(encoded->body));
    body = bytes.view;
    decoded = DecodeBlock(AsBytes(encoded->header), bytes).value();
  }
  // Column 24 is the single-value STRING column; only it and its like keep the body alive now.
  CHECK(decoded.columns[24].type() == DataType::kString);
  for (const std::string_view text : decoded.columns[24].values<std::string_view>()) {
    CHECK((text.empty() || (AsBytes(text).data() >= body.data() &&
                            AsBytes(text).data() < body.data() + body.size())));
  }
}

TEST_CASE("a column without a null sends no validity bits") {
  auto block = std::make_shared<Block>();
  block->rows = 2;
  ColumnVector column(DataType::kInt);
  column.Append(Value::Int(1));
  column.Append(Value::Int(2));
  column.mutable_nulls();
  block->columns.push_back(std::move(column));
  v1::BlockHeader header;
  REQUIRE(header.ParseFromString(EncodeBlock(block)->header));
  CHECK_FALSE(header.columns(0).has_validity());
}

TEST_CASE("a block whose header lies is refused as corrupt") {
  const auto block = MakeBlock(20, 9);
  const auto encoded = EncodeBlock(block);
  const SharedBytes body = SharedBytes::Own(Join(encoded->body));
  using Change = void (*)(v1::BlockHeader&);
  const std::pair<const char*, Change> cases[] = {
      {"header says", [](auto& h) { h.set_body_bytes(h.body_bytes() + 1); }},
      {"rows", [](auto& h) { h.set_rows(uint64_t{1} << 40); }},
      {"values for", [](auto& h) { h.set_rows(21); }},
      {"type is 99",
       [](auto& h) {
         h.mutable_columns(0)->mutable_type()->set_type(static_cast<v1::DataType>(99));
       }},
      {"constant", [](auto& h) { h.mutable_columns(1)->set_constant(true); }},
      {"of a body of",
       [](auto& h) { h.mutable_columns(0)->mutable_values()->set_offset(~uint64_t{0}); }},
      {"in a body of",
       [](auto& h) { h.mutable_columns(0)->mutable_values()->set_size_bytes(~uint64_t{0}); }},
      {"bytes for", [](auto& h) { h.mutable_columns(0)->mutable_values()->set_size_bytes(76); }},
      {"bytes for", [](auto& h) { h.mutable_columns(0)->mutable_validity()->set_size_bytes(1); }},
      {"values", [](auto& h) { h.mutable_columns(1)->set_flat_size(uint64_t{1} << 33); }},
      {"do not ascend",
       [](auto& h) {
         h.mutable_columns(25)->mutable_offsets()->set_offset(h.columns(0).values().offset());
       }},
      {"do not ascend",
       [](auto& h) { h.mutable_columns(24)->mutable_values()->set_size_bytes(1); }},
      {"in a body of",
       [](auto& h) {
         for (int i = 0; i < 3; ++i) h.MergeFrom(v1::BlockHeader(h));
         h.set_rows(20);
       }},
  };
  for (const auto& [words, change] : cases) {
    v1::BlockHeader header;
    REQUIRE(header.ParseFromString(encoded->header));
    change(header);
    const std::string bytes = header.SerializeAsString();
    const Status status = DecodeBlock(AsBytes(bytes), body).status();
    CAPTURE(words, status.message());
    CHECK(status.IsCorrupt());
    CHECK(status.message().find(words) != std::string::npos);
  }
}

TEST_CASE("a block with a column of another length is not encoded") {
  auto block = MakeBlock(3, 1);
  block->columns[0].Append(Value::Int(1));
  const Status status = EncodeBlock(block).status();
  CHECK(status.code() == StatusCode::kInternal);
  CHECK(status.message().find("column 0") != std::string::npos);
}

TEST_CASE("a block over the row limit is not encoded") {
  auto block = std::make_shared<Block>();
  block->rows = kMessageLimits.block_rows_max + 1;
  CHECK(EncodeBlock(block).status().code() == StatusCode::kResourceExhausted);
}

}  // namespace trellis::wire
