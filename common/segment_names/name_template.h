#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/segment_names/value_text.h"

namespace trellis::segment_names {

// A name is cut at its words (runs of ASCII letters and digits). Values are: a UUID; a date; a
// minute that is a word; else each run of at most 18 digits of a word with at most three such runs
// (a word with more is a hash). All else is literal text. Short and long numbers are kinds of their
// own so that most values fit 32 bits.
enum class ValueKind : uint8_t {
  kNumber = 1,      // 1 to 9 digits, no leading zero
  kLongNumber = 2,  // 10 to 18 digits, no leading zero
  kDate = 3,        // yyyy-MM-dd of a real day; days since 1970-01-01
  kMinute = 4,      // yyyyMMddTHHmmZ, UTC; minutes since 1970-01-01
  kUuid = 5,        // lower-case 8-4-4-4-12; two lanes
  kPadded = 6,      // 2 to 18 digits with a leading zero; their count belongs to the template
};

// A value is one lane, an int64; a UUID's 16 bytes are two, biased so that signed order is theirs.
inline constexpr size_t kLanesMax = 12;
// Longer names, and names with more lanes, have no template: they are text as a whole.
inline constexpr size_t kTemplatedNameBytesMax = 1'024;
inline constexpr int kPaddedWidthMax = 18;
inline constexpr uint64_t kUuidBias = uint64_t{1} << 63;

// A template's bytes: literal text as it is but NUL as two NULs; a value as NUL and its kind, or
// NUL and 0x10 + width for a padded number.
inline constexpr char kPaddedMark = 0x10;
inline constexpr size_t kTemplateKeyBytesMax = 2 * kTemplatedNameBytesMax;

// What a name is cut into.
struct TokenizedName {
  std::array<int64_t, kLanesMax> lanes;
  size_t lane_count = 0;
  size_t key_size = 0;
  std::array<char, kTemplateKeyBytesMax> key_bytes;

  std::string_view key() const { return {key_bytes.data(), key_size}; }
};
// False, with `out` unspecified, when the name has no template: no value, or over a limit above.
// For one name there is one answer; key and lanes give exactly the name again.
bool Tokenize(std::string_view name, TokenizedName& out);

// A template's bytes, taken apart. Immutable once parsed.
struct NameTemplate {
  struct Column {
    ValueKind kind;
    uint8_t width;  // digits of kPadded
    uint8_t lane;   // its first
    uint16_t literal_begin;
    uint16_t literal_size;  // of the text in front of the value
    int64_t value_min;      // what the kind can say
    int64_t value_max;
  };
  std::string key;
  std::string literals;  // with kTextSlack bytes behind
  std::vector<Column> columns;
  uint16_t tail_begin = 0;
  uint16_t tail_size = 0;  // text behind the last value
  uint8_t lane_count = 0;
  // Lanes of 32 bits, one bit each; the others are of 64.
  uint16_t narrow_lanes = 0;
  // 32-bit slots in front of a lane when all are stored one after the other; [lane_count] = all.
  std::array<uint8_t, kLanesMax + 1> slots{};
  uint32_t name_bytes_max = 0;
  // False when other values could make text that is cut differently (1-2-3 and 2020-02-03): each
  // name must then be cut to know. True: all of them are cut as one of them is.
  bool any_value_fits = true;

  size_t slot_count() const { return slots[lane_count]; }
  bool is_narrow(size_t lane) const { return narrow_lanes >> lane & 1; }
};
// Reads untrusted template bytes; false when they are none. That a name of it is cut into just this
// template is another question.
bool ParseTemplate(std::string_view key, NameTemplate& out);

// Writes a value and returns the end. REQUIRES: within the column's range; room for the longest
// text of its kind and kTextSlack.
inline char* PutValue(const NameTemplate::Column& column, const int64_t* lanes, size_t lane_stride,
                      char* to) {
  const int64_t value = lanes[column.lane * lane_stride];
  switch (column.kind) {
    case ValueKind::kNumber:
    case ValueKind::kLongNumber:
      return PutNumber(static_cast<uint64_t>(value), to);
    case ValueKind::kDate:
      return PutDate(value, to);
    case ValueKind::kMinute:
      return PutMinute(value, to);
    case ValueKind::kPadded:
      return PutPadded(static_cast<uint64_t>(value), column.width, to);
    case ValueKind::kUuid:
      return PutUuid(static_cast<uint64_t>(value) ^ kUuidBias,
                     static_cast<uint64_t>(lanes[(column.lane + 1) * lane_stride]) ^ kUuidBias, to);
  }
  return to;
}

}  // namespace trellis::segment_names
