#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "common/base/bits.h"
#include "common/bitmap/block_bitmap.h"
#include "common/index/range_index_versions.h"

// Version 2 (format notes 7.3): big-endian i32 2, i64 minimum; then, all little-endian:
//
//   u16 0xF00D, u8 base 2, u8 s slices, u16 b blocks of 65,536 rows, u32 rows
//   b masks of ceil(s / 8) bytes: which slices a block has
//   for each block, each slice it has: u8 kind, u16 count, and
//     bitmap: 8 KiB    run: count x (u16 start, u16 length-1)    array: count x u16
//
// Slice j holds the rows whose number has a 0 at bit j; a slice that is not there holds none.

namespace trellis::index {
namespace {

using bitmap::BlockBits;
using bitmap::kBlockValues;

constexpr size_t kFrontSizeBytes = 12;  // version and minimum
constexpr size_t kHeaderSizeBytes = 10;
constexpr uint16_t kCookie = 0xF00D;
constexpr int kSlicesMax = 64;
constexpr size_t kBitsSizeBytes = sizeof(BlockBits);

enum Kind : uint8_t { kBitmap = 0, kRun = 1, kArray = 2 };

struct Slice {
  uint8_t kind = kArray;  // an empty array where the block has no such slice
  uint32_t count = 0;
  ByteView data;
};

// The end of run `i`, exclusive; at most 65,536 + 65,535.
uint32_t RunStart(const Slice& slice, uint32_t i) {
  return LoadLittleEndian<uint16_t>(slice.data.data() + size_t{i} * 4);
}
uint32_t RunEnd(const Slice& slice, uint32_t i) {
  return RunStart(slice, i) + LoadLittleEndian<uint16_t>(slice.data.data() + size_t{i} * 4 + 2) + 1;
}

void SetRange(uint32_t start, uint32_t end, BlockBits& bits) {
  end = std::min(end, kBlockValues);
  if (start >= end) return;
  const uint32_t first = start / 64, last = (end - 1) / 64;
  const uint64_t from = ~uint64_t{0} << (start % 64);
  const uint64_t to = ~uint64_t{0} >> (63 - (end - 1) % 64);
  if (first == last) {
    bits[first] |= from & to;
    return;
  }
  bits[first] |= from;
  std::fill(bits.begin() + first + 1, bits.begin() + last, ~uint64_t{0});
  bits[last] |= to;
}

// Writes the rows of a run or array slice as bits.
void Spread(const Slice& slice, BlockBits& bits) {
  bits.fill(0);
  if (slice.kind == kRun) {
    for (uint32_t i = 0; i < slice.count; ++i) SetRange(RunStart(slice, i), RunEnd(slice, i), bits);
    return;
  }
  for (uint32_t i = 0; i < slice.count; ++i) {
    const auto row = LoadLittleEndian<uint16_t>(slice.data.data() + size_t{i} * 2);
    bits[row / 64] |= uint64_t{1} << (row % 64);
  }
}

// Folds `rows & slice`, `rows | slice` or `rows & ~slice` into `rows`; `spread` is scratch.
enum class Fold { kAnd, kOr, kAndNot };
template <Fold fold>
void Apply(const Slice& slice, BlockBits& rows, BlockBits& spread) {
  if (slice.count == 0 && slice.kind != kBitmap) {
    if (fold == Fold::kAnd) rows.fill(0);
    return;
  }
  const uint8_t* words = slice.data.data();
  if (slice.kind != kBitmap) {
    Spread(slice, spread);
    words = reinterpret_cast<const uint8_t*>(spread.data());
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto word = LoadLittleEndian<uint64_t>(words + i * 8);
    if constexpr (fold == Fold::kAnd) rows[i] &= word;
    if constexpr (fold == Fold::kOr) rows[i] |= word;
    if constexpr (fold == Fold::kAndNot) rows[i] &= ~word;
  }
}

// Walks the blocks, one after another: where a block's slices lie is known from those before only.
class BlockWalk {
 public:
  BlockWalk(ByteView masks, ByteView containers, int slices, uint32_t rows)
      : masks_(masks), reader_(containers), slices_(slices), rows_(rows) {}

  uint32_t block() const { return block_ - 1; }
  // Rows of the current block.
  uint32_t row_count() const { return std::min(kBlockValues, rows_ - block() * kBlockValues); }
  bool at_end() const { return uint64_t{block_} * kBlockValues >= rows_; }
  const ByteReader& reader() const { return reader_; }

