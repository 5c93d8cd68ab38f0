#include "common/verify/dictionary_check.h"

#include "common/types/value_order.h"
#include "common/verify/text_check.h"

namespace trellis::verify {
namespace {

constexpr std::string_view kOffsetMagic = ".vl;";
constexpr size_t kOffsetHeaderSizeBytes = 16;

template <class T>
bool CheckNumbers(ByteView bytes, uint32_t cardinality, FaultLog& log) {
  if (bytes.size() != uint64_t{cardinality} * sizeof(T)) {
    log.Fault(0, fmt::format("{} values of {} bytes", cardinality, sizeof(T)),
              fmt::format("{} bytes", bytes.size()));
    return false;
  }
  const uint64_t before = log.fault_count();
  for (uint32_t id = 1; id < cardinality; ++id) {
    const uint64_t at = uint64_t{id} * sizeof(T);
    const T last = LoadBigEndian<T>(bytes.data() + at - sizeof(T));
    const T value = LoadBigEndian<T>(bytes.data() + at);
    if (CompareNumbers(last, value) >= 0)
      log.Fault(at, fmt::format("dictId {} above {}", id, last), fmt::format("{}", value));
  }
  return log.fault_count() == before;
}

// Checks entries one after the other.
class EntryOrder {
 public:
  EntryOrder(DataType type, bool sorted, FaultLog& log) : type_(type), sorted_(sorted), log_(log) {}
  void Take(std::string_view value, uint64_t offset) {
    if (!CheckValueBytes(type_, value, offset, log_)) return;
    if (id_ > 0 && sorted_) Compare(value, offset);
    last_ = value;
    ++id_;
  }

 private:
  void Compare(std::string_view value, uint64_t offset) {
    const int order = CompareStoredBytes(type_, last_, value);
    if (order < 0) return;
    const std::string expected = fmt::format("dictId {} above {}", id_, ShownBytes(type_, last_));
    if (order == 0 && type_ == DataType::kBigDecimal && last_ != value) {
      log_.Note(offset, expected, ShownBytes(type_, value) + ", the same number");
    } else {
      log_.Fault(offset, expected, ShownBytes(type_, value));
    }
  }
  DataType type_;
  bool sorted_;
  FaultLog& log_;
  std::string_view last_;
  uint64_t id_ = 0;
};

// A padded text up to its padding. What lies behind the first NUL must be NUL.
std::string_view Unpadded(std::string_view slot, std::string_view padding, uint64_t offset,
                          FaultLog& log) {
  const size_t end = std::min(slot.find('\0'), slot.size());
  const size_t more = slot.find_first_not_of('\0', end);
  if (more != std::string_view::npos)
    log.Fault(offset + more, "NUL behind the value's end",
              fmt::format("byte {:02x}", static_cast<unsigned char>(slot[more])));
  std::string_view value = slot.substr(0, end);
  if (padding == "%") value = value.substr(0, value.find_last_not_of('%') + 1);
  return value;
}

bool CheckPadded(ByteView bytes, const DictionaryShape& shape, FaultLog& log) {
  const uint64_t width = shape.width;
  if (bytes.size() != shape.cardinality * width || (width == 0 && shape.cardinality > 1)) {
    log.Fault(0, fmt::format("{} entries of {} bytes", shape.cardinality, width),
              fmt::format("{} bytes", bytes.size()));
    return false;
  }
  const uint64_t before = log.fault_count();
  EntryOrder order(shape.type, true, log);
  for (uint64_t id = 0; id < shape.cardinality; ++id) {
    std::string_view entry = AsText(bytes.subspan(id * width, width));
    if (IsText(shape.type)) entry = Unpadded(entry, shape.padding, id * width, log);
    order.Take(entry, id * width);
  }
  return log.fault_count() == before;
}

}  // namespace

bool IsOffsetDictionary(ByteView bytes) {
  return bytes.size() >= kOffsetHeaderSizeBytes + 4 && AsText(bytes.first(4)) == kOffsetMagic &&
         LoadBigEndian<int32_t>(bytes.data() + 4) == 1;
}

std::optional<uint32_t> CheckOffsetDictionary(ByteView bytes, DataType type,
                                              std::optional<uint32_t> cardinality, bool sorted,
                                              FaultLog& log) {
  const auto fail = [&](uint64_t offset, std::string expected, std::string found) {
    log.Fault(offset, std::move(expected), std::move(found));
    return std::nullopt;
  };
  if (!IsOffsetDictionary(bytes)) {
    return fail(
        0, "'.vl;' and version 1",
        ShownBytes(DataType::kBytes, AsText(bytes.first(std::min<size_t>(bytes.size(), 8)))));
  }
  const uint32_t count = LoadBigEndian<uint32_t>(bytes.data() + 8);
  const uint64_t table = LoadBigEndian<uint32_t>(bytes.data() + 12);
  if (cardinality && count != *cardinality)
    return fail(8, fmt::format("{} entries", *cardinality), std::to_string(count));
  const uint64_t values = table + 4 * (uint64_t{count} + 1);
  if (table < kOffsetHeaderSizeBytes || values > bytes.size()) {
    return fail(12, fmt::format("{} offsets within {} bytes", uint64_t{count} + 1, bytes.size()),
                fmt::format("offsets at {}", table));
  }
  const uint64_t before = log.fault_count();
  EntryOrder order(type, sorted, log);
  uint64_t start = LoadBigEndian<uint32_t>(bytes.data() + table);
  if (start != values)
    log.Fault(table, fmt::format("first offset {}", values), std::to_string(start));
  for (uint64_t id = 0; id < count; ++id) {
    const uint64_t at = table + 4 * (id + 1);
    const uint64_t end = LoadBigEndian<uint32_t>(bytes.data() + at);
    if (end < start || end > bytes.size() || start < values)
      return fail(at, fmt::format("an offset from {} to {}", start, bytes.size()),
                  std::to_string(end));
    order.Take(AsText(bytes.subspan(start, end - start)), start);
    start = end;
  }
  if (start != bytes.size())
    log.Fault(table + 4 * uint64_t{count}, fmt::format("last offset {}", bytes.size()),
              std::to_string(start));
  if (log.fault_count() != before) return std::nullopt;
  return count;
}

bool CheckDictionary(ByteView bytes, const DictionaryShape& shape, FaultLog& log) {
  switch (PhysicalOf(shape.type)) {
    case Physical::kInt32:
      return CheckNumbers<int32_t>(bytes, shape.cardinality, log);
    case Physical::kInt64:
      return CheckNumbers<int64_t>(bytes, shape.cardinality, log);
    case Physical::kFloat:
      return CheckNumbers<float>(bytes, shape.cardinality, log);
    case Physical::kDouble:
      return CheckNumbers<double>(bytes, shape.cardinality, log);
    case Physical::kBytes:
      break;
  }
  if (!IsOffsetDictionary(bytes)) return CheckPadded(bytes, shape, log);
  return CheckOffsetDictionary(bytes, shape.type, shape.cardinality, true, log).has_value();
}

}  // namespace trellis::verify
