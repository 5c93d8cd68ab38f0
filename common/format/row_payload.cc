#include "common/format/row_payload.h"

#include <algorithm>

namespace trellis::format {

Result<ByteView> FixedRowValues(ByteView row, uint32_t width, RowCount count) {
  if (count == RowCount::kImplied) {
    if (row.size() % width != 0)
      return Status::Corrupt("row of {} bytes of {}-byte values", row.size(), width);
    return row;
  }
  if (row.size() < 4) return Status::Corrupt("row of {} bytes has no number of values", row.size());
  const uint64_t values = LoadBigEndian<uint32_t>(row.data());
  if (values * width != row.size() - 4) {
    return Status::Corrupt("row of {} bytes says {} values of {} bytes", row.size(), values, width);
  }
  return row.subspan(4);
}

Result<VariableRow> VariableRow::Open(ByteView row) {
  if (row.size() < 4) return Status::Corrupt("row of {} bytes has no number of values", row.size());
  const uint64_t size = LoadBigEndian<uint32_t>(row.data());
  if (size > (row.size() - 4) / 4) {
    return Status::Corrupt("row of {} bytes says {} values", row.size(), size);
  }
  uint64_t end = 4 + size * 4;
  for (uint64_t i = 0; i < size; ++i) {
    const uint64_t length = LoadBigEndian<uint32_t>(row.data() + 4 + i * 4);
    if (length > row.size() - end) {
      return Status::Corrupt("value {} of a row of {} bytes has {} bytes at {}", i, row.size(),
                             length, end);
    }
    end += length;
  }
  if (end != row.size())
    return Status::Corrupt("{} bytes follow the values of a row", row.size() - end);
  return VariableRow(row, static_cast<uint32_t>(size));
}

ByteView VariableRow::Next() {
  const uint32_t length = LoadBigEndian<uint32_t>(row_.data() + 4 + size_t{next_++} * 4);
  const ByteView rest = row_.subspan(at_);
  // Another length than Open saw, if the row was written over since: then the rest of the row.
  const ByteView value = rest.first(std::min<size_t>(length, rest.size()));
  at_ += value.size();
  return value;
}

}  // namespace trellis::format
