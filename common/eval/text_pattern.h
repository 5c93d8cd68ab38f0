#pragma once

#include <memory>
#include <string_view>

#include "common/base/status.h"

namespace trellis::eval {

// A compiled LIKE or REGEXP_LIKE pattern. Immutable, safe for many threads.
class TextPattern {
 public:
  // LIKE as Pinot does it (pinot-functions.md section 4): ignores case, `\` escapes.
  static Result<TextPattern> Like(std::string_view pattern);
  // Java regular expression, found anywhere. What RE2 cannot do (look-around, back-references) is
  // refused by name: Query(kQueryValidation).
  static Result<TextPattern> Regexp(std::string_view pattern, bool ignore_case);

  bool Matches(std::string_view text) const;

 private:
  struct Compiled;
  explicit TextPattern(std::shared_ptr<const Compiled> compiled);
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace trellis::eval
