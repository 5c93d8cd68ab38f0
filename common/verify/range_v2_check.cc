#include <algorithm>
#include <bit>
#include <cmath>

#include "common/verify/range_check.h"

namespace trellis::verify {
namespace {

constexpr uint64_t kBitmapStart = 12;      // behind version and minimum
constexpr uint64_t kHeaderSizeBytes = 10;  // of the RangeBitmap
constexpr uint64_t kBlockRows = 65536;
constexpr uint64_t kBitsetSizeBytes = 8192;

// The key a value is stored as (format notes 7.3): floating values in an unsigned order.
template <class Bits, class T>
uint64_t OrderedBits(T value) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  if (std::isnan(value) || (std::isinf(value) && value < 0)) return 0;
  if (std::isinf(value)) return std::numeric_limits<Bits>::max();
  if (value == 0) return kSign;
  const Bits bits = std::bit_cast<Bits>(value);
  return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits ^ kSign);
}

uint64_t KeyOf(const RowBatch& batch, size_t position, Physical physical, int64_t min) {
  if (!batch.ids.empty()) return batch.ids[position];
  switch (physical) {
    case Physical::kInt32:
      return static_cast<uint64_t>(int64_t{batch.values->values<int32_t>()[position]}) -
             static_cast<uint64_t>(min);
    case Physical::kInt64:
      return static_cast<uint64_t>(batch.values->values<int64_t>()[position]) -
             static_cast<uint64_t>(min);
    case Physical::kFloat:
      return OrderedBits<uint32_t>(batch.values->values<float>()[position]);
    default:
      return OrderedBits<uint64_t>(batch.values->values<double>()[position]);
  }
}

class V2Check final : public RangeCheck {
 public:
  V2Check(ByteView bytes, Physical physical, FaultLog log)
      : bytes_(bytes), physical_(physical), log_(std::move(log)) {}

  bool Open(const RangeShape& shape);
  void Take(const RowBatch& batch) override;
  void Finish() override {
    if (!broken_ && at_ != bytes_.size())
      log_.Fault(at_, "the end of the last block and of the index",
                 fmt::format("{} more bytes", bytes_.size() - at_));
  }

 private:
  bool ReadBlock(uint32_t block, uint64_t rows);
  bool ReadSlice(uint32_t block, uint64_t rows, uint64_t bit);
  bool Fail(uint64_t offset, std::string expected, std::string found) {
    log_.Fault(offset, std::move(expected), std::move(found));
    broken_ = true;
    return false;
  }

  ByteView bytes_;
  Physical physical_;
  FaultLog log_;
  int64_t min_ = 0;
  uint64_t slices_ = 0;
  uint64_t mask_size_bytes_ = 0;
  uint64_t document_count_ = 0;
  uint64_t at_ = 0;
  uint64_t block_at_ = 0;
  bool broken_ = false;
  std::vector<uint64_t> keys_;  // of the rows of one block
};

bool V2Check::Open(const RangeShape& shape) {
  const uint8_t* head = bytes_.data() + kBitmapStart;
  if (bytes_.size() < kBitmapStart + kHeaderSizeBytes)
    return Fail(0, "a header of 22 bytes", fmt::format("{} bytes", bytes_.size()));
  document_count_ = shape.document_count;
  min_ = LoadBigEndian<int64_t>(bytes_.data() + 4);
  const uint16_t cookie = LoadLittleEndian<uint16_t>(head);
  if (cookie != 0xF00D || head[2] != 2)
    return Fail(kBitmapStart, "cookie f00d and base 2",
                fmt::format("{:04x} and {}", cookie, head[2]));
  slices_ = head[3];
  if (slices_ < 1 || slices_ > 64)
    return Fail(kBitmapStart + 3, "1 to 64 slices", std::to_string(slices_));
  const uint64_t blocks = LoadLittleEndian<uint16_t>(head + 4);
  const uint64_t rows = LoadLittleEndian<uint32_t>(head + 6);
  const uint64_t wanted = (uint64_t{shape.document_count} + kBlockRows - 1) / kBlockRows;
  if (rows != shape.document_count)
    return Fail(kBitmapStart + 6, fmt::format("{} rows", shape.document_count),
                std::to_string(rows));
  if (blocks != wanted)
    return Fail(kBitmapStart + 4, fmt::format("{} blocks", wanted), std::to_string(blocks));
  mask_size_bytes_ = (slices_ + 7) / 8;
  at_ = kBitmapStart + kHeaderSizeBytes + blocks * mask_size_bytes_;
  if (at_ > bytes_.size())
    return Fail(kBitmapStart + kHeaderSizeBytes, fmt::format("masks of {} blocks", blocks),
                fmt::format("the end at {}", bytes_.size()));
  return true;
}

