#include "common/raw_writer/stored_row.h"

#include "common/format/byte_swap.h"

namespace trellis::raw_writer {
namespace {

constexpr size_t kCountBytes = 4;
constexpr size_t kLengthBytes = 4;

// The flat values of one row.
struct Range {
  size_t first;
  size_t count;
};

Range RangeOf(const ColumnVector& values, size_t row) {
  const size_t at = values.is_constant() ? 0 : row;
  if (!values.is_multi_value()) return {at, 1};
  return {values.offsets()[at], values.offsets()[at + 1] - values.offsets()[at]};
}

size_t WidthOf(Physical physical) {
  return physical == Physical::kInt32 || physical == Physical::kFloat ? 4 : 8;
}

ByteView FixedRow(const ColumnVector& values, Range range, bool rows_carry_count,
                  std::vector<uint8_t>& scratch) {
  const size_t width = WidthOf(values.physical()), head = rows_carry_count ? kCountBytes : 0;
  scratch.resize(head + range.count * width);
  if (rows_carry_count) StoreBigEndian(static_cast<uint32_t>(range.count), scratch.data());
  if (range.count == 0) return scratch;
  WithPhysical(values.physical(), [&](auto tag) {
    using T = decltype(tag);
    if constexpr (!std::is_same_v<T, std::string_view>) {
      const T* from = values.values<T>().data() + range.first;
      for (size_t i = 0; i < range.count; ++i)
        StoreBigEndian(from[i], scratch.data() + head + i * width);
    }
  });
  return scratch;
}

ByteView VariableRow(const ColumnVector& values, Range range, std::vector<uint8_t>& scratch) {
  const std::string_view* from = values.values<std::string_view>().data() + range.first;
  size_t at = kCountBytes + range.count * kLengthBytes, size = at;
  for (size_t i = 0; i < range.count; ++i) size += from[i].size();
  scratch.resize(size);
  StoreBigEndian(static_cast<uint32_t>(range.count), scratch.data());
  for (size_t i = 0; i < range.count; ++i) {
    StoreBigEndian(static_cast<uint32_t>(from[i].size()),
                   scratch.data() + kCountBytes + i * kLengthBytes);
    if (!from[i].empty()) std::memcpy(scratch.data() + at, from[i].data(), from[i].size());
    at += from[i].size();
  }
  return scratch;
}

}  // namespace

uint64_t StoredRowBytes(const ColumnVector& values, size_t row, bool rows_carry_count) {
  const Range range = RangeOf(values, row);
  if (values.physical() != Physical::kBytes) {
    return (rows_carry_count ? kCountBytes : 0) + range.count * WidthOf(values.physical());
  }
  const auto& flat = values.values<std::string_view>();
  if (!values.is_multi_value()) return flat[range.first].size();
  uint64_t size = kCountBytes + range.count * kLengthBytes;
  for (size_t i = 0; i < range.count; ++i) size += flat[range.first + i].size();
  return size;
}

ByteView StoredRow(const ColumnVector& values, size_t row, bool rows_carry_count,
                   std::vector<uint8_t>& scratch) {
  const Range range = RangeOf(values, row);
  if (values.physical() != Physical::kBytes)
    return FixedRow(values, range, rows_carry_count, scratch);
  if (!values.is_multi_value()) return AsBytes(values.values<std::string_view>()[range.first]);
  return VariableRow(values, range, scratch);
}

}  // namespace trellis::raw_writer