  // Moves to the next block and finds its slices. REQUIRES: not at_end().
  Status Next(std::vector<Slice>& slices) {
    const size_t mask_size = (static_cast<size_t>(slices_) + 7) / 8;
    const uint8_t* mask = masks_.data() + block_ * mask_size;
    ++block_;
    slices.assign(static_cast<size_t>(slices_), Slice());
    for (size_t j = 0; j < slices.size(); ++j) {
      if ((mask[j / 8] >> (j % 8) & 1) == 0) continue;
      const Status status = ReadSlice(slices[j]);
      if (!status.ok()) return status.WithContext(fmt::format("slice {} of block {}", j, block()));
    }
    return {};
  }

 private:
  Status ReadSlice(Slice& slice) {
    TRELLIS_ASSIGN_OR_RETURN(slice.kind, reader_.ReadLittleEndian<uint8_t>());
    TRELLIS_ASSIGN_OR_RETURN(slice.count, reader_.ReadLittleEndian<uint16_t>());
    if (slice.kind > kArray) return Status::Corrupt("container of kind {}", slice.kind);
    const size_t size = slice.kind == kBitmap ? kBitsSizeBytes
                        : slice.kind == kRun  ? size_t{slice.count} * 4
                                              : size_t{slice.count} * 2;
    TRELLIS_ASSIGN_OR_RETURN(slice.data, reader_.ReadBytes(size));
    return {};
  }

  ByteView masks_;
  ByteReader reader_;
  int slices_;
  uint32_t rows_;
  uint32_t block_ = 0;  // the next one
};

// Numbers from `low` to `high`, both within the bits the slices hold.
struct KeyRange {
  uint64_t low;
  uint64_t high;
};

// Rows whose number is one of a range, a block at a time.
class Selection {
 public:
  Selection(KeyRange range, uint64_t key_max)
      : range_(range), equal_(range.low == range.high), key_max_(key_max) {}

  void Run(const std::vector<Slice>& slices, uint32_t block, uint32_t row_count) {
    rows_.fill(~uint64_t{0});
    if (equal_) {
      for (size_t j = 0; j < slices.size(); ++j) {
        if (range_.low >> j & 1) {
          Apply<Fold::kAndNot>(slices[j], rows_, spread_);
        } else {
          Apply<Fold::kAnd>(slices[j], rows_, spread_);
        }
      }
    } else {
      if (range_.high < key_max_) AtMost(range_.high, slices, rows_);
      if (range_.low > 0) {
        AtMost(range_.low - 1, slices, below_);
        for (size_t i = 0; i < rows_.size(); ++i) rows_[i] &= ~below_[i];
      }
    }
    ClearFrom(row_count);
    builder_.Append(static_cast<uint16_t>(block), rows_);
  }
  Roaring Finish() { return builder_.Finish(); }

 private:
  void AtMost(uint64_t limit, const std::vector<Slice>& slices, BlockBits& rows) {
    rows.fill(~uint64_t{0});
    // While all rows are in, a set bit of the limit changes nothing.
    for (size_t j = static_cast<size_t>(std::countr_one(limit)); j < slices.size(); ++j) {
      if (limit >> j & 1) {
        Apply<Fold::kOr>(slices[j], rows, spread_);
      } else {
        Apply<Fold::kAnd>(slices[j], rows, spread_);
      }
    }
  }
  void ClearFrom(uint32_t row_count) {
    if (row_count == kBlockValues) return;
    rows_[row_count / 64] &= (uint64_t{1} << (row_count % 64)) - 1;
    std::fill(rows_.begin() + row_count / 64 + 1, rows_.end(), 0);
  }

