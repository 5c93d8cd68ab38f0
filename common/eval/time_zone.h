#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace trellis::eval {

// A time zone by tz database name or fixed offset. Rules come from the
// system's tzdata. Cheap to copy, safe for many threads.
class Zone {
 public:
  Zone() = default;  // UTC
  // `UTC`, `GMT`, `Z`, `+hh:mm`, `+hhmm`, or a tz database name, which is case-sensitive.
  // Errors: Query(kQueryValidation) for anything else.
  static Result<Zone> Parse(std::string_view id);
  static Zone Fixed(int offset_seconds);

  bool is_utc() const { return utc_; }
  const std::string& id() const { return id_; }
  int64_t OffsetMs(int64_t epoch_ms) const;
  // The wall clock's milliseconds since its own 1970-01-01 00:00.
  int64_t ToLocal(int64_t epoch_ms) const;
  // A time that the clocks skipped moves forward by the gap; of a repeated one the first is meant.
  int64_t FromLocal(int64_t local_ms) const;

 private:
  bool utc_ = true;
  std::string id_ = "UTC";
  absl::TimeZone zone_ = absl::UTCTimeZone();
};

}  // namespace trellis::eval
