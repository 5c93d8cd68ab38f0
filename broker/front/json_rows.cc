#include "broker/front/json_rows.h"

#include <charconv>
#include <cmath>

#include "broker/front/json_text.h"
#include "common/types/big_decimal.h"
#include "common/types/java_text.h"
#include "common/types/timestamp_text.h"

namespace trellis::broker {
namespace {

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  out += text;
  out += '"';
}

template <class T>
void AppendInteger(T value, std::string& out) {
  char digits[24];
  const auto [end, fault] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

void AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) return AppendQuoted(JavaDoubleText(value), out);
  out += JavaDoubleText(value);
}

void AppendFloat(float value, std::string& out) {
  if (!std::isfinite(value)) return AppendQuoted(JavaFloatText(value), out);
  out += JavaFloatText(value);
}

void AppendBigDecimal(std::string_view bytes, std::string& out) {
  const Result<BigDecimal> decimal = BigDecimal::FromBytes(bytes);
  AppendQuoted(decimal.ok() ? decimal->ToPlainText() : HexText(bytes), out);
}

void AppendUuid(std::string_view bytes, std::string& out) {
  std::string text = HexText(bytes);
  if (bytes.size() == 16) {
    for (const size_t dash : {8, 13, 18, 23}) text.insert(dash, 1, '-');
  }
  AppendQuoted(text, out);
}

void AppendMap(std::string_view json, std::string& out) {
  if (json.empty()) {
    out += "{}";
  } else if (json.front() == '{' && json.back() == '}') {
    out += json;
  } else {
    AppendJsonString(json, out);
  }
}

// Writes one flat value of a column.
using AppendValue = void (*)(const ColumnVector& column, size_t flat, std::string& out);

template <class T, auto kAppend>
void AppendFlat(const ColumnVector& column, size_t flat, std::string& out) {
  kAppend(column.values<T>()[flat], out);
}

AppendValue AppenderOf(DataType type) {
  using Text = std::string_view;
  switch (type) {
    case DataType::kInt:
      return AppendFlat<int32_t, AppendInteger<int32_t>>;
    case DataType::kLong:
      return AppendFlat<int64_t, AppendInteger<int64_t>>;
    case DataType::kFloat:
      return AppendFlat<float, AppendFloat>;
    case DataType::kDouble:
      return AppendFlat<double, AppendDouble>;
    case DataType::kBigDecimal:
      return AppendFlat<Text, AppendBigDecimal>;
    case DataType::kBoolean:
      return AppendFlat<int32_t,
                        [](int32_t v, std::string& out) { out += v != 0 ? "true" : "false"; }>;
    case DataType::kTimestamp:
      return AppendFlat<int64_t,
                        [](int64_t v, std::string& out) { AppendQuoted(TimestampText(v), out); }>;
    case DataType::kString:
    case DataType::kJson:
      return AppendFlat<Text, AppendJsonString>;
    case DataType::kBytes:
      return AppendFlat<Text, [](Text v, std::string& out) { AppendQuoted(HexText(v), out); }>;
    case DataType::kUuid:
      return AppendFlat<Text, AppendUuid>;
    case DataType::kMap:
    case DataType::kOpenStruct:
      return AppendFlat<Text, AppendMap>;
    case DataType::kUnknown:
      break;
  }
  return [](const ColumnVector&, size_t, std::string& out) { out += "null"; };
}

// Writes the cells of one column, row by row.
class CellWriter {
 public:
  CellWriter(const ColumnVector& column, ValueType type, bool null_handling)
      : column_(column),
        append_(AppenderOf(type.type)),
        multi_value_(column.is_multi_value()),
        nulls_(null_handling && column.has_nulls()),
        stride_(column.is_constant() ? 0 : 1) {}

  void Append(size_t row, std::string& out) const {
    if (nulls_ && column_.is_null(row)) {
      out += "null";
    } else if (!multi_value_) {
      append_(column_, row * stride_, out);
    } else {
      AppendArray(row, out);
    }
  }

 private:
  void AppendArray(size_t row, std::string& out) const {
    const auto& offsets = column_.offsets();
    out += '[';
    for (size_t flat = offsets[row]; flat < offsets[row + 1]; ++flat) {
      if (flat > offsets[row]) out += ',';
      append_(column_, flat, out);
    }
    out += ']';
  }

  const ColumnVector& column_;
  AppendValue append_;
  bool multi_value_;
  bool nulls_;
  size_t stride_;
};

}  // namespace

void AppendResultTableJson(const ResultTable& table, bool null_handling, std::string& out) {
  TRELLIS_CHECK(table.names.size() == table.types.size());
  TRELLIS_CHECK(table.rows.rows == 0 || table.rows.columns.size() == table.types.size());
  out += R"({"dataSchema":{"columnNames":[)";
  for (size_t i = 0; i < table.names.size(); ++i) {
    if (i > 0) out += ',';
    AppendJsonString(table.names[i], out);
  }
  out += R"(],"columnDataTypes":[)";
  for (size_t i = 0; i < table.types.size(); ++i) {
    if (i > 0) out += ',';
    AppendQuoted(ValueTypeName(table.types[i]), out);
  }
  out += R"(]},"rows":[)";
  std::vector<CellWriter> cells;
  for (size_t i = 0; i < table.rows.columns.size() && table.rows.rows > 0; ++i) {
    const ColumnVector& column = table.rows.columns[i];
    TRELLIS_CHECK(table.types[i].type == DataType::kUnknown ||
                  column.physical() == PhysicalOf(table.types[i].type));
    cells.emplace_back(column, table.types[i], null_handling);
  }
  for (size_t row = 0; row < table.rows.rows; ++row) {
    out += row == 0 ? "[" : ",[";
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      cells[i].Append(row, out);
    }
    out += ']';
  }
  out += "]}";
}

}  // namespace trellis::broker
