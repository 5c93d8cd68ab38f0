#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trellis {

// Pinot's logical column types (pinot-segment-format.md section 3.1). Numbers travel on the wire:
// keep them.
enum class DataType : uint8_t {
  kUnknown = 0,  // the type of a NULL literal
  kInt = 1,
  kLong = 2,
  kFloat = 3,
  kDouble = 4,
  kBigDecimal = 5,
  kBoolean = 6,    // stored as INT 0/1
  kTimestamp = 7,  // stored as LONG, epoch milliseconds
  kString = 8,
  kJson = 9,  // stored as STRING
  kBytes = 10,
  kUuid = 11,  // stored as BYTES, 16 of them
  kMap = 12,   // stored as a MAP frame (format notes section 6.2)
  kOpenStruct = 13,
};

// How values of a type lie in memory: in column vectors and in C++.
enum class Physical : uint8_t {
  kInt32,   // INT, BOOLEAN
  kInt64,   // LONG, TIMESTAMP
  kFloat,   // FLOAT
  kDouble,  // DOUBLE
  kBytes,   // STRING, JSON (UTF-8); BYTES, UUID; BIG_DECIMAL (format notes 3.5); MAP frame
};

Physical PhysicalOf(DataType type);
// "INT", "BIG_DECIMAL": Pinot's spelling in schemas and in `columnDataTypes`.
std::string_view DataTypeName(DataType type);
// Accepts Pinot's spelling in upper case; nullopt for anything else.
std::optional<DataType> ParseDataType(std::string_view name);

// INT LONG FLOAT DOUBLE BIG_DECIMAL: what arithmetic takes.
bool IsNumeric(DataType type);
// STRING, JSON.
bool IsText(DataType type);
// MAP, OPEN_STRUCT: rows are MAP frames, `c['key']` reads one entry.
bool IsMapLike(DataType type);

// The type of a column or of an expression's result.
struct ValueType {
  DataType type = DataType::kUnknown;
  bool multi_value = false;
  bool operator==(const ValueType&) const = default;
};
// "INT", or "INT_ARRAY" when multi-value.
std::string ValueTypeName(ValueType type);

}  // namespace trellis
