#include "common/ingest/csv_row_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

namespace trellis::ingest {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

Result<std::unique_ptr<RowReader>> CsvRowReader::Create(std::string name,
                                                        std::unique_ptr<InputWindow> window,
                                                        const Schema& schema,
                                                        const RowReaderOptions& options) {
  const char delimiter = options.csv_delimiter;
  if (delimiter == options.csv_multi_value_delimiter || delimiter == '"' || delimiter == '\n' ||
      options.csv_multi_value_delimiter == '"') {
    return Status::InvalidArgument("csv: '{}' cannot separate fields and '{}' values", delimiter,
                                   options.csv_multi_value_delimiter);
  }
  std::unique_ptr<CsvRowReader> reader(
      new CsvRowReader(std::move(name), std::move(window), schema, options));
  TRELLIS_RETURN_IF_ERROR(reader->ReadHeader());
  return std::unique_ptr<RowReader>(std::move(reader));
}

Status CsvRowReader::ReadHeader() {
  while (window_->unread().size() < kByteOrderMark.size() && !window_->at_end())
    TRELLIS_RETURN_IF_ERROR(window_->Fill());
  if (window_->unread().starts_with(kByteOrderMark)) window_->Consume(kByteOrderMark.size());
  RowOutcome outcome = RowOutcome::kNothing;
  while (outcome == RowOutcome::kNothing) {
    TRELLIS_ASSIGN_OR_RETURN(outcome, TakeRecord());
  }
  if (outcome != RowOutcome::kRow)
    return Status::InvalidArgument("{}: no header line with the columns' names", name_);
  for (const Field& field : fields_) {
    const std::string_view column = Plain(field);
    if (column.find('\r') != column.npos) {
      return Status::InvalidArgument(
          "{}: '{}' in the header holds a carriage return: lines that "
          "end in it alone are not read",
          name_, ShownValue(column));
    }
    const int cell = FindCell(column);
    if (cell < 0) NoteUnknown(column);
    if (cell >= 0 &&
        std::find(cell_of_field_.begin(), cell_of_field_.end(), cell) != cell_of_field_.end()) {
      return Status::InvalidArgument("{}: column '{}' is in the header twice", name_,
                                     ShownValue(column));
    }
    cell_of_field_.push_back(cell);
  }
  // Nothing but defaults would be read: other delimiters, or the file of another table.
  if (std::all_of(cell_of_field_.begin(), cell_of_field_.end(), [](int c) { return c < 0; })) {
    return Status::InvalidArgument(
        "{}: the header, split at '{}', has no column of the schema; it begins with '{}'", name_,
        options_.csv_delimiter == '\t' ? std::string("tab")
                                       : std::string(1, options_.csv_delimiter),
        ShownValue(Plain(fields_.front())));
  }
  return {};
}

bool CsvRowReader::ScanQuoted(std::string_view text, bool whole, size_t& at, Field& field) {
  const size_t begin = ++at;
  while (true) {
    const size_t quote = text.find('"', at);
    if (quote == text.npos) {
      open_quote_ = whole;
      at = text.size();
      return false;
    }
    if (quote + 1 == text.size() && !whole) return false;
    if (quote + 1 < text.size() && text[quote + 1] == '"') {
      field.doubled_quotes = true;
      at = quote + 2;
      continue;
    }
    field.text = text.substr(begin, quote - begin);
    record_lines_ += static_cast<uint64_t>(std::count(field.text.begin(), field.text.end(), '\n'));
    at = quote + 1;
    return true;
  }
}

CsvRowReader::Scan CsvRowReader::ScanRecord(std::string_view text, bool whole) {
  const char delimiter = options_.csv_delimiter;
  fields_.clear();
  record_lines_ = 0;
  open_quote_ = false;
  bool text_behind_quotes = false;
  size_t at = 0;
  while (true) {
    Field field;
    while (at < text.size() && IsBlank(text[at]) && text[at] != delimiter) ++at;
    if (at < text.size() && text[at] == '"') {
      if (!ScanQuoted(text, whole, at, field)) {
        if (!whole) return Scan::kMore;
        record_bytes_ = text.size();
        return Scan::kBroken;
      }
      const size_t behind = at;
      while (at < text.size() && text[at] != delimiter && text[at] != '\n') ++at;
      for (size_t i = behind; i < at; ++i) text_behind_quotes |= !IsBlank(text[i]);
    } else {
      const size_t begin = at;
      while (at < text.size() && text[at] != delimiter && text[at] != '\n') ++at;
      size_t end = at;
      while (end > begin && IsBlank(text[end - 1])) --end;
      field.text = text.substr(begin, end - begin);
    }
    if (at == text.size() && !whole) return Scan::kMore;
    fields_.push_back(field);
    if (at < text.size() && text[at] == delimiter) {
      ++at;
      continue;
    }
    record_lines_ += at < text.size() ? 1 : 0;
    record_bytes_ = std::min(at + 1, text.size());
    return text_behind_quotes ? Scan::kBroken : Scan::kRecord;
  }
}

Result<ReaderCore::RowOutcome> CsvRowReader::TakeRecord() {
  window_->Consume(record_bytes_);
  consumed_bytes_ += record_bytes_;
  record_bytes_ = 0;
  while (true) {
    const std::string_view unread = window_->unread();
    if (unread.empty() && window_->at_end()) return RowOutcome::kEnd;
    const Scan scan = unread.empty() ? Scan::kMore : ScanRecord(unread, window_->at_end());
    if (scan != Scan::kMore) {
      line_ = lines_ + 1;
      lines_ += record_lines_;
      if (scan == Scan::kRecord) break;
      // All that follows was taken into the field: it cannot be left out as one row.
      if (open_quote_) {
        return Status::InvalidArgument(
            "{}:{}: a field's quotes are not closed before the end of the input", name_, line_);
      }
      SetFault("", "", "has a field whose quotes are not closed, or text behind them");
      return RowOutcome::kFault;
    }
    if (unread.size() > options_.line_bytes_max) {
      // What a record without an end holds is not known: none of it is read.
      line_ = lines_ + 1;
      SetFault("", "",
               "a record of more than " + std::to_string(options_.line_bytes_max) +
                   " bytes: quotes that are not closed?");
      const size_t end = unread.find('\n');
      record_bytes_ = end == unread.npos ? unread.size() : end + 1;
      lines_ += end == unread.npos ? 0 : 1;
      return RowOutcome::kFault;
    }
    TRELLIS_RETURN_IF_ERROR(window_->Fill());
  }
  if (fields_.size() == 1 && fields_[0].text.empty()) return RowOutcome::kNothing;
  const std::string_view record = window_->unread().substr(0, record_bytes_);
  if (!simdjson::validate_utf8(record.data(), record.size())) {
    SetFault("", "", "is no UTF-8");
    return RowOutcome::kFault;
  }
  return RowOutcome::kRow;
}

std::string_view CsvRowReader::Plain(const Field& field) {
  if (!field.doubled_quotes) return field.text;
  plain_.clear();
  for (size_t i = 0; i < field.text.size(); ++i) {
    plain_ += field.text[i];
    if (field.text[i] == '"') ++i;
  }
  return plain_;
}

bool CsvRowReader::ReadCell(std::string_view text, int cell) {
  CellWriter& writer = cells_[static_cast<size_t>(cell)];
  if (text.empty()) return true;
  if (!writer.field().multi_value) {
    const std::string_view what = writer.AddText(text);
    if (!what.empty()) SetFault(cell, text, what);
    return what.empty();
  }
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(options_.csv_multi_value_delimiter, at), text.size());
    const std::string_view value = text.substr(at, end - at);
    at = end + 1;
    if (value.empty()) continue;
    const std::string_view what = writer.AddText(value);
    if (what.empty()) continue;
    SetFault(cell, value, what);
    return false;
  }
  return true;
}

Result<ReaderCore::RowOutcome> CsvRowReader::ReadRow() {
  TRELLIS_ASSIGN_OR_RETURN(const RowOutcome outcome, TakeRecord());
  if (outcome != RowOutcome::kRow) return outcome;
  if (fields_.size() != cell_of_field_.size()) {
    SetFault("", "",
             "has " + std::to_string(fields_.size()) + " fields, the header " +
                 std::to_string(cell_of_field_.size()));
    return RowOutcome::kFault;
  }
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (cell_of_field_[i] >= 0 && !ReadCell(Plain(fields_[i]), cell_of_field_[i]))
      return RowOutcome::kFault;
  }
  return RowOutcome::kRow;
}

}  // namespace trellis::ingest
