#include "common/encode/roaring_layout.h"

#include <algorithm>

#include "common/base/check.h"

// The format is described at common/bitmap/roaring_bitmap.cc, which checks what others wrote.

namespace trellis::encode {
namespace {

constexpr uint32_t kCookieNoRuns = 12346;
constexpr uint32_t kCookieRuns = 12347;
constexpr size_t kNoOffsetsBelow = 4;  // containers, when there are runs
constexpr size_t kArrayCardinalityMax = 4096;
constexpr size_t kBitmapSizeBytes = 8192;

template <class T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));  // little-endian, as we are
}

uint32_t CountRuns(std::span<const uint32_t> values) {
  uint32_t runs = 1;
  for (size_t i = 1; i < values.size(); ++i) runs += values[i] != values[i - 1] + 1;
  return runs;
}

size_t RunsSizeBytes(uint32_t runs) { return 2 + size_t{runs} * 4; }
// Without the two bytes of its length, in Pinot's comparison too: a tie stays an array.
size_t PlainSizeBytes(size_t cardinality) {
  return cardinality > kArrayCardinalityMax ? kBitmapSizeBytes : cardinality * 2;
}

}  // namespace

void RoaringLayout::AppendContents(const Container& container, std::string& out) {
  const std::span<const uint32_t> values = container.values;
  if (container.kind == Kind::kArray) {
    for (const uint32_t value : values) Put(static_cast<uint16_t>(value), out);
    return;
  }
  if (container.kind == Kind::kBitmap) {
    words_.assign(kBitmapSizeBytes / 8, 0);
    for (const uint32_t value : values) {
      words_[(value & 0xFFFF) / 64] |= uint64_t{1} << (value % 64);
    }
    out.append(reinterpret_cast<const char*>(words_.data()), kBitmapSizeBytes);
    return;
  }
  Put(static_cast<uint16_t>(container.runs), out);
  for (size_t i = 0; i < values.size();) {
    size_t end = i + 1;
    while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
    Put(static_cast<uint16_t>(values[i]), out);
    Put(static_cast<uint16_t>(end - i - 1), out);
    i = end;
  }
}

void RoaringLayout::Append(std::span<const uint32_t> values, Runs runs, std::string& out) {
  containers_.clear();
  bool has_runs = false;
  for (size_t i = 0; i < values.size();) {
    const uint32_t key = values[i] >> 16;
    const auto end = std::partition_point(values.begin() + static_cast<ptrdiff_t>(i), values.end(),
                                          [&](uint32_t value) { return value >> 16 == key; });
    const size_t count = static_cast<size_t>(end - values.begin()) - i;
    Container container{values.subspan(i, count), 0,
                        count > kArrayCardinalityMax ? Kind::kBitmap : Kind::kArray};
    if (runs == Runs::kWhereSmaller) {
      container.runs = CountRuns(container.values);
      if (RunsSizeBytes(container.runs) < PlainSizeBytes(count)) container.kind = Kind::kRun;
    }
    has_runs |= container.kind == Kind::kRun;
    containers_.push_back(container);
    i += count;
  }
  const size_t count = containers_.size();
  const size_t start = out.size();
  if (has_runs) {
    Put(static_cast<uint32_t>(kCookieRuns | (count - 1) << 16), out);
    std::string flags((count + 7) / 8, '\0');
    for (size_t i = 0; i < count; ++i) {
      if (containers_[i].kind == Kind::kRun) flags[i / 8] |= static_cast<char>(1 << (i % 8));
    }
    out += flags;
  } else {
    Put(kCookieNoRuns, out);
    Put(static_cast<uint32_t>(count), out);
  }
  for (const Container& container : containers_) {
    Put(static_cast<uint16_t>(container.values.front() >> 16), out);
    Put(static_cast<uint16_t>(container.values.size() - 1), out);
  }
  if (!has_runs || count >= kNoOffsetsBelow) {
    size_t offset = out.size() - start + count * 4;
    for (const Container& container : containers_) {
      Put(static_cast<uint32_t>(offset), out);
      offset += container.kind == Kind::kRun ? RunsSizeBytes(container.runs)
                                             : PlainSizeBytes(container.values.size());
    }
  }
  for (const Container& container : containers_) AppendContents(container, out);
}

}  // namespace trellis::encode
