#include "common/verify/text_check.h"

#include <algorithm>

#include "common/types/big_decimal.h"
#include "common/types/java_text.h"

namespace trellis::verify {
namespace {

constexpr size_t kShownSizeBytesMax = 60;
constexpr size_t kUuidSizeBytes = 16;

// The length of the sequence that `lead` begins, and the range of its second byte.
struct Sequence {
  size_t size = 0;  // 0: no sequence begins so
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
};

Sequence SequenceOf(unsigned char lead) {
  if (lead < 0x80) return {1};
  if (lead >= 0xC2 && lead <= 0xDF) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {};
}

}  // namespace

std::optional<size_t> FirstBadUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Sequence sequence = SequenceOf(static_cast<unsigned char>(text[at]));
    if (sequence.size == 0 || sequence.size > text.size() - at) return at;
    for (size_t i = 1; i < sequence.size; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      if (byte < (i == 1 ? sequence.low : 0x80) || byte > (i == 1 ? sequence.high : 0xBF))
        return at;
    }
    at += sequence.size;
  }
  return std::nullopt;
}

std::string ShownBytes(DataType type, std::string_view value) {
  const std::string_view head = value.substr(0, kShownSizeBytesMax);
  const std::string_view rest = head.size() < value.size() ? "..." : "";
  if (IsText(type)) return fmt::format("'{}{}'", head, rest);
  return fmt::format("{}{}", HexText(head), rest);
}

bool CheckValueBytes(DataType type, std::string_view value, uint64_t offset, FaultLog& log) {
  if (IsText(type)) {
    if (const auto bad = FirstBadUtf8(value))
      log.Note(offset, "UTF-8",
               fmt::format("{} at byte {} of the value", HexText(value.substr(*bad, 4)), *bad));
    return true;
  }
  if (type == DataType::kUuid && value.size() != kUuidSizeBytes) {
    log.Fault(offset, "a UUID of 16 bytes", fmt::format("{} bytes", value.size()));
    return false;
  }
  if (type == DataType::kBigDecimal) {
    const auto decimal = BigDecimal::FromBytes(value);
    if (!decimal.ok()) {
      log.Fault(offset, "a BIG_DECIMAL", decimal.status().message());
      return false;
    }
  }
  return true;
}

}  // namespace trellis::verify
