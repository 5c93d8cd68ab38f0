#include "common/segment_names/name_template.h"

#include <algorithm>
#include <chrono>

namespace trellis::segment_names {

namespace {

constexpr size_t kDateBytes = 10;
constexpr size_t kMinuteBytes = 14;
constexpr size_t kUuidBytes = 36;
constexpr size_t kDigitRunsOfWordMax = 3;
constexpr size_t kDigitsMax = 18;
constexpr size_t kShortDigitsMax = 9;

enum CharClass : uint8_t { kOther, kLetter, kDigit };
constexpr auto kClasses = [] {
  std::array<CharClass, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  return classes;
}();
constexpr auto kHexValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values['0' + i] = static_cast<int8_t>(i);
  for (int i = 0; i < 6; ++i) values['a' + i] = static_cast<int8_t>(10 + i);
  return values;
}();
constexpr auto kPowersOfTen = [] {
  std::array<int64_t, kDigitsMax + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = 10 * powers[i - 1];
  return powers;
}();

CharClass ClassOf(char c) { return kClasses[static_cast<uint8_t>(c)]; }

int64_t Digits(const char* text, size_t count) {
  int64_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value * 10 + (text[i] - '0');
  return value;
}
bool AreDigits(const char* text, size_t count) {
  return std::all_of(text, text + count, [](char c) { return ClassOf(c) == kDigit; });
}
// Days since 1970-01-01; false when there is no such day.
bool DayOf(int64_t year, int64_t month, int64_t day, int64_t& days) {
  const std::chrono::year_month_day civil{std::chrono::year(static_cast<int>(year)),
                                          std::chrono::month(static_cast<unsigned>(month)),
                                          std::chrono::day(static_cast<unsigned>(day))};
  if (!civil.ok()) return false;
  days = std::chrono::sys_days(civil).time_since_epoch().count();
  return true;
}

class Tokenizer {
 public:
  Tokenizer(std::string_view name, TokenizedName& out)
      : at_(name.data()), end_(name.data() + name.size()), out_(out), key_(out.key_bytes.data()) {
    out.lane_count = 0;
  }

  bool Run() {
    while (at_ != end_) {
      if (ClassOf(*at_) == kOther) {
        if (*at_ == '\0') *key_++ = '\0';
        *key_++ = *at_++;
      } else if (!Word()) {
        return false;
      }
    }
    out_.key_size = static_cast<size_t>(key_ - out_.key_bytes.data());
    return out_.lane_count > 0;
  }

