#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/base/bytes.h"
#include "common/vector/column_vector.h"

namespace trellis::aggregate {

// Composite states travel as BYTES, little-endian, in the form each family's file gives. A null row
// is the state of a group that nothing was added to, whatever the function.

// Appends the raw little-endian bytes of `value`.
template <class T>
void AppendLittleEndian(T value, std::string& out) {
  static_assert(std::is_trivially_copyable_v<T>);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Appends a u32 length and the bytes.
inline void AppendSized(std::string_view bytes, std::string& out) {
  AppendLittleEndian(static_cast<uint32_t>(bytes.size()), out);
  out.append(bytes);
}

// Reads what AppendSized wrote. Errors: Corrupt when it runs past the end.
inline Result<std::string_view> ReadSized(ByteReader& reader) {
  TRELLIS_ASSIGN_OR_RETURN(const uint32_t size, reader.ReadLittleEndian<uint32_t>());
  TRELLIS_ASSIGN_OR_RETURN(const ByteView bytes, reader.ReadBytes(size));
  return AsText(bytes);
}

// Appends one row of BYTES to `out`, copying the bytes into its arena.
inline void AppendBytesRow(std::string_view bytes, ColumnVector& out) {
  out.values<std::string_view>().push_back(out.arena().Copy(bytes));
  out.SetSize(out.size() + 1);
  if (out.has_nulls()) out.mutable_nulls().push_back(0);
}

// Appends one row of a fixed-width column.
template <class T>
void AppendRow(T value, ColumnVector& out) {
  out.values<T>().push_back(value);
  out.SetSize(out.size() + 1);
  if (out.has_nulls()) out.mutable_nulls().push_back(0);
}

// Errors: Corrupt when an exported state column has not the type or length that Merge needs.
inline Status CheckStates(const ColumnVector& states, DataType type,
                          std::span<const uint32_t> groups) {
  if (states.type() != type || states.is_multi_value()) {
    return Status::Corrupt("aggregation states are {}, not {}", ValueTypeName(states.value_type()),
                           DataTypeName(type));
  }
  if (states.size() != groups.size()) {
    return Status::Corrupt("{} aggregation states for {} groups", states.size(), groups.size());
  }
  return {};
}

}  // namespace trellis::aggregate
