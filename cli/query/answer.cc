#include "cli/query/answer.h"

#include <nlohmann/json.hpp>

namespace trellis::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kDepthMax = 64;

// Builds a tree in which floating numbers keep the digits of the text: as a binary value, a kind
// that JSON text cannot hold. Whole numbers fit 64 bits; larger ones come as floating and keep
// their digits too.
class TreeBuilder : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(Json& root) : root_(root) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(int64_t value) override { return Put(value); }
  bool number_unsigned(uint64_t value) override { return Put(value); }
  bool number_float(double, const std::string& digits) override {
    return Put(Json::binary({digits.begin(), digits.end()}));
  }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Json* Place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool Put(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json value) {
    if (open_.size() >= kDepthMax) return false;
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Json*> open_;  // the last one's address is stable while it is open
  std::string key_;
};

std::string Digits(const Json& number) {
  const auto& bytes = number.get_binary();
  return {bytes.begin(), bytes.end()};
}

// Compact JSON of a value of the tree. At most kDepthMax levels deep.
void AppendCompact(const Json& value, std::string& out) {
  if (value.is_binary()) {
    out += Digits(value);
  } else if (value.is_array()) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i > 0) out += ',';
      AppendCompact(value[i], out);
    }
    out += ']';
  } else if (value.is_object()) {
    out += '{';
    bool first = true;
    for (const auto& [name, field] : value.items()) {
      if (!first) out += ',';
      first = false;
      out += Json(name).dump() + ":";
      AppendCompact(field, out);
    }
    out += '}';
  } else {
    out += value.dump();
  }
}

Cell MakeCell(const Json& value) {
  if (value.is_null()) return {"null", true};
  if (value.is_string()) return {value.get<std::string>(), false};
  Cell cell;
  AppendCompact(value, cell.text);
  return cell;
}

std::string Text(const Json& value) { return MakeCell(value).text; }

Status ReadTable(const Json& table, Answer& answer) {
  const Json& schema = table.at("dataSchema");
  for (const Json& name : schema.at("columnNames")) answer.names.push_back(Text(name));
  for (const Json& type : schema.at("columnDataTypes")) answer.types.push_back(Text(type));
  if (answer.names.size() != answer.types.size()) {
    return Status::InvalidArgument("the answer names {} columns and {} types", answer.names.size(),
                                   answer.types.size());
  }
  for (const Json& row : table.at("rows")) {
    if (!row.is_array() || row.size() != answer.names.size()) {
      return Status::InvalidArgument("row {} of the answer has not {} values", answer.rows.size(),
                                     answer.names.size());
    }
    std::vector<Cell>& cells = answer.rows.emplace_back();
    cells.reserve(row.size());
    for (const Json& value : row) cells.push_back(MakeCell(value));
  }
  answer.has_table = true;
  return Status::Ok();
}

Result<Answer> ReadAnswer(const Json& json) {
  Answer answer;
  if (const auto table = json.find("resultTable"); table != json.end() && !table->is_null()) {
    TRELLIS_RETURN_IF_ERROR(ReadTable(*table, answer));
  }
  for (const Json& fault : json.at("exceptions")) {
    answer.faults.push_back(
        fmt::format("error {}: {}", Text(fault.at("errorCode")), Text(fault.at("message"))));
  }
  answer.time_used_ms = json.value("timeUsedMs", int64_t{0});
  answer.partial = json.value("partialResult", false);
  return answer;
}

}  // namespace

Result<Answer> ParseAnswer(std::string_view body) {
  try {
    Json json;
    TreeBuilder builder(json);
    if (!Json::sax_parse(body.begin(), body.end(), &builder) || !json.is_object()) {
      return Status::InvalidArgument("the broker's answer is no JSON object");
    }
    return ReadAnswer(json);
  } catch (const nlohmann::json::exception& thrown) {
    return Status::InvalidArgument("the broker's answer is not of Pinot's form: {}", thrown.what());
  }
}

}  // namespace trellis::cli