  KeyRange range_;
  bool equal_;
  uint64_t key_max_;
  BlockBits rows_;
  BlockBits below_;
  BlockBits spread_;
  bitmap::BlockBitmapBuilder builder_;
};

Status CheckSlice(const Slice& slice, uint32_t row_count) {
  uint32_t next = 0;  // the lowest row that may follow
  uint32_t cardinality = slice.count;
  if (slice.kind == kArray) {
    for (uint32_t i = 0; i < slice.count; ++i) {
      const uint32_t row = LoadLittleEndian<uint16_t>(slice.data.data() + size_t{i} * 2);
      if (row < next) return Status::Corrupt("row {} after row {}", row, next - 1);
      next = row + 1;
    }
  } else if (slice.kind == kRun) {
    for (uint32_t i = 0; i < slice.count; ++i) {
      if (RunStart(slice, i) < next)
        return Status::Corrupt("a run from row {} after row {}", RunStart(slice, i), next - 1);
      next = RunEnd(slice, i);
    }
  } else {
    cardinality = 0;
    for (uint32_t i = 0; i < kBlockValues / 64; ++i) {
      const auto word = LoadLittleEndian<uint64_t>(slice.data.data() + size_t{i} * 8);
      cardinality += static_cast<uint32_t>(std::popcount(word));
      if (word != 0) next = i * 64 + 64 - static_cast<uint32_t>(std::countl_zero(word));
    }
    if (cardinality % kBlockValues != slice.count) {
      return Status::Corrupt("bitmap of {} rows, its header says {}", cardinality, slice.count);
    }
  }
  if (next > row_count) return Status::Corrupt("row {} of {}", next - 1, row_count);
  return {};
}

class BitSlicedRangeIndex final : public RangeIndex {
 public:
  BitSlicedRangeIndex(const RangeIndexShape& shape, int64_t minimum, int slices, ByteView masks,
                      ByteView containers)
      : RangeIndex(shape),
        minimum_(minimum),
        slices_(slices),
        key_max_(slices == kSlicesMax ? ~uint64_t{0} : (uint64_t{1} << slices) - 1),
        masks_(masks),
        containers_(containers) {}

  int version() const override { return kBitSlicedVersion; }

  Result<RangeAnswer> DictIds(uint32_t first, uint32_t last) const override {
    TRELLIS_CHECK(shape_.has_dictionary);
    return Select(KeyRange{first, last}, false);
  }

  Result<RangeAnswer> Values(const ValueRange& range) const override {
    TRELLIS_CHECK(!shape_.has_dictionary);
    switch (PhysicalOf(shape_.type)) {
      case Physical::kInt32:
        return Select(IntegerKeys<int32_t>(range), false);
      case Physical::kInt64:
        return Select(IntegerKeys<int64_t>(range), false);
      case Physical::kFloat:
        return Select(FloatingKeys<float>(range), true);
      case Physical::kDouble:
        return Select(FloatingKeys<double>(range), true);
      case Physical::kBytes:
        break;
    }
    return Status::Internal("range index over {}", DataTypeName(shape_.type));
  }

  uint64_t KeyOf(uint32_t dict_id) const override { return dict_id; }
  uint64_t KeyOf(const Value& value) const override {
    switch (PhysicalOf(shape_.type)) {
      case Physical::kInt32:
        return Difference(value.int32());
      case Physical::kInt64:
        return Difference(value.int64());
      case Physical::kFloat:
        return OrderedBits(value.float32());
      case Physical::kDouble:
        return OrderedBits(value.float64());
      case Physical::kBytes:
        break;
    }
    return 0;
  }

  Status Check() const override {
    BlockWalk walk = Walk();
    std::vector<Slice> slices;
    while (!walk.at_end()) {
      TRELLIS_RETURN_IF_ERROR(walk.Next(slices));
      for (size_t j = 0; j < slices.size(); ++j) {
        const Status status = CheckSlice(slices[j], walk.row_count());
        if (!status.ok())
          return status.WithContext(fmt::format("slice {} of block {}", j, walk.block()));
      }
    }
    if (walk.reader().at_end()) return {};
    return Status::Corrupt("{} bytes follow the last slice", walk.reader().remaining());
  }

  Status Visit(const std::function<Status(const Entry&)>& visit) const override {
    BlockWalk walk = Walk();
    std::vector<Slice> slices;
    std::vector<uint64_t> keys;
    const auto rows = std::make_unique<BlockBits>();
    while (!walk.at_end()) {
      TRELLIS_RETURN_IF_ERROR(walk.Next(slices));
      keys.assign(kBlockValues, key_max_);
      for (size_t j = 0; j < slices.size(); ++j) {
        rows->fill(0);
        const auto spread = std::make_unique<BlockBits>();
        Apply<Fold::kOr>(slices[j], *rows, *spread);
        for (uint32_t i = 0; i < rows->size(); ++i) {
          for (uint64_t word = (*rows)[i]; word != 0; word &= word - 1)
            keys[i * 64 + static_cast<uint32_t>(std::countr_zero(word))] &= ~(uint64_t{1} << j);
        }
      }
      for (uint32_t row = 0; row < walk.row_count(); ++row) {
        TRELLIS_RETURN_IF_ERROR(visit({walk.block() * kBlockValues + row, keys[row], keys[row]}));
      }
    }
    return {};
  }

 private:
  uint64_t Difference(int64_t value) const {
    return static_cast<uint64_t>(value) - static_cast<uint64_t>(minimum_);
  }

