#include "common/column/map_frame.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "common/base/bytes.h"
#include "common/types/big_decimal.h"

namespace trellis::column {
namespace {

std::string Length(size_t v) {
  std::string bytes(4, '\0');
  StoreBigEndian(static_cast<uint32_t>(v), reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

std::string Frame(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string bytes = Length(entries.size());
  for (const auto& [key, value] : entries)
    bytes += Length(key.size()) + key + Length(value.size()) + value;
  return bytes;
}

Result<Value> ReadOne(const std::string& json, DataType type) {
  ColumnVector frames(DataType::kMap), out;
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"k", json}})));
  TRELLIS_RETURN_IF_ERROR(ReadMapKey(frames, "k", type, out));
  return out.Get(0);
}

std::string ReadText(const std::string& json) {
  return ReadOne(json, DataType::kString).value().bytes();
}

TEST_CASE("a key is found by its whole name, the first of two wins") {
  const std::string frame =
      Frame({{"a", "1"}, {"ab", "2"}, {"", "3"}, {"a", "4"}, {"\xC3\xA9", "5"}});
  CHECK(FindMapKey(frame, "a").value() == "1");
  CHECK(FindMapKey(frame, "ab").value() == "2");
  CHECK(FindMapKey(frame, "").value() == "3");
  CHECK(FindMapKey(frame, "\xC3\xA9").value() == "5");
  CHECK(FindMapKey(frame, "b").value() == std::nullopt);
  CHECK(FindMapKey(Frame({}), "a").value() == std::nullopt);
}

TEST_CASE("a frame cut short anywhere is refused, not read as a missing key") {
  const std::string frame = Frame({{"abc", "123"}, {"de", "\"x\""}});
  for (size_t size = 0; size < frame.size(); ++size) {
    CAPTURE(size);
    CHECK(FindMapKey(std::string_view(frame).substr(0, size), "zz").status().IsCorrupt());
    CHECK(MapFrameToJson(std::string_view(frame).substr(0, size)).status().IsCorrupt());
  }
  CHECK(MapFrameToJson(frame + "x").status().IsCorrupt());
  CHECK(FindMapKey("\xff\xff\xff\xff", "a").status().IsCorrupt());
}

TEST_CASE("a map prints its values verbatim and escapes its keys") {
  CHECK(MapFrameToJson(Frame({{"a", "1.50"}, {"q\"\\\n", "[1, {}]"}, {"bad", "{"}})).value() ==
        R"({"a":1.50,"q\"\\\u000a":[1, {}],"bad":null})");
  CHECK(MapFrameToJson(Frame({})).value() == "{}");
}

TEST_CASE("values read as STRING have Java's text") {
  CHECK(ReadText(R"("x")") == "x");
  CHECK(ReadText(R"("")").empty());
  CHECK(ReadText(R"("a\n\uD83D\uDE00")") == "a\n\xF0\x9F\x98\x80");
  CHECK(ReadText("9007199254741086") == "9007199254741086");
  CHECK(ReadText("1.50") == "1.5");
  CHECK(ReadText("0.0000011") == "1.1E-6");
  CHECK(ReadText("true") == "true");
  CHECK(ReadText("[0,3]") == "[0, 3]");
  CHECK(ReadText(R"({"a":[1,"two",3.5,[]],"deep":{"er":"psi"},"z":null})") ==
        "{a=[1, two, 3.5, []], deep={er=psi}, z=null}");
}

TEST_CASE("null, broken and missing values give the type's default, not NULL") {
  for (const char* json :
       {"null", "", "{", "nul", "01", "1.", "-", "\"a", "\"a\"b\"", "\"\\x\"", "+1"}) {
    CAPTURE(json);
    CHECK(ReadText(json) == "null");
    CHECK(ReadOne(json, DataType::kInt).value() == Value::Int(INT32_MIN));
  }
  ColumnVector frames(DataType::kMap), out;
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"other", "1"}})));
  REQUIRE(ReadMapKey(frames, "k", DataType::kLong, out).ok());
  CHECK(out.Get(0) == Value::Long(INT64_MIN));
}

