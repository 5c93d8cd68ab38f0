#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/status.h"

namespace trellis::segment_writer {

// How the values of a DATE_TIME column are times, by its `format`: "EPOCH|DAYS|1", "1:DAYS:EPOCH",
// "TIMESTAMP", "SIMPLE_DATE_FORMAT|yyyyMMdd|UTC", "1:DAYS:SIMPLE_DATE_FORMAT:yyyyMMdd".
struct TimeFormat {
  std::string unit = "MILLISECONDS";  // of the segment's start and end: a java.util.TimeUnit
  std::string pattern;                // of texts; empty: values count `unit`s
  std::string zone = "UTC";
};

// Errors: InvalidArgument for a format that is none.
Result<TimeFormat> ParseTimeFormat(std::string_view format);

// The time of one value, in the format's unit, of its stored text. Errors: InvalidArgument.
Result<int64_t> TimeOf(const TimeFormat& format, std::string_view text);

// Milliseconds in the format's unit, as java.util.concurrent.TimeUnit converts.
int64_t FromMilliseconds(const TimeFormat& format, int64_t epoch_ms);

}  // namespace trellis::segment_writer
