#include "common/format/clp_message.h"

#include <charconv>

namespace trellis::format {
namespace {

constexpr uint8_t kInteger = 0x11;
constexpr uint8_t kVariable = 0x12;
constexpr uint8_t kFraction = 0x13;
constexpr size_t kNumberSizeMax = 24;  // -9223372036854775808, or a sign, 16 digits and a point

// The bits of an encoded fraction, from the lowest: digits after the point - 1 (4), digits - 1 (4),
// the digits as a number (54), one unused, the sign.
Status AppendFraction(int64_t value, std::string& text) {
  const auto bits = static_cast<uint64_t>(value);
  const size_t after_point = (bits & 15) + 1, digits = ((bits >> 4) & 15) + 1;
  const uint64_t number = (bits >> 8) & ((uint64_t{1} << 54) - 1);
  char printed[kNumberSizeMax];
  const auto end = std::to_chars(printed, printed + sizeof(printed), number).ptr;
  const auto used = static_cast<size_t>(end - printed);
  if (used > digits || after_point > digits) {
    return Status::Corrupt("CLP fraction {:#x} has {} digits, {} after the point of {}", bits, used,
                           after_point, digits);
  }
  if (bits >> 63) text += '-';
  const size_t point = text.size() + digits - after_point;
  text.append(digits - used, '0').append(printed, used);
  text.insert(point, 1, '.');
  return {};
}

void AppendInteger(int64_t value, std::string& text) {
  char printed[kNumberSizeMax];
  const auto end = std::to_chars(printed, printed + sizeof(printed), value).ptr;
  text.append(printed, static_cast<size_t>(end - printed));
}

// Whether a row's variables were used up; a lone one that the logtype does not use is a
// placeholder.
bool UsedUp(size_t used, size_t count) { return used == count || (used == 0 && count == 1); }

Status AppendLiteral(ByteView literal, ClpLogtypeForm form, std::string& text) {
  if (form == ClpLogtypeForm::kBytes) {
    text.append(AsText(literal));
    return {};
  }
  for (size_t i = 0; i < literal.size(); ++i) {
    const uint8_t byte = literal[i];
    if (byte < 0x80) {
      text += static_cast<char>(byte);
      continue;
    }
    // U+0080 to U+00FF are two bytes each, the first 0xC2 or 0xC3.
    const bool is_byte = (byte & 0xFE) == 0xC2 && i + 1 < literal.size();
    if (!is_byte || (literal[i + 1] & 0xC0) != 0x80) {
      return Status::Corrupt("CLP logtype has a character beyond U+00FF, it begins with {:#x}",
                             byte);
    }
    text += static_cast<char>((byte & 3) << 6 | (literal[++i] & 0x3F));
  }
  return {};
}

}  // namespace

Status AppendClpMessage(ByteView logtype, ClpLogtypeForm form, const VarLengthValues& variables,
                        std::span<const uint32_t> ids, std::span<const int64_t> encoded,
                        size_t text_size_bytes_max, std::string& text) {
  size_t used_ids = 0, used_encoded = 0;
  const auto fits = [&](size_t more) { return more <= text_size_bytes_max - text.size(); };
  const auto too_long = [&] {
    return Status::ResourceExhausted("CLP messages of one batch pass clp_batch_size_bytes_max, {}",
                                     text_size_bytes_max);
  };
  for (size_t at = 0; at < logtype.size();) {
    size_t end = at;
    while (end < logtype.size() && (logtype[end] < kInteger || logtype[end] > kFraction)) ++end;
    if (!fits(end - at + kNumberSizeMax)) return too_long();
    TRELLIS_RETURN_IF_ERROR(AppendLiteral(logtype.subspan(at, end - at), form, text));
    if (end == logtype.size()) break;
    const uint8_t placeholder = logtype[end];
    at = end + 1;
    if (placeholder != kVariable) {
      if (used_encoded == encoded.size()) {
        return Status::Corrupt("CLP logtype uses more than the {} encoded variables of its row",
                               encoded.size());
      }
      const int64_t value = encoded[used_encoded++];
      if (placeholder == kInteger) {
        AppendInteger(value, text);
      } else {
        TRELLIS_RETURN_IF_ERROR(AppendFraction(value, text));
      }
      continue;
    }
    if (used_ids == ids.size()) {
      return Status::Corrupt("CLP logtype uses more than the {} variables of its row", ids.size());
    }
    const uint32_t id = ids[used_ids++];
    if (id >= variables.size()) {
      return Status::Corrupt("CLP variable {} in a dictionary of {}", id, variables.size());
    }
    const std::string_view variable = AsText(variables[id]);
    if (!fits(variable.size())) return too_long();
    text.append(variable);
  }
  if (UsedUp(used_ids, ids.size()) && UsedUp(used_encoded, encoded.size())) return {};
  return Status::Corrupt("CLP row of {} variables and {} encoded ones, its logtype uses {} and {}",
                         ids.size(), encoded.size(), used_ids, used_encoded);
}

}  // namespace trellis::format
