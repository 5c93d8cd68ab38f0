#include "common/ingest/json_row_reader.h"

#include <cstring>

namespace trellis::ingest {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr size_t kExpectedMax = 10'000;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

}  // namespace

Result<ReaderCore::RowOutcome> JsonRowReader::TakeLine(std::string_view& line) {
  window_->Consume(line_bytes_);
  consumed_bytes_ += line_bytes_;
  line_bytes_ = 0;
  size_t searched = 0;
  bool too_long = false;
  while (true) {
    const std::string_view unread = window_->unread();
    const size_t end = unread.find('\n', searched);
    if (end != unread.npos || window_->at_end()) {
      if (end == unread.npos && unread.empty() && !too_long) return RowOutcome::kEnd;
      line = unread.substr(0, end);
      line_bytes_ = line.size() + (end != unread.npos ? 1 : 0);
      line_ = ++lines_;
      too_long = too_long || line.size() > options_.line_bytes_max;
      break;
    }
    searched = unread.size();
    if (searched > options_.line_bytes_max) {  // its rest is stepped over, not kept
      too_long = true;
      window_->Consume(searched);
      consumed_bytes_ += searched;
      searched = 0;
    }
    TRELLIS_RETURN_IF_ERROR(window_->Fill());
  }
  if (!too_long) return RowOutcome::kRow;
  SetFault("", "", "a line of more than " + std::to_string(options_.line_bytes_max) + " bytes");
  return RowOutcome::kFault;
}

