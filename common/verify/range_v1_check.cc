#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "common/bitmap/roaring_bitmap.h"
#include "common/verify/range_check.h"

namespace trellis::verify {
namespace {

// Numbers of any type as integers of the same order; floating ones by their bits, in Java's total
// order: -0.0 below 0.0 (format notes 3.2), NaN above all.
int64_t OrderOf(int32_t value) { return value; }
int64_t OrderOf(int64_t value) { return value; }
int64_t OrderOf(double value) {
  if (std::isnan(value)) return std::numeric_limits<int64_t>::max();
  const auto bits = std::bit_cast<int64_t>(value);
  return bits >= 0 ? bits : ~(bits & std::numeric_limits<int64_t>::max());
}
int64_t OrderOf(float value) { return OrderOf(static_cast<double>(value)); }

int64_t LoadOrder(const uint8_t* at, Physical physical) {
  return WithPhysical(physical, [&](auto tag) -> int64_t {
    using T = decltype(tag);
    if constexpr (std::is_arithmetic_v<T>) return OrderOf(LoadBigEndian<T>(at));
    return 0;
  });
}

class V1Check final : public RangeCheck {
 public:
  V1Check(Physical physical, FaultLog log) : physical_(physical), log_(std::move(log)) {}

  // Reads the rest of the index, from behind the type's name. False after a fault.
  bool Open(ByteView bytes, uint64_t at, uint32_t document_count);

  void Take(const RowBatch& batch) override {
    for (uint32_t row = 0; row < batch.rows; ++row) {
      ranges_of_row_.clear();
      for (size_t i = batch.begin(row); i < batch.begin(row + 1); ++i) TakeValue(batch, row, i);
      std::sort(ranges_of_row_.begin(), ranges_of_row_.end());
      const auto end = std::unique(ranges_of_row_.begin(), ranges_of_row_.end());
      for (auto range = ranges_of_row_.begin(); range != end; ++range) ++rows_seen_[*range];
    }
  }

  void Finish() override {
    for (size_t i = 0; i < bitmaps_.size(); ++i) {
      const uint64_t found = bitmaps_[i].cardinality();
      if (found > rows_seen_[i])
        log_.Fault(offsets_[i], fmt::format("the {} rows of range {}", rows_seen_[i], i),
                   fmt::format("{} rows", found));
    }
  }

 private:
  void TakeValue(const RowBatch& batch, uint32_t row, size_t position) {
    const int64_t value =
        batch.ids.empty() ? WithPhysical(physical_,
                                         [&](auto tag) -> int64_t {
                                           using T = decltype(tag);
                                           if constexpr (std::is_arithmetic_v<T>)
                                             return OrderOf(batch.values->values<T>()[position]);
                                           return 0;
                                         })
                          : batch.ids[position];
    const uint64_t doc = uint64_t{batch.first_doc} + row;
    if (value < starts_.front() || value > starts_.back())
      return log_.Fault(starts_at_, fmt::format("ranges that hold the value of row {}", doc),
                        "none that does");
    const auto above = std::upper_bound(starts_.begin(), starts_.end() - 1, value);
    const size_t range = static_cast<size_t>(above - starts_.begin()) - 1;
    if (!bitmaps_[range].contains(static_cast<uint32_t>(doc)))
      return log_.Fault(offsets_[range], fmt::format("row {} in range {}", doc, range),
                        "it is not");
    ranges_of_row_.push_back(range);
  }

  Physical physical_;
  FaultLog log_;
  uint64_t starts_at_ = 0;
  std::vector<int64_t> starts_;  // of each range, then the end of the last
  std::vector<uint64_t> offsets_;
  std::vector<Roaring> bitmaps_;
  std::vector<uint64_t> rows_seen_;
  std::vector<size_t> ranges_of_row_;
};

bool V1Check::Open(ByteView bytes, uint64_t at, uint32_t document_count) {
  const auto fail = [&](uint64_t offset, std::string expected, std::string found) {
    log_.Fault(offset, std::move(expected), std::move(found));
    return false;
  };
  const uint64_t width = physical_ == Physical::kInt32 || physical_ == Physical::kFloat ? 4 : 8;
  const uint64_t left = bytes.size() - at;
  const int64_t count = left < 4 ? -1 : LoadBigEndian<int32_t>(bytes.data() + at);
  if (count <= 0 || (static_cast<uint64_t>(count) + 1) * (width + 8) > left - 4)
    return fail(at, fmt::format("a number of ranges that fits {} bytes", left),
                std::to_string(count));
  const uint64_t ranges = static_cast<uint64_t>(count);
  starts_at_ = at + 4;
  for (uint64_t i = 0; i <= ranges; ++i) {
    starts_.push_back(LoadOrder(bytes.data() + starts_at_ + i * width, physical_));
    if (i > 0 && starts_[i] < starts_[i - 1])
      return fail(starts_at_ + i * width, "ascending range starts", "one below the last");
  }
  const uint64_t table = starts_at_ + (ranges + 1) * width;
  uint64_t start = LoadBigEndian<uint64_t>(bytes.data() + table);
  if (start != table + (ranges + 1) * 8)
    return fail(table, fmt::format("first offset {}", table + (ranges + 1) * 8),
                std::to_string(start));
  for (uint64_t i = 0; i < ranges; ++i) {
    const uint64_t end_at = table + (i + 1) * 8;
    const uint64_t end = LoadBigEndian<uint64_t>(bytes.data() + end_at);
    if (end < start || end > bytes.size() || (i + 1 == ranges && end != bytes.size()))
      return fail(end_at, fmt::format("an offset from {} to {}", start, bytes.size()),
                  std::to_string(end));
    auto bitmap = bitmap::ReadRoaring(bytes.subspan(start, end - start), document_count);
    if (!bitmap.ok()) return fail(start, fmt::format("bitmap {}", i), bitmap.status().message());
    offsets_.push_back(start);
    bitmaps_.push_back(std::move(*bitmap));
    start = end;
  }
  rows_seen_.resize(ranges);
  return true;
}

}  // namespace

std::unique_ptr<RangeCheck> OpenRangeCheckV1(ByteView bytes, const RangeShape& shape,
                                             FaultLog log) {
  const auto fail = [&](uint64_t offset, std::string expected, std::string found) {
    log.Fault(offset, std::move(expected), std::move(found));
    return nullptr;
  };
  const int64_t size = bytes.size() < 8 ? -1 : LoadBigEndian<int32_t>(bytes.data() + 4);
  if (size < 0 || static_cast<uint64_t>(size) > bytes.size() - 8)
    return fail(4, "the length of a type's name", std::to_string(size));
  const std::string_view name = AsText(bytes.subspan(8, static_cast<size_t>(size)));
  const Physical physical = shape.has_dictionary ? Physical::kInt32 : PhysicalOf(shape.type);
  constexpr std::string_view kNames[] = {"INT", "LONG", "FLOAT", "DOUBLE"};
  if (physical == Physical::kBytes || name != kNames[static_cast<size_t>(physical)])
    return fail(8,
                physical == Physical::kBytes ? "a column of numbers"
                                             : std::string(kNames[static_cast<size_t>(physical)]),
                fmt::format("'{}'", name.substr(0, 40)));
  auto check = std::make_unique<V1Check>(physical, log);
  if (!check->Open(bytes, 8 + static_cast<uint64_t>(size), shape.document_count)) return nullptr;
  return check;
}

}  // namespace trellis::verify
