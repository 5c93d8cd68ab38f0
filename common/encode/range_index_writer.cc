#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <string>

#include "common/base/bits.h"
#include "common/base/bytes.h"
#include "common/bitmap/block_bitmap.h"
#include "common/encode/index_writers.h"

// The layout is described at common/index/bit_sliced_range_index.cc. Which kind of container a
// slice becomes follows Pinot's library, which collects the lowest five slices as runs, the others
// as bits, and looks for something smaller when a block is full: runs may become an array or bits,
// bits may become runs only.

namespace trellis::encode {
namespace {

using bitmap::BlockBits;
using bitmap::kBlockValues;

constexpr int32_t kVersion = 2;
constexpr uint16_t kCookie = 0xF00D;
constexpr uint8_t kBase = 2;
constexpr size_t kMasksOffset = 22;  // behind version, minimum and header
constexpr size_t kBitSlices = 5;
constexpr uint32_t kArrayCardinalityMax = 4096;
constexpr uint64_t kSizeBytesMax = std::numeric_limits<int32_t>::max();
enum Kind : uint8_t { kBitmap = 0, kRun = 1, kArray = 2 };

// Turns 64 numbers into 64 words: bit i of word j is bit j of number i.
void Transpose(std::array<uint64_t, 64>& words) {
  uint64_t mask = 0x00000000FFFFFFFF;
  for (size_t half = 32; half > 0; half /= 2, mask ^= mask << half) {
    for (size_t i = 0; i < 64; i = (i + half + 1) & ~half) {
      const uint64_t moved = ((words[i] >> half) ^ words[i + half]) & mask;
      words[i] ^= moved << half;
      words[i + half] ^= moved;
    }
  }
}

uint32_t CountRuns(const BlockBits& bits) {
  uint32_t runs = 0;
  uint64_t carry = 0;  // the last bit of the word before
  for (const uint64_t word : bits) {
    runs += static_cast<uint32_t>(std::popcount(word & ~(word << 1 | carry)));
    carry = word >> 63;
  }
  return runs;
}

template <class T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));  // little-endian, as we are
}

// The position of the first bit that is `set`, from `from` on; 65,536 if there is none.
uint32_t NextBit(const BlockBits& bits, uint32_t from, bool set) {
  for (uint32_t i = from / 64; i < bits.size(); ++i) {
    uint64_t word = set ? bits[i] : ~bits[i];
    if (i == from / 64) word &= ~uint64_t{0} << (from % 64);
    if (word != 0) return i * 64 + static_cast<uint32_t>(std::countr_zero(word));
  }
  return kBlockValues;
}

void PutRuns(const BlockBits& bits, uint32_t runs, std::string& out) {
  Put(static_cast<uint8_t>(kRun), out);
  Put(static_cast<uint16_t>(runs), out);
  uint32_t end = 0;
  for (; runs > 0; --runs) {
    const uint32_t start = NextBit(bits, end, true);
    end = NextBit(bits, start, false);
    Put(static_cast<uint16_t>(start), out);
    Put(static_cast<uint16_t>(end - start - 1), out);
  }
}

void PutArray(const BlockBits& bits, uint32_t cardinality, std::string& out) {
  Put(static_cast<uint8_t>(kArray), out);
  Put(static_cast<uint16_t>(cardinality), out);
  for (uint32_t i = 0; i < bits.size(); ++i) {
    for (uint64_t word = bits[i]; word != 0; word &= word - 1) {
      Put(static_cast<uint16_t>(i * 64 + static_cast<uint32_t>(std::countr_zero(word))), out);
    }
  }
}

// Appends the container of a slice that is not empty.
void PutSlice(const BlockBits& bits, uint32_t cardinality, bool collected_as_runs,
              std::string& out) {
  const uint32_t runs = CountRuns(bits);
  const uint32_t runs_size = 2 + 4 * runs;
  if (collected_as_runs) {
    const auto array_size = 2 + 2 * cardinality;
    if (runs_size <= std::min<uint32_t>(array_size, sizeof(bits))) return PutRuns(bits, runs, out);
    if (cardinality <= kArrayCardinalityMax) return PutArray(bits, cardinality, out);
  } else if (runs_size < sizeof(bits)) {
    return PutRuns(bits, runs, out);
  }
  Put(static_cast<uint8_t>(kBitmap), out);
  Put(static_cast<uint16_t>(cardinality), out);
  out.append(reinterpret_cast<const char*>(bits.data()), sizeof(bits));
}