Result<ReaderCore::RowOutcome> JsonRowReader::ReadRow() {
  std::string_view line;
  TRELLIS_ASSIGN_OR_RETURN(const RowOutcome outcome, TakeLine(line));
  if (outcome != RowOutcome::kRow) return outcome;
  if (lines_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  line = TrimEnd(line);
  if (line.find_first_not_of(" \t\r") == line.npos) return RowOutcome::kNothing;
  ++row_;
  return ReadObject(line) ? RowOutcome::kRow : RowOutcome::kFault;
}

bool JsonRowReader::Fault(int cell, std::string_view value, std::string_view what) {
  if (cell < 0) {
    SetFault("", value, what);
  } else {
    SetFault(cell, value, what);
  }
  return false;
}

bool JsonRowReader::ReadObject(std::string_view line) {
  const auto broken = [&](simdjson::error_code error) {
    return Fault(-1, "",
                 error == simdjson::UTF8_ERROR
                     ? std::string("is no UTF-8")
                     : std::string("is no JSON object: ") + simdjson::error_message(error));
  };
  ondemand::document document;
  // The window keeps the padding behind what it shows.
  auto error = parser_.iterate(line.data(), line.size(), line.size() + InputWindow::kPaddingBytes)
                   .get(document);
  if (error) return broken(error);
  ondemand::object object;
  if ((error = document.get_object().get(object))) return broken(error);
  size_t place = 0;
  for (auto member : object) {
    ondemand::raw_json_string name;
    if ((error = member.key().get(name))) return broken(error);
    int cell = -1;
    if (!FindMember(name.raw(), line.data() + line.size(), place++, cell))
      return broken(simdjson::STRING_ERROR);
    Value value;
    if ((error = member.value().get(value))) return broken(error);
    if (cell < 0 ? !SkipValue(value) : !ReadValue(value, cell)) return false;
  }
  // What is behind the object: current_location has nothing to show at the end.
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return broken(simdjson::TAPE_ERROR);
  return true;
}

bool JsonRowReader::FindMember(const char* raw, const char* line_end, size_t place, int& cell) {
  if (place < expected_.size()) {
    const Expected& expected = expected_[place];
    const size_t size = expected.name.size();
    if (size > 0 && static_cast<size_t>(line_end - raw) > size && raw[size] == '"' &&
        std::memcmp(raw, expected.name.data(), size) == 0) {
      cell = expected.cell;
      return true;
    }
  }
  const char* end = raw;
  while (end < line_end && *end != '"') end += *end == '\\' ? 2 : 1;
  if (end >= line_end) return false;
  const std::string_view written(raw, static_cast<size_t>(end - raw));
  const bool plain = written.find('\\') == written.npos;
  key_.clear();
  if (!AppendUnescaped(written, key_)) return false;
  cell = FindCell(key_);
  if (cell < 0) NoteUnknown(key_);
  if (place < kExpectedMax) {
    if (place >= expected_.size()) expected_.resize(place + 1);
    expected_[place] = {plain ? std::string(written) : std::string(), cell};
  }
  return true;
}

bool JsonRowReader::ReadValue(Value value, int cell) {
  CellWriter& writer = cells_[static_cast<size_t>(cell)];
  if (row_of_cell_[static_cast<size_t>(cell)] == row_) writer.StartRow();  // a name twice
  row_of_cell_[static_cast<size_t>(cell)] = row_;
  ondemand::json_type type;
  if (value.type().get(type)) return Fault(cell, TrimEnd(value.raw_json_token()), "is no JSON");
  if (type == ondemand::json_type::array &&
      (writer.field().type != DataType::kJson || writer.field().multi_value)) {
    return ReadList(value, cell);
  }
  if (type == ondemand::json_type::array) {
    ondemand::array list;
    std::string_view json;
    if (value.get_array().get(list) || list.raw_json().get(json))
      return Fault(cell, "[", "is no JSON");
    return ReadNested(json, cell);
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    std::string_view json;
    if (value.get_object().get(object) || object.raw_json().get(json))
      return Fault(cell, "{", "is no JSON");
    return ReadNested(json, cell);
  }
  std::string_view token = TrimEnd(value.raw_json_token());
  if (token == "null") return true;
  return ReadScalar(token, cell);
}

bool JsonRowReader::ReadNested(std::string_view json, int cell) {
  const std::string_view what = cells_[static_cast<size_t>(cell)].AddNested(json);
  return what.empty() || Fault(cell, json, what);
}

bool JsonRowReader::ReadScalar(std::string_view token, int cell) {
  CellWriter& writer = cells_[static_cast<size_t>(cell)];
  std::string_view what = "is no JSON value";
  if (token.empty()) return Fault(cell, token, what);
  if (token.front() == '"') {
    if (token.size() < 2) return Fault(cell, token, what);
    const std::string_view content = token.substr(1, token.size() - 2);
    if (std::memchr(content.data(), '\\', content.size()) == nullptr) {
      if (token.back() != '"' || std::memchr(content.data(), '"', content.size()) != nullptr)
        return Fault(cell, token, what);
      what = writer.AddText(content);
      return what.empty() || Fault(cell, content, what);
    }
    size_t end = 0;
    while (end < content.size() && content[end] != '"') end += content[end] == '\\' ? 2 : 1;
    text_.clear();
    if (token.back() != '"' || end != content.size() || !AppendUnescaped(content, text_))
      return Fault(cell, token, what);
    what = writer.AddText(text_);
    return what.empty() || Fault(cell, text_, what);
  }
  if (token == "true" || token == "false") {
    what = writer.AddFlag(token == "true");
  } else if (const NumberKind kind = ClassifyNumber(token); kind != NumberKind::kNone) {
    what = writer.AddNumber(token, kind);
  }
  return what.empty() || Fault(cell, token, what);
}

bool JsonRowReader::ReadList(Value value, int cell) {
  const FieldSpec& field = cells_[static_cast<size_t>(cell)].field();
  if (IsMapLike(field.type)) return Fault(cell, "[", "is a list, expected an object");
  ondemand::array list;
  if (value.get_array().get(list)) return Fault(cell, "[", "is no JSON");
  size_t values = 0;
  for (auto element : list) {
    Value each;
    if (element.get(each)) return Fault(cell, "[", "is no JSON");
    ondemand::json_type type;
    if (each.type().get(type)) return Fault(cell, "[", "is no JSON");
    if (type == ondemand::json_type::array || type == ondemand::json_type::object)
      return Fault(cell, TrimEnd(each.raw_json_token()), "is nested in a list");
    const std::string_view token = TrimEnd(each.raw_json_token());
    if (token == "null") continue;
    if (!field.multi_value && ++values > 1)
      return Fault(cell, token, "is the second value of a single-value column");
    if (!ReadScalar(token, cell)) return false;
  }
  return true;
}

bool JsonRowReader::SkipValue(Value value) {
  ondemand::json_type type;
  std::string_view json;
  bool failed = value.type().get(type) != simdjson::SUCCESS;
  if (!failed && type == ondemand::json_type::array) {
    ondemand::array list;
    failed = value.get_array().get(list) || list.raw_json().get(json);
  } else if (!failed && type == ondemand::json_type::object) {
    ondemand::object object;
    failed = value.get_object().get(object) || object.raw_json().get(json);
  } else if (!failed) {
    json = TrimEnd(value.raw_json_token());
  }
  text_.clear();
  if (!failed && AppendJson(json, kJsonOfValue, /*whole=*/true, text_) == JsonVerdict::kOk)
    return true;
  return Fault(-1, "", "is no JSON object: a value of an unknown column is no JSON");
}

}  // namespace trellis::ingest