 private:
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  // Each value's key is at most as long as its text but a number of one digit, two bytes; the
  // doubled size of key_bytes covers it. False when a lane is wanted and there is none.
  bool Emit(char mark, int64_t lane, size_t text_size) {
    if (out_.lane_count == kLanesMax) return false;
    *key_++ = '\0';
    *key_++ = mark;
    out_.lanes[out_.lane_count++] = lane;
    at_ += text_size;
    return true;
  }
  bool Emit(ValueKind kind, int64_t lane, size_t text_size) {
    return Emit(static_cast<char>(kind), lane, text_size);
  }
  bool Word() {
    const char* word_end = at_;
    size_t digit_runs = 0;
    CharClass before = kOther;
    for (; word_end != end_; ++word_end) {
      const CharClass now = ClassOf(*word_end);
      if (now == kOther) break;
      digit_runs += now == kDigit && before != kDigit;
      before = now;
    }
    const auto size = static_cast<size_t>(word_end - at_);
    if (size == 8 && IsUuid()) return EmitUuid();
    if (digit_runs == 0) return Literal(word_end);
    int64_t value;
    if (size == 4 && IsDate(value)) return Emit(ValueKind::kDate, value, kDateBytes);
    if (size == kMinuteBytes && IsMinute(value)) {
      return Emit(ValueKind::kMinute, value, kMinuteBytes);
    }
    if (digit_runs > kDigitRunsOfWordMax) return Literal(word_end);
    return Numbers(word_end);
  }
  bool Literal(const char* to) {
    key_ = std::copy(at_, to, key_);
    at_ = to;
    return true;
  }
  bool Numbers(const char* word_end) {
    while (at_ != word_end) {
      if (ClassOf(*at_) != kDigit) {
        *key_++ = *at_++;
        continue;
      }
      const char* run_end =
          std::find_if(at_, word_end, [](char c) { return ClassOf(c) != kDigit; });
      const auto count = static_cast<size_t>(run_end - at_);
      if (count > kDigitsMax) {
        Literal(run_end);
        continue;
      }
      const int64_t value = Digits(at_, count);
      const char mark = count > 1 && *at_ == '0'   ? static_cast<char>(kPaddedMark + count)
                        : count <= kShortDigitsMax ? static_cast<char>(ValueKind::kNumber)
                                                   : static_cast<char>(ValueKind::kLongNumber);
      if (!Emit(mark, value, count)) return false;
    }
    return true;
  }
  // REQUIRES: a word of four starts here. A 'T' may follow.
  bool IsDate(int64_t& days) const {
    if (left() < kDateBytes || at_[4] != '-' || at_[7] != '-') return false;
    if (!AreDigits(at_, 4) || !AreDigits(at_ + 5, 2) || !AreDigits(at_ + 8, 2)) return false;
    if (left() > kDateBytes && ClassOf(at_[kDateBytes]) != kOther && at_[kDateBytes] != 'T') {
      return false;
    }
    return DayOf(Digits(at_, 4), Digits(at_ + 5, 2), Digits(at_ + 8, 2), days);
  }
  bool IsMinute(int64_t& minutes) const {
    if (at_[8] != 'T' || at_[13] != 'Z' || !AreDigits(at_, 8) || !AreDigits(at_ + 9, 4)) {
      return false;
    }
    const int64_t hour = Digits(at_ + 9, 2);
    const int64_t minute = Digits(at_ + 11, 2);
    int64_t days;
    if (hour > 23 || minute > 59) return false;
    if (!DayOf(Digits(at_, 4), Digits(at_ + 4, 2), Digits(at_ + 6, 2), days)) return false;
    minutes = days * kMinutesADay + hour * 60 + minute;
    return true;
  }
  bool IsUuid() const {
    if (left() < kUuidBytes) return false;
    for (size_t i = 0; i < kUuidBytes; ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      if (dash ? at_[i] != '-' : kHexValues[static_cast<uint8_t>(at_[i])] < 0) return false;
    }
    return left() == kUuidBytes || ClassOf(at_[kUuidBytes]) == kOther;
  }
  bool EmitUuid() {
    std::array<uint64_t, 2> halves{};
    size_t digits = 0;
    for (size_t i = 0; i < kUuidBytes; ++i) {
      const int8_t value = kHexValues[static_cast<uint8_t>(at_[i])];
      if (value < 0) continue;
      uint64_t& half = halves[digits++ / 16];
      half = half << 4 | static_cast<uint64_t>(value);
    }
    if (out_.lane_count + 2 > kLanesMax) return false;
    if (!Emit(ValueKind::kUuid, static_cast<int64_t>(halves[0] ^ kUuidBias), kUuidBytes)) {
      return false;
    }
    out_.lanes[out_.lane_count++] = static_cast<int64_t>(halves[1] ^ kUuidBias);
    return true;
  }

