#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/types/value.h"

namespace trellis {

enum class FieldRole : uint8_t { kDimension, kMetric, kDateTime, kComplex };

// What becomes of a text that is longer than its column's `max_length` (Pinot's
// `maxLengthExceedStrategy`).
enum class LengthExceed : uint8_t {
  kUnsaid,
  kError,
  kTrimLength,
  kSubstituteDefaultValue,
  kNoAction
};

// A key of an OPEN_STRUCT whose type is known.
struct StructKey {
  std::string name;
  DataType type = DataType::kString;
  bool operator==(const StructKey&) const = default;
};

// One column of a table: what a query may know without opening a segment.
struct FieldSpec {
  std::string name;
  DataType type = DataType::kUnknown;
  bool multi_value = false;
  FieldRole role = FieldRole::kDimension;
  Value default_null;                           // typed as `type`
  DataType map_value_type = DataType::kString;  // of a MAP's `value` child
  std::vector<StructKey> struct_keys;           // of an OPEN_STRUCT; other keys are STRING
  std::string datetime_format;                  // "1:MILLISECONDS:EPOCH", empty unless kDateTime
  std::string datetime_granularity;
  bool legacy_time = false;  // of a `timeFieldSpec`: segments call such a column TIME
  int32_t max_length = 0;  // of texts and bytes, in UTF-16 units; 0: not said, Pinot takes 512
  LengthExceed length_exceed = LengthExceed::kUnsaid;

  ValueType value_type() const { return {type, multi_value}; }
  // The type that `key` of this MAP or OPEN_STRUCT is read as.
  DataType KeyType(std::string_view key) const;
};

// A table's columns. Immutable once built; names are matched without case, answered as spelled
// here.
class Schema {
 public:
  Schema() = default;
  Schema(std::string name, std::vector<FieldSpec> fields);

  const std::string& name() const { return name_; }
  // Sorted by name in Java's String order, as `SELECT *` lists them.
  const std::vector<FieldSpec>& fields() const { return fields_; }
  // Returns the field of that name: an exact match first, then one that differs only in case.
  const FieldSpec* Find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  std::string name_;
  std::vector<FieldSpec> fields_;
};

}  // namespace trellis
