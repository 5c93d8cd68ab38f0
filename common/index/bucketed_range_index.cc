#include <bit>
#include <limits>
#include <vector>

#include "common/index/range_index_versions.h"

// Version 1 (format notes 7.3), big-endian:
//
//   i32 1, i32 n, n bytes: the type's name, i32 r ranges
//   (r + 1) values: where each range starts, then the end of the last, which it includes
//   (r + 1) x i64: where each bitmap starts in the buffer, then the buffer's size
//   r roaring bitmaps
//
// Ranges [start, next start) part the sorted values, dictIds where there is a dictionary.

namespace trellis::index {
namespace {

constexpr size_t kNameSizeBytesMax = 64;

template <class T>
class BucketedRangeIndex final : public RangeIndex {
 public:
  BucketedRangeIndex(const RangeIndexShape& shape, ByteView payload, ByteView starts,
                     ByteView offsets)
      : RangeIndex(shape), payload_(payload), starts_(starts), offsets_(offsets) {}

  int version() const override { return kBucketedVersion; }

  Result<RangeAnswer> DictIds(uint32_t first, uint32_t last) const override {
    TRELLIS_CHECK(shape_.has_dictionary);
    if constexpr (std::is_same_v<T, int32_t>) {
      constexpr uint32_t kIdMax = std::numeric_limits<int32_t>::max();
      if (first > last || first > kIdMax) return RangeAnswer();
      return Select([&](size_t i) {
        return Compare(i, ClosedRange<T>{static_cast<int32_t>(first),
                                         static_cast<int32_t>(std::min(last, kIdMax))});
      });
    }
    return Status::Internal("dictIds of another type than INT");
  }

  Result<RangeAnswer> Values(const ValueRange& range) const override {
    TRELLIS_CHECK(!shape_.has_dictionary);
    if constexpr (std::is_integral_v<T>) {
      const auto closed = CloseRange<T>(range);
      if (!closed) return RangeAnswer();
      return Select([&](size_t i) { return Compare(i, *closed); });
    } else {
      if (HasNaN(range)) return RangeAnswer();
      return Select([&](size_t i) { return CompareFloating(i, range); });
    }
  }

  Status Check() const override {
    Roaring seen;
    for (size_t i = 0; i < ranges(); ++i) {
      if (KeyOfNumber(Start(i)) > KeyOfNumber(Start(i + 1)))
        return Status::Corrupt("range {} starts at {}, the next at {}", i, Start(i), Start(i + 1));
      TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, Documents(i));
      if (!shape_.multi_value && seen.intersect(documents)) {
        return Status::Corrupt("range {} holds document {}, which is in an earlier one too", i,
                               (seen & documents).minimum());
      }
      seen |= documents;
    }
    if (seen.cardinality() == shape_.document_count) return {};
    return Status::Corrupt("{} documents lie in a range, the segment has {}", seen.cardinality(),
                           shape_.document_count);
  }

  Status Visit(const std::function<Status(const Entry&)>& visit) const override {
    for (size_t i = 0; i < ranges(); ++i) {
      TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, Documents(i));
      const uint64_t low = KeyOfNumber(Start(i));
      uint64_t high = KeyOfNumber(Start(i + 1));
      if (std::is_integral_v<T> && i + 1 < ranges() && high > low) --high;
      for (const uint32_t document : documents)
        TRELLIS_RETURN_IF_ERROR(visit({document, low, high}));
    }
    return {};
  }

  uint64_t KeyOf(uint32_t dict_id) const override {
    return KeyOfNumber(static_cast<int32_t>(dict_id));
  }
  uint64_t KeyOf(const Value& value) const override { return KeyOfNumber(PayloadAs<T>(value)); }

 private:
  enum class Overlap { kNone, kSome, kAll };

  size_t ranges() const { return offsets_.size() / 8 - 1; }
  T Start(size_t i) const { return LoadBigEndian<T>(starts_.data() + i * sizeof(T)); }

  // Unsigned numbers in Java's order of the values, but for -0.0, which is 0.0 here.
  template <class N>
  static uint64_t KeyOfNumber(N number) {
    constexpr uint64_t kTop = uint64_t{1} << 63;
    if constexpr (std::is_integral_v<N>) {
      return static_cast<uint64_t>(int64_t{number}) ^ kTop;
    } else {
      if (std::isnan(number)) return ~uint64_t{0};
      const auto bits = std::bit_cast<uint64_t>(number == 0 ? 0.0 : double{number});
      return bits & kTop ? ~bits : bits ^ kTop;
    }
  }

  static bool HasNaN(const ValueRange& range) {
    return (range.lower && std::isnan(PayloadAs<T>(*range.lower))) ||
           (range.upper && std::isnan(PayloadAs<T>(*range.upper)));
  }

  Overlap Compare(size_t i, const ClosedRange<T>& wanted) const {
    const T first = Start(i);
    T last = Start(i + 1);
    if (i + 1 < ranges() && last > first) --last;
    if (first > wanted.high || last < wanted.low) return Overlap::kNone;
    return wanted.low <= first && last <= wanted.high ? Overlap::kAll : Overlap::kSome;
  }

