#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/column/map_frame.h"
#include "common/ingest/jackson_text.h"
#include "common/types/schema.h"
#include "common/vector/column_vector.h"

namespace trellis::ingest {

// Gives the cells of one column their type, as Pinot's ingestion does, and lays them into a vector,
// a row at a time: StartRow, any number of Add calls (each is one value; a single-value column
// keeps the last), FinishRow. A row without a value is null over the field's default. Not
// thread-safe.
//
// Each Add returns what is wrong with the value ("is no INT"), or nothing; texts must be UTF-8 and
// need not outlive the call.
class CellWriter {
 public:
  explicit CellWriter(const FieldSpec& field);

  // Empties `vector`, which the next rows go to, and gives it the column's type.
  void StartBatch(ColumnVector* vector, size_t rows_expected);
  // Declares the rows to the vector.
  void FinishBatch();
  void StartRow();
  void FinishRow();

  // A JSON number of that kind.
  std::string_view AddNumber(std::string_view token, NumberKind kind);
  // Text: of a JSON string, or of a CSV field.
  std::string_view AddText(std::string_view text);
  std::string_view AddFlag(bool flag);
  // A JSON object or list, as its text.
  std::string_view AddNested(std::string_view json);

  const FieldSpec& field() const { return *field_; }

 private:
  // How the digits of a number were written decides Java's road to a float.
  template <class T>
  std::string_view AddFloating(T value);
  std::string_view AddInteger(int64_t value);
  std::string_view AddDecimal(std::string_view text);
  std::string_view AddBytes(std::string_view bytes);
  // A text of a STRING or JSON column: cut at its first NUL and at the greatest length.
  std::string_view AddCharacters(std::string_view text);
  std::string_view AddJsonText(std::string_view json, const JsonForm& form);
  std::string_view AddMap(std::string_view json);
  // Stores one value of the column's physical type.
  template <class T>
  std::string_view Store(T value);

  const FieldSpec* field_;
  std::string no_such_;  // "is no INT"
  ColumnVector* vector_ = nullptr;
  size_t rows_ = 0;
  std::vector<uint32_t> null_rows_;
  bool present_ = false;
  int64_t integer_ = 0;
  double floating_ = 0;
  std::string_view bytes_;
  std::string scratch_;
  std::vector<JsonMember> members_;
  column::MapFrameWriter frame_;
};

}  // namespace trellis::ingest
