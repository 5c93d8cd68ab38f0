#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/eval/time_zone.h"

namespace trellis::eval {

// A compiled Joda-Time pattern, `yyyy-MM-dd'T'HH:mm:ss.SSSZ` (pinot-functions.md 3.7), with English
// names. Immutable, safe for many threads.
class JodaFormat {
 public:
  // Errors: Query(kQueryValidation) for letters that are no pattern.
  static Result<JodaFormat> Compile(std::string_view pattern);
  // OK when every part of the pattern can be read back: week fields, eras and zone names cannot
  // (here).
  Status CheckParsable() const;

  // Appends the text of `epoch_ms` as the zone's wall clock shows it.
  void Print(int64_t epoch_ms, const Zone& zone, std::string& out) const;
  // Reads the whole text; missing fields are 1970-01-01 00:00. An offset in the text wins over
  // `zone`. Errors: Query(kQueryExecution) with the text.
  Result<int64_t> Parse(std::string_view text, const Zone& zone) const;

 private:
  struct Part {
    char letter = '\0';  // '\0': `literal`
    int count = 0;
    bool before_number =
        false;  // the next part is a number, so this one takes no more than its digits
    std::string literal;
    bool is_number() const;
  };
  struct Reader;
  void PrintPart(const Part& part, int64_t local_ms, const Zone& zone, int64_t epoch_ms,
                 std::string& out) const;
  std::vector<Part> parts_;
  std::string pattern_;
};

}  // namespace trellis::eval