  const char* at_;
  const char* end_;
  TokenizedName& out_;
  char* key_;
};

// Fills the kind's facts into `column`; returns the longest text, or 0 for a mark that is none.
size_t FillKind(char mark, NameTemplate::Column& column) {
  column.width = 0;
  if (mark >= kPaddedMark) {
    const int width = mark - kPaddedMark;
    if (width < 2 || width > kPaddedWidthMax) return 0;
    column.kind = ValueKind::kPadded;
    column.width = static_cast<uint8_t>(width);
    column.value_min = 0;
    column.value_max = kPowersOfTen[width - 1] - 1;
    return static_cast<size_t>(width);
  }
  column.kind = static_cast<ValueKind>(mark);
  switch (column.kind) {
    case ValueKind::kNumber:
      column.value_min = 0;
      column.value_max = kPowersOfTen[kShortDigitsMax] - 1;
      return kShortDigitsMax;
    case ValueKind::kLongNumber:
      column.value_min = kPowersOfTen[kShortDigitsMax];
      column.value_max = kPowersOfTen[kDigitsMax] - 1;
      return kDigitsMax;
    case ValueKind::kDate:
      column.value_min = kDayMin;
      column.value_max = kDayMax;
      return kDateBytes;
    case ValueKind::kMinute:
      column.value_min = kDayMin * kMinutesADay;
      column.value_max = (kDayMax + 1) * kMinutesADay - 1;
      return kMinuteBytes;
    case ValueKind::kUuid:
      column.value_min = INT64_MIN;
      column.value_max = INT64_MAX;
      return kUuidBytes;
    default:
      return 0;
  }
}

bool IsNumber(ValueKind kind) {
  return kind == ValueKind::kNumber || kind == ValueKind::kLongNumber || kind == ValueKind::kPadded;
}

// Numbers can make a date out of "-" between two of them, a minute out of "T", and with hex digits
// and four dashes a UUID; dates and UUIDs cannot be parts of another one, whose words have other
// lengths.
bool AnyValueFits(const NameTemplate& parsed, std::string_view literals) {
  size_t dashes = 0;
  const auto take_literal = [&dashes](std::string_view text) {
    for (const char c : text) {
      if (c == '-') {
        if (++dashes == 4) return false;
      } else if (kHexValues[static_cast<uint8_t>(c)] < 0) {
        dashes = 0;
      }
    }
    return true;
  };
  for (size_t i = 0; i < parsed.columns.size(); ++i) {
    const NameTemplate::Column& column = parsed.columns[i];
    const auto literal = literals.substr(column.literal_begin, column.literal_size);
    if (!take_literal(literal)) return false;
    if (!IsNumber(column.kind)) {
      dashes = 0;
    } else if (i > 0 && IsNumber(parsed.columns[i - 1].kind) &&
               (literal == "-" || literal == "T")) {
      return false;
    }
  }
  return take_literal(literals.substr(parsed.tail_begin, parsed.tail_size));
}

}  // namespace

bool Tokenize(std::string_view name, TokenizedName& out) {
  if (name.size() > kTemplatedNameBytesMax) return false;
  return Tokenizer(name, out).Run();
}

bool ParseTemplate(std::string_view key, NameTemplate& out) {
  if (key.size() > kTemplateKeyBytesMax) return false;
  out = NameTemplate{};
  out.key = key;
  out.literals.reserve(key.size() + kTextSlack);
  out.columns.reserve(static_cast<size_t>(std::count(key.begin(), key.end(), '\0')));
  uint16_t literal_begin = 0;
  size_t values_bytes_max = 0;
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] != '\0') {
      out.literals.push_back(key[i]);
      continue;
    }
    if (++i == key.size()) return false;
    if (key[i] == '\0') {
      out.literals.push_back('\0');
      continue;
    }
    NameTemplate::Column column;
    const size_t bytes_max = FillKind(key[i], column);
    const size_t lanes = column.kind == ValueKind::kUuid ? 2 : 1;
    if (bytes_max == 0 || out.lane_count + lanes > kLanesMax) return false;
    values_bytes_max += bytes_max;
    column.lane = out.lane_count;
    column.literal_begin = literal_begin;
    column.literal_size = static_cast<uint16_t>(out.literals.size() - literal_begin);
    literal_begin = static_cast<uint16_t>(out.literals.size());
    const bool narrow = column.value_min >= INT32_MIN && column.value_max <= INT32_MAX;
    for (size_t i_lane = 0; i_lane < lanes; ++i_lane) {
      out.narrow_lanes |= static_cast<uint16_t>(narrow << out.lane_count);
      out.slots[out.lane_count + 1] =
          static_cast<uint8_t>(out.slots[out.lane_count] + (narrow ? 1 : 2));
      ++out.lane_count;
    }
    out.columns.push_back(column);
  }
  out.tail_begin = literal_begin;
  out.tail_size = static_cast<uint16_t>(out.literals.size() - literal_begin);
  out.name_bytes_max = static_cast<uint32_t>(out.literals.size() + values_bytes_max);
  out.any_value_fits = AnyValueFits(out, out.literals);
  out.literals.append(kTextSlack, '\0');
  return out.lane_count > 0;
}

}  // namespace trellis::segment_names