class BitSlicedWriter final : public RangeIndexWriter {
 public:
  BitSlicedWriter(int64_t min, uint64_t max, uint32_t documents, output::OutputFile& file)
      : min_(min),
        documents_(documents),
        file_(file),
        slices_(static_cast<size_t>(BitsFor(max))),
        masks_(CeilDivide(documents, kBlockValues) * MaskSize()) {}

  Status Append(std::span<const uint64_t> numbers) override {
    TRELLIS_RETURN_IF_ERROR(Begin());
    if (numbers.size() > documents_ - rows_) return NotMet(uint64_t{rows_} + numbers.size());
    uint64_t seen = 0;
    for (const uint64_t number : numbers) seen |= number;
    if (slices_.size() < 64 && seen >> slices_.size() != 0) {
      return Status::InvalidArgument("a number of {} bits in a range index of {}", BitsFor(seen),
                                     slices_.size());
    }
    while (!numbers.empty()) {
      const size_t held = rows_ % 64;
      const size_t count = std::min(numbers.size(), 64 - held);
      std::copy_n(numbers.begin(), count, group_.begin() + static_cast<ptrdiff_t>(held));
      rows_ += static_cast<uint32_t>(count);
      numbers = numbers.subspan(count);
      if (rows_ % 64 == 0) CloseGroup(64);
      if (rows_ % kBlockValues == 0) TRELLIS_RETURN_IF_ERROR(CloseBlock());
    }
    return {};
  }

  Status Finish() override {
    TRELLIS_RETURN_IF_ERROR(Begin());
    if (rows_ != documents_) return NotMet(rows_);
    if (rows_ % 64 != 0) CloseGroup(rows_ % 64);
    if (rows_ % kBlockValues != 0) TRELLIS_RETURN_IF_ERROR(CloseBlock());
    return file_.WriteAt(kMasksOffset, masks_);
  }

 private:
  size_t MaskSize() const { return CeilDivide(slices_.size(), 8); }

  // Writes all that comes before the containers; the masks are filled in at the end.
  Status Begin() {
    if (begun_) return {};
    begun_ = true;  // the file answers its first error again
    uint8_t front[12];
    StoreBigEndian<int32_t>(kVersion, front);
    StoreBigEndian<int64_t>(min_, front + 4);
    TRELLIS_RETURN_IF_ERROR(file_.Append(front));
    std::string header;
    Put(kCookie, header);
    Put(kBase, header);
    Put(static_cast<uint8_t>(slices_.size()), header);
    Put(static_cast<uint16_t>(CeilDivide(documents_, kBlockValues)), header);
    Put(documents_, header);
    TRELLIS_RETURN_IF_ERROR(file_.Append(AsBytes(header)));
    return file_.Append(masks_);
  }

  // Adds the rows of group_ to the slices: those whose number has a 0 there.
  void CloseGroup(size_t count) {
    std::fill(group_.begin() + static_cast<ptrdiff_t>(count), group_.end(), ~uint64_t{0});
    Transpose(group_);
    const size_t word = (rows_ - 1) % kBlockValues / 64;
    for (size_t j = 0; j < slices_.size(); ++j) slices_[j][word] = ~group_[j];
  }

  Status CloseBlock() {
    containers_.clear();
    const size_t block = (rows_ - 1) / kBlockValues;
    for (size_t j = 0; j < slices_.size(); ++j) {
      BlockBits& bits = slices_[j];
      uint32_t cardinality = 0;
      for (const uint64_t word : bits) cardinality += static_cast<uint32_t>(std::popcount(word));
      if (cardinality == 0) continue;
      masks_[block * MaskSize() + j / 8] |= static_cast<uint8_t>(1 << (j % 8));
      PutSlice(bits, cardinality, j >= kBitSlices, containers_);
      bits.fill(0);
    }
    TRELLIS_RETURN_IF_ERROR(file_.Append(AsBytes(containers_)));
    if (file_.size_bytes() <= kSizeBytesMax) return {};
    return Status::ResourceExhausted("a range index of {} bytes after {} rows, it may have {}",
                                     file_.size_bytes(), rows_, kSizeBytesMax);
  }

  Status NotMet(uint64_t documents) const {
    return Status::InvalidArgument("{} documents, {} were announced", documents, documents_);
  }

  int64_t min_;
  uint32_t documents_;
  output::OutputFile& file_;
  std::vector<BlockBits> slices_;
  std::vector<uint8_t> masks_;
  std::array<uint64_t, 64> group_ = {};  // numbers of the last rows
  std::string containers_;
  uint32_t rows_ = 0;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<RangeIndexWriter> NewRangeIndexWriter(int64_t min, uint64_t max, uint32_t documents,
                                                      output::OutputFile& file) {
  return std::make_unique<BitSlicedWriter>(min, max, documents, file);
}

}  // namespace trellis::encode
