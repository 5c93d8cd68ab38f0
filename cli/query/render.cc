#include "cli/query/render.h"

#include <algorithm>

namespace trellis::cli {
namespace {

std::string ShowControls(const std::string& text) {
  std::string shown;
  for (char c : text) {
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    } else {
      shown += c;
    }
  }
  return shown;
}

// Columns of a terminal, one a code point.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool IsNumber(const std::string& type) {
  return type == "INT" || type == "LONG" || type == "FLOAT" || type == "DOUBLE" ||
         type == "BIG_DECIMAL";
}

void AppendLine(const std::vector<std::string>& cells, const std::vector<size_t>& widths,
                const std::vector<bool>& right, std::string& out) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += " | ";
    const std::string blanks(widths[i] - WidthOf(cells[i]), ' ');
    const bool last = i + 1 == cells.size();
    out += right[i] ? blanks + cells[i] : cells[i] + (last ? "" : blanks);
  }
  out += '\n';
}

std::string CsvField(const Cell& cell) {
  if (cell.is_null) return "";
  if (!cell.text.empty() && cell.text.find_first_of(",\"\r\n") == std::string::npos)
    return cell.text;
  std::string quoted = "\"";
  for (char c : cell.text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string RenderTable(const Answer& answer) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& name : answer.names) lines[0].push_back(ShowControls(name));
  for (const std::vector<Cell>& row : answer.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(ShowControls(cell.text));
  }
  std::vector<size_t> widths(answer.names.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], WidthOf(line[i]));
  }
  std::vector<bool> right;
  for (const std::string& type : answer.types) right.push_back(IsNumber(type));
  std::string out;
  AppendLine(lines[0], widths, right, out);
  for (size_t i = 0; i < widths.size(); ++i)
    out += (i > 0 ? "-+-" : "") + std::string(widths[i], '-');
  out += '\n';
  for (size_t row = 1; row < lines.size(); ++row) AppendLine(lines[row], widths, right, out);
  return out;
}

std::string RenderCsv(const Answer& answer) {
  std::string out;
  for (size_t i = 0; i < answer.names.size(); ++i) {
    out += (i > 0 ? "," : "") + CsvField({answer.names[i], false});
  }
  out += '\n';
  for (const std::vector<Cell>& row : answer.rows) {
    for (size_t i = 0; i < row.size(); ++i) out += (i > 0 ? "," : "") + CsvField(row[i]);
    out += '\n';
  }
  return out;
}

}  // namespace trellis::cli