bool V2Check::ReadBlock(uint32_t block, uint64_t rows) {
  const uint64_t all = slices_ == 64 ? ~uint64_t{0} : (uint64_t{1} << slices_) - 1;
  keys_.assign(rows, all);
  const uint64_t mask_at = kBitmapStart + kHeaderSizeBytes + block * mask_size_bytes_;
  uint64_t mask = 0;
  for (uint64_t i = 0; i < mask_size_bytes_; ++i) mask |= uint64_t{bytes_[mask_at + i]} << (8 * i);
  if ((mask & ~all) != 0)
    return Fail(mask_at, fmt::format("a mask of {} slices", slices_), fmt::format("{:x}", mask));
  for (uint64_t bit = 0; bit < slices_; ++bit) {
    if ((mask >> bit & 1) != 0 && !ReadSlice(block, rows, bit)) return false;
  }
  return true;
}

// Takes the bit from the keys of the rows that the slice holds.
bool V2Check::ReadSlice(uint32_t block, uint64_t rows, uint64_t bit) {
  const uint64_t start = at_;
  const auto fail = [&](std::string expected, std::string found) {
    return Fail(start, fmt::format("slice {} of block {}: {}", bit, block, expected),
                std::move(found));
  };
  if (bytes_.size() - at_ < 3) return fail("a container", "the end");
  const int kind = bytes_[at_];
  const uint64_t count = LoadLittleEndian<uint16_t>(bytes_.data() + at_ + 1);
  at_ += 3;
  const uint64_t size = kind == 0 ? kBitsetSizeBytes : kind == 1 ? count * 4 : count * 2;
  if (kind > 2 || bytes_.size() - at_ < size)
    return fail(fmt::format("a container of kind 0 to 2 within {} bytes", bytes_.size() - at_),
                fmt::format("kind {}, {} bytes", kind, size));
  const ByteView data = bytes_.subspan(at_, size);
  at_ += size;
  const uint64_t cleared = ~(uint64_t{1} << bit);
  uint64_t next = 0;  // the lowest row that may follow
  uint64_t found = 0;
  const auto clear = [&](uint64_t first, uint64_t last) {
    if (first < next || last >= rows) return false;
    for (uint64_t row = first; row <= last; ++row) keys_[row] &= cleared;
    next = last + 1;
    found += last - first + 1;
    return true;
  };
  bool good = true;
  if (kind == 0) {
    for (uint64_t byte = 0; byte < size && good; ++byte) {
      for (unsigned bits = data[byte]; bits != 0 && good; bits &= bits - 1) {
        const uint64_t row = byte * 8 + static_cast<uint64_t>(std::countr_zero(bits));
        good = clear(row, row);
      }
    }
    good = good && (found & 0xFFFF) == count;
  }
  for (uint64_t i = 0; kind != 0 && i < count && good; ++i) {
    const uint64_t first = LoadLittleEndian<uint16_t>(data.data() + i * (kind == 1 ? 4 : 2));
    const uint64_t more = kind == 1 ? LoadLittleEndian<uint16_t>(data.data() + i * 4 + 2) : 0;
    good = clear(first, first + more);
  }
  if (!good)
    return fail(fmt::format("ascending rows below {}, as many as counted", rows),
                "rows out of order, out of range or of another number");
  return true;
}

void V2Check::Take(const RowBatch& batch) {
  for (uint32_t row = 0; row < batch.rows && !broken_; ++row) {
    const uint64_t doc = uint64_t{batch.first_doc} + row;
    if (doc % kBlockRows == 0) {
      block_at_ = at_;
      const uint64_t rows = std::min(kBlockRows, document_count_ - doc);
      if (!ReadBlock(static_cast<uint32_t>(doc / kBlockRows), rows)) return;
    }
    const uint64_t key = KeyOf(batch, row, physical_, min_);
    const uint64_t found = keys_[doc % kBlockRows];
    if (key != found)
      log_.Fault(block_at_, fmt::format("key {} of row {}", key, doc), std::to_string(found));
  }
}

}  // namespace

std::unique_ptr<RangeCheck> OpenRangeCheckV2(ByteView bytes, const RangeShape& shape,
                                             FaultLog log) {
  const Physical physical = PhysicalOf(shape.type);
  if (shape.multi_value || (!shape.has_dictionary && physical == Physical::kBytes)) {
    log.Fault(0, "version 1 for this column, or a single-value column of numbers", "version 2");
    return nullptr;
  }
  auto check = std::make_unique<V2Check>(bytes, physical, std::move(log));
  if (!check->Open(shape)) return nullptr;
  return check;
}

}  // namespace trellis::verify