  template <class T>
  std::optional<KeyRange> IntegerKeys(const ValueRange& range) const {
    const auto closed = CloseRange<T>(range);
    if (!closed || closed->high < minimum_) return std::nullopt;
    return KeyRange{closed->low <= minimum_ ? 0 : Difference(closed->low),
                    Difference(closed->high)};
  }

  template <class T>
  static std::optional<KeyRange> FloatingKeys(const ValueRange& range) {
    using Bits = decltype(OrderedBits(T{}));
    KeyRange keys{0, ~Bits{0}};
    if (range.lower) {
      const T bound = PayloadAs<T>(*range.lower);
      if (std::isnan(bound)) return std::nullopt;
      keys.low = OrderedBits(bound);
      if (!range.lower_inclusive && keys.low++ == keys.high) return std::nullopt;
    }
    if (range.upper) {
      const T bound = PayloadAs<T>(*range.upper);
      if (std::isnan(bound)) return std::nullopt;
      keys.high = OrderedBits(bound);
      if (!range.upper_inclusive && keys.high-- == 0) return std::nullopt;
    }
    if (keys.low > keys.high) return std::nullopt;
    return keys;
  }

  BlockWalk Walk() const { return {masks_, containers_, slices_, shape_.document_count}; }

  // `floating`: key 0 is both -Infinity and NaN.
  Result<RangeAnswer> Select(std::optional<KeyRange> range, bool floating) const {
    RangeAnswer answer;
    if (!range || range->low > key_max_ || range->low > range->high) return answer;
    range->high = std::min(range->high, key_max_);
    std::unique_ptr<Selection> certain, possible;
    if (floating && range->low == 0) {
      possible = std::make_unique<Selection>(KeyRange{0, 0}, key_max_);
      range->low = 1;
    }
    if (range->low <= range->high) certain = std::make_unique<Selection>(*range, key_max_);
    BlockWalk walk = Walk();
    std::vector<Slice> slices;
    while (!walk.at_end()) {
      TRELLIS_RETURN_IF_ERROR(walk.Next(slices));
      if (certain) certain->Run(slices, walk.block(), walk.row_count());
      if (possible) possible->Run(slices, walk.block(), walk.row_count());
    }
    if (certain) answer.certain = certain->Finish();
    if (possible) answer.possible = possible->Finish();
    return answer;
  }

  int64_t minimum_;
  int slices_;
  uint64_t key_max_;  // all slices' bits
  ByteView masks_;
  ByteView containers_;
};

}  // namespace

Result<std::unique_ptr<RangeIndex>> OpenBitSlicedRangeIndex(ByteView payload,
                                                            const RangeIndexShape& shape) {
  if (shape.multi_value)
    return Status::Unimplemented("range index of version 2 over a multi-value column");
  if (payload.size() < kFrontSizeBytes + kHeaderSizeBytes)
    return Status::Corrupt("range index of {} bytes", payload.size());
  const auto minimum = LoadBigEndian<int64_t>(payload.data() + 4);
  const uint8_t* header = payload.data() + kFrontSizeBytes;
  const auto cookie = LoadLittleEndian<uint16_t>(header);
  const uint8_t base = header[2];
  const uint8_t slices = header[3];
  const auto blocks = LoadLittleEndian<uint16_t>(header + 4);
  const auto rows = LoadLittleEndian<uint32_t>(header + 6);
  if (cookie != kCookie || base != 2 || slices == 0 || slices > kSlicesMax) {
    return Status::Corrupt("range bitmap with cookie {:#x}, base {} and {} slices", cookie, base,
                           slices);
  }
  if (rows != shape.document_count || blocks != CeilDivide(rows, kBlockValues)) {
    return Status::Corrupt("range bitmap of {} rows in {} blocks, the segment has {} documents",
                           rows, blocks, shape.document_count);
  }
  const bool from_zero = shape.has_dictionary || PhysicalOf(shape.type) == Physical::kFloat ||
                         PhysicalOf(shape.type) == Physical::kDouble;
  if (from_zero && minimum != 0)
    return Status::Corrupt("range index counts from {}, expected 0", minimum);
  const ByteView rest = payload.subspan(kFrontSizeBytes + kHeaderSizeBytes);
  const size_t masks_size = size_t{blocks} * CeilDivide(slices, 8);
  if (rest.size() < masks_size) {
    return Status::Corrupt("range bitmap of {} bytes, its masks alone take {}", rest.size(),
                           masks_size);
  }
  return std::unique_ptr<RangeIndex>(std::make_unique<BitSlicedRangeIndex>(
      shape, minimum, slices, rest.first(masks_size), rest.subspan(masks_size)));
}

}  // namespace trellis::index