TEST_CASE("typed reads take numbers and numbers in strings, and refuse the rest") {
  CHECK(ReadOne("42", DataType::kInt).value() == Value::Int(42));
  CHECK(ReadOne("\"42\"", DataType::kInt).value() == Value::Int(42));
  CHECK(ReadOne("-0", DataType::kInt).value() == Value::Int(0));
  CHECK(ReadOne("42", DataType::kDouble).value() == Value::Double(42));
  CHECK(ReadOne("0.1", DataType::kFloat).value() == Value::Float(0.1F));
  CHECK(ReadOne("true", DataType::kBoolean).value() == Value::Boolean(true));
  // A decimal keeps digits and scale that a double has no place for.
  for (const char* json : {"12345678901234567890.123", "1.10", "0.1234567890123456789012345",
                           "-0.00", "\"12345678901234567890.123\""}) {
    CAPTURE(json);
    const std::string digits = json[0] == '"' ? std::string(json + 1, std::strlen(json) - 2) : json;
    CHECK(ReadOne(json, DataType::kBigDecimal).value() ==
          Value::Bytes(DataType::kBigDecimal, BigDecimal::FromText(digits).value().ToBytes()));
  }
  for (const char* json : {"1.5", "2147483648", "\"x\"", "true", "[1]"}) {
    CAPTURE(json);
    CHECK(ReadOne(json, DataType::kInt).status().pinot_code() == PinotCode::kQueryExecution);
  }
}

TEST_CASE("a null map stays null and strings stay readable after the frames are gone") {
  ColumnVector out;
  {
    ColumnVector frames(DataType::kMap);
    frames.Append(Value::Bytes(DataType::kMap, Frame({{"k", "\"view\""}})));
    frames.Append(Value::Null(DataType::kMap));
    REQUIRE(ReadMapKey(frames, "k", DataType::kString, out).ok());
  }
  CHECK(out.Get(0) == Value::String("view"));
  CHECK(out.is_null(1));
  CHECK_FALSE(out.is_null(0));
}

TEST_CASE("several keys are read at once, each as its own type") {
  ColumnVector frames(DataType::kMap), a, b, again;
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"a", "1"}, {"b", "\"x\""}, {"a", "2"}})));
  frames.Append(Value::Null(DataType::kMap));
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"b", "null"}, {"a", "2.5"}})));
  const MapKeyRead reads[] = {
      {"a", DataType::kDouble, &a}, {"b", DataType::kString, &b}, {"a", DataType::kString, &again}};
  REQUIRE(ReadMapKeys(frames, reads).ok());
  CHECK((a.Get(0) == Value::Double(1) && a.is_null(1) && a.Get(2) == Value::Double(2.5)));
  CHECK((b.Get(0) == Value::String("x") && b.is_null(1) && b.Get(2) == Value::String("null")));
  CHECK((again.Get(0) == Value::String("1") && again.Get(2) == Value::String("2.5")));
  REQUIRE(ReadMapKeys(frames, {}).ok());
}

TEST_CASE("an error says which row it is about") {
  ColumnVector frames(DataType::kMap), a, b;
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"a", "1"}, {"b", "2"}})));
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"a", "1"}, {"b", "x"}, {"c", "\"y\""}})));
  frames.Append(Value::Bytes(DataType::kMap, Frame({{"a", "1"}}) + "\xff"));
  const auto failed = [&](std::string_view key, DataType type, Status& status) {
    const MapKeyRead reads[] = {{"a", DataType::kInt, &a}, {key, type, &b}};
    size_t row = 99;
    status = ReadMapKeys(frames, reads, &row);
    return row;
  };
  Status status;
  CHECK(failed("c", DataType::kInt, status) == 1);
  CHECK(status.pinot_code() == PinotCode::kQueryExecution);
  std::string cut = Frame({{"a", "1"}, {"b", "2"}});
  cut.pop_back();
  frames.Append(Value::Bytes(DataType::kMap, cut));
  CHECK(failed("b", DataType::kInt, status) == 3);
  CHECK(status.IsCorrupt());
}

