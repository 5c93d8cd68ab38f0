#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "common/base/bits.h"
#include "common/base/bytes.h"
#include "common/encode/index_writers.h"
#include "common/encode/roaring_layout.h"
#include "common/encode/sort_keys.h"

// The layout is described at common/index/bucketed_range_index.cc.

namespace trellis::encode {
namespace {

constexpr int32_t kVersion = 1;
constexpr uint64_t kRanges = 20;  // at most; values that are equal share one

using Entries = KeyedIds<uint64_t>;  // keys of values, with their documents

// Unsigned numbers in Java's order of the values, and back.
template <class T>
struct Keys {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  static constexpr Bits kTop = Bits{1} << (sizeof(Bits) * 8 - 1);

  static uint64_t Of(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
      const Bits bits = std::bit_cast<Bits>(value);
      return static_cast<Bits>((bits & kTop) != 0 ? ~bits : bits ^ kTop);
    } else {
      return static_cast<Bits>(std::bit_cast<Bits>(value) ^ kTop);
    }
  }
  static T ValueOf(uint64_t key) {
    auto bits = static_cast<Bits>(key);
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<T>(static_cast<Bits>((bits & kTop) != 0 ? bits ^ kTop : ~bits));
    } else {
      return std::bit_cast<T>(static_cast<Bits>(bits ^ kTop));
    }
  }
};

template <class T>
void Put(T value, std::string& out) {
  uint8_t bytes[sizeof(T)];
  StoreBigEndian(value, bytes);
  out.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

// Where ranges start among the sorted values: a range ends before the first value that differs from
// the one before it, past its share of the values.
std::vector<size_t> RangeStarts(const Entries& entries) {
  const size_t share = CeilDivide(entries.size(), kRanges);
  std::vector<size_t> starts = {0};
  for (size_t i = 1; i < entries.size(); ++i) {
    if (i > starts.back() + share && entries.key(i) != entries.key(i - 1)) starts.push_back(i);
  }
  return starts;
}

// Documents of the entries [first, end), ascending, each once.
void DocumentsOf(const Entries& entries, size_t first, size_t end,
                 std::vector<uint32_t>& documents) {
  documents.clear();
  for (size_t i = first; i < end; ++i) documents.push_back(entries.id(i));
  hwy::Sorter()(documents.data(), documents.size(), hwy::SortAscending());
  documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
}

template <class T>
Status Write(Entries entries, DataType type, output::OutputFile& file) {
  if (entries.size() == 0) return Status::InvalidArgument("a range index of no values");
  entries.Sort();
  std::vector<size_t> starts = RangeStarts(entries);
  const size_t ranges = starts.size();
  std::string front;
  Put(kVersion, front);
  Put(static_cast<int32_t>(DataTypeName(type).size()), front);
  front += DataTypeName(type);
  Put(static_cast<int32_t>(ranges), front);
  for (const size_t start : starts) Put(Keys<T>::ValueOf(entries.key(start)), front);
  Put(Keys<T>::ValueOf(entries.key(entries.size() - 1)), front);
  const uint64_t offsets_at = front.size();
  front.resize(front.size() + (ranges + 1) * 8);
  TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(front)));
  starts.push_back(entries.size());
  std::vector<uint32_t> documents;
  std::string offsets, bitmap;
  RoaringLayout layout;
  for (size_t range = 0; range < ranges; ++range) {
    Put(file.size_bytes(), offsets);
    DocumentsOf(entries, starts[range], starts[range + 1], documents);
    bitmap.clear();
    layout.Append(documents, RoaringLayout::Runs::kNever, bitmap);
    TRELLIS_RETURN_IF_ERROR(file.Append(AsBytes(bitmap)));
  }
  Put(file.size_bytes(), offsets);
  return file.WriteAt(offsets_at, AsBytes(offsets));
}

// The values with their rows; without `offsets` each is a row of its own.
template <class T, class Value>
Entries EntriesOf(std::span<const Value> values, std::span<const uint32_t> offsets) {
  Entries entries(offsets.empty() ? values.size() : offsets.back() - offsets.front());
  if (offsets.empty()) {
    for (uint32_t i = 0; i < values.size(); ++i)
      entries.Set(i, Keys<T>::Of(static_cast<T>(values[i])), i);
    return entries;
  }
  size_t count = 0;
  for (uint32_t row = 0; row + 1 < offsets.size(); ++row) {
    for (uint32_t i = offsets[row]; i < offsets[row + 1]; ++i)
      entries.Set(count++, Keys<T>::Of(static_cast<T>(values[i])), row);
  }
  return entries;
}

DataType StoredNumber(Physical physical) {
  switch (physical) {
    case Physical::kInt32:
      return DataType::kInt;
    case Physical::kInt64:
      return DataType::kLong;
    case Physical::kFloat:
      return DataType::kFloat;
    default:
      return DataType::kDouble;
  }
}

}  // namespace

Status WriteBucketedRangeIndex(const ColumnVector& values, output::OutputFile& file) {
  return WithPhysical(values.physical(), [&](auto tag) -> Status {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, std::string_view>) {
      return Status::InvalidArgument("a range index of {} without a dictionary",
                                     DataTypeName(values.type()));
    } else {
      return Write<T>(EntriesOf<T>(std::span<const T>(values.values<T>()), values.offsets()),
                      StoredNumber(values.physical()), file);
    }
  });
}

Status WriteBucketedRangeIndex(std::span<const uint32_t> ids, std::span<const uint32_t> offsets,
                               uint32_t cardinality, output::OutputFile& file) {
  const auto highest = std::max_element(ids.begin(), ids.end());
  if (highest != ids.end() && *highest >= cardinality)
    return Status::InvalidArgument("dictId {} of a dictionary of {}", *highest, cardinality);
  return Write<int32_t>(EntriesOf<int32_t>(ids, offsets), DataType::kInt, file);
}

}  // namespace trellis::encode
