#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"
#include "common/vector/column_vector.h"

namespace trellis::column {

// What objects and lists are where they are read as STRING: Java's toString, or their JSON text.
enum class NestedText : uint8_t { kJava, kJson };

// Reads JSON texts as the values of one type into the rows of one vector: format notes 6.4.
// Numbers without an exponent are parsed where they lie; strings are views unless they hold an
// escape. Not thread-safe. What it is made with must outlive it.
class JsonTextReader {
 public:
  // `key` is what errors name. Where a row has no value it gets the type's default for dimensions,
  // and a null over it if `missing_is_null`. REQUIRES: `out` is single-value and has its rows.
  JsonTextReader(std::string_view key, NestedText nested, bool missing_is_null, ColumnVector& out);

  // Reads texts[i * stride] into row first + i for i < count; one with a null data() is no value.
  // Rows that are null in `out` keep the default. Errors: Query(200) for values that cannot be read
  // as the type; `failed` receives the i of the first.
  Status Read(const std::string_view* texts, size_t stride, size_t first, size_t count,
              size_t& failed);

 private:
  template <class T>
  Status ReadRows(const std::string_view* texts, size_t stride, size_t first, size_t count,
                  size_t& failed);
  template <class T>
  Result<bool> ReadSlowly(std::string_view json, T& to);
  template <class T>
  bool ReadFast(std::string_view json, T& to) const;
  Result<bool> ReadBytes(std::string_view text, bool temporary, std::string_view& to);
  Status Unreadable(std::string_view text) const;

  std::string_view key_;
  NestedText nested_;
  bool missing_is_null_;
  DataType type_;
  bool is_text_;
  ColumnVector& out_;
  Value missing_;
  std::string storage_;  // of the text that was made last
};

}  // namespace trellis::column