  // The end of a range may be in it (as -0.0 before 0.0), and where an end is NaN anything may be.
  Overlap CompareFloating(size_t i, const ValueRange& wanted) const {
    const T first = Start(i);
    const T last = Start(i + 1);
    bool all = !std::isnan(first) && !std::isnan(last);
    if (wanted.lower) {
      const T bound = PayloadAs<T>(*wanted.lower);
      if (last < bound) return Overlap::kNone;
      all &= first > bound || (first == bound && wanted.lower_inclusive);
    }
    if (wanted.upper) {
      const T bound = PayloadAs<T>(*wanted.upper);
      if (first > bound) return Overlap::kNone;
      all &= last < bound || (last == bound && wanted.upper_inclusive);
    }
    return all ? Overlap::kAll : Overlap::kSome;
  }

  template <class F>
  Result<RangeAnswer> Select(F&& overlap_of) const {
    RangeAnswer answer;
    for (size_t i = 0; i < ranges(); ++i) {
      const Overlap overlap = overlap_of(i);
      if (overlap == Overlap::kNone) continue;
      TRELLIS_ASSIGN_OR_RETURN(const Roaring documents, Documents(i));
      (overlap == Overlap::kAll ? answer.certain : answer.possible) |= documents;
    }
    answer.possible -= answer.certain;
    return answer;
  }

  Result<Roaring> Documents(size_t i) const {
    const auto start = LoadBigEndian<uint64_t>(offsets_.data() + i * 8);
    const auto end = LoadBigEndian<uint64_t>(offsets_.data() + i * 8 + 8);
    if (start > end || end > payload_.size()) {
      return Status::Corrupt("bitmap of range {} lies at [{}, {}) of {} bytes", i, start, end,
                             payload_.size());
    }
    auto documents =
        bitmap::ReadRoaring(payload_.subspan(start, end - start), shape_.document_count);
    if (documents.ok()) return documents;
    return documents.status().WithContext(fmt::format("bitmap of range {} at offset {}", i, start));
  }

  ByteView payload_;
  ByteView starts_;   // ranges() + 1 values
  ByteView offsets_;  // ranges() + 1 offsets
};

template <class T>
Result<std::unique_ptr<RangeIndex>> OpenOf(ByteView payload, ByteReader& reader,
                                           const RangeIndexShape& shape) {
  TRELLIS_ASSIGN_OR_RETURN(const auto count, reader.ReadBigEndian<int32_t>());
  const uint64_t entries = uint64_t{static_cast<uint32_t>(count)} + 1;
  if (count <= 0 || entries > reader.remaining() / (sizeof(T) + 8)) {
    return Status::Corrupt("range index of {} ranges with {} bytes left at offset {}", count,
                           reader.remaining(), reader.position());
  }
  TRELLIS_ASSIGN_OR_RETURN(const ByteView starts, reader.ReadBytes(entries * sizeof(T)));
  TRELLIS_ASSIGN_OR_RETURN(const ByteView offsets, reader.ReadBytes(entries * 8));
  const auto first = LoadBigEndian<uint64_t>(offsets.data());
  const auto last = LoadBigEndian<uint64_t>(offsets.data() + (entries - 1) * 8);
  if (first != reader.position() || last != payload.size()) {
    return Status::Corrupt("range index has its bitmaps at [{}, {}), expected [{}, {})", first,
                           last, reader.position(), payload.size());
  }
  return std::unique_ptr<RangeIndex>(
      std::make_unique<BucketedRangeIndex<T>>(shape, payload, starts, offsets));
}

DataType TypeOfRanges(const RangeIndexShape& shape) {
  if (shape.has_dictionary) return DataType::kInt;
  switch (PhysicalOf(shape.type)) {
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

Result<std::unique_ptr<RangeIndex>> OpenBucketedRangeIndex(ByteView payload,
                                                           const RangeIndexShape& shape) {
  ByteReader reader(payload);
  TRELLIS_RETURN_IF_ERROR(reader.ReadBytes(sizeof(int32_t)).status());
  TRELLIS_ASSIGN_OR_RETURN(const auto name_size, reader.ReadBigEndian<uint32_t>());
  if (name_size > kNameSizeBytesMax)
    return Status::Corrupt("range index whose type's name has {} bytes", name_size);
  TRELLIS_ASSIGN_OR_RETURN(const ByteView name, reader.ReadBytes(name_size));
  const DataType expected = TypeOfRanges(shape);
  if (AsText(name) != DataTypeName(expected)) {
    return Status::Corrupt("range index over '{}', expected {}", AsText(name),
                           DataTypeName(expected));
  }
  switch (expected) {
    case DataType::kInt:
      return OpenOf<int32_t>(payload, reader, shape);
    case DataType::kLong:
      return OpenOf<int64_t>(payload, reader, shape);
    case DataType::kFloat:
      return OpenOf<float>(payload, reader, shape);
    default:
      return OpenOf<double>(payload, reader, shape);
  }
}

}  // namespace trellis::index