TEST_CASE("several keys are read of JSON objects; rows without them are null over the default") {
  ColumnVector objects(DataType::kString), a, b, again;
  objects.Append(Value::String(R"({"b":"x","a":7,"c":)"));  // damaged behind the last key
  objects.Append(Value::Null(DataType::kString));
  objects.Append(Value::String(""));
  objects.Append(Value::String(R"({"b": {"k": [1, 2]}, "a": null})"));
  const MapKeyRead reads[] = {
      {"a", DataType::kInt, &a}, {"b", DataType::kString, &b}, {"a", DataType::kDouble, &again}};
  size_t row = 99;
  REQUIRE(ReadObjectKeys(objects, reads, &row).message() == "");
  CHECK(row == 99);
  CHECK(a.values<int32_t>() == std::vector<int32_t>{7, INT32_MIN, INT32_MIN, INT32_MIN});
  CHECK(a.nulls() == std::vector<uint8_t>{0, 1, 1, 1});
  CHECK(again.Get(0) == Value::Double(7));
  CHECK(b.Get(0) == Value::String("x"));
  CHECK(b.values<std::string_view>()[2] == "null");
  CHECK(b.Get(3) == Value::String(R"({"k": [1, 2]})"));
  CHECK(b.nulls() == std::vector<uint8_t>{0, 1, 1, 0});
}

TEST_CASE("more keys than one walk takes are read of JSON objects, too") {
  ColumnVector objects(DataType::kString);
  objects.Append(Value::String(R"({"k0":0,"k64":64,"k99":99})"));
  std::vector<std::string> names;
  for (int k = 0; k < 100; ++k) names.push_back("k" + std::to_string(k));
  std::vector<ColumnVector> out(names.size());
  std::vector<MapKeyRead> reads;
  for (size_t k = 0; k < names.size(); ++k) reads.push_back({names[k], DataType::kInt, &out[k]});
  REQUIRE(ReadObjectKeys(objects, reads).ok());
  for (const size_t k : {0, 64, 99}) CHECK(out[k].Get(0) == Value::Int(static_cast<int>(k)));
  CHECK(out[63].is_null(0));
}

TEST_CASE("an error about a JSON value says which row it is about") {
  ColumnVector objects(DataType::kString), texts(DataType::kString), out;
  for (size_t i = 0; i < 300; ++i) {  // more than are found at once
    objects.Append(Value::String(R"({"a":1})"));
    texts.Append(Value::String("1"));
  }
  objects.Append(Value::String(R"({"a":"x"})"));
  texts.Append(Value::String("\"x\""));
  const MapKeyRead read = {"a", DataType::kInt, &out};
  size_t row = 0;
  CHECK(ReadObjectKeys(objects, {&read, 1}, &row).pinot_code() == PinotCode::kQueryExecution);
  CHECK(row == 300);
  row = 0;
  CHECK(ReadJsonTexts(texts, read, &row).pinot_code() == PinotCode::kQueryExecution);
  CHECK(row == 300);
  objects.Append(Value::String("{"));
  const MapKeyRead missing = {"b", DataType::kInt, &out};
  CHECK(ReadObjectKeys(objects, {&missing, 1}, &row).IsCorrupt());
  CHECK(row == 301);
}

TEST_CASE("a constant map column is read for every row") {
  const auto frames = ColumnVector::Constant(Value::Bytes(DataType::kMap, Frame({{"k", "7"}})), 3);
  ColumnVector out;
  REQUIRE(ReadMapKey(frames, "k", DataType::kInt, out).ok());
  CHECK(out.values<int32_t>() == std::vector<int32_t>{7, 7, 7});
}

}  // namespace
}  // namespace trellis::column
