#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/status.h"

namespace re2 {
class RE2;
}

namespace trellis::eval {

// Java regular expressions on RE2 (pinot-functions.md section 5). Private to this room.

// A Java pattern in RE2's syntax. Java's `$` matches before a final line terminator without
// consuming it, which RE2 cannot say: such terminators are captured and cut off the match again.
struct TranslatedRegex {
  std::string re2;
  std::vector<int> groups;       // Java's group number -> RE2's; [0] is 0
  std::vector<int> terminators;  // RE2's groups that hold a final line terminator
};

// Errors: Query(kQueryValidation), naming a construct that RE2 lacks or that means something else
// there: look-around, back-references, possessive quantifiers, class intersections, flags other
// than i and s.
Result<TranslatedRegex> TranslateJavaRegex(std::string_view pattern, bool ignore_case);

// A compiled pattern. Immutable, safe for many threads.
class JavaRegex {
 public:
  // Errors: as TranslateJavaRegex, and RE2's own for a malformed pattern.
  static Result<JavaRegex> Compile(std::string_view pattern, bool ignore_case);

  bool Find(std::string_view text) const;
  struct Match {
    size_t begin = 0;
    size_t end = 0;
    std::vector<std::string_view>
        groups;  // by Java's number; data() is nullptr for one that took no part
  };
  // Finds the first match at or after `start`; false when there is none. `^` matches at `start`
  // only when that is the beginning of the text. Reuses `match`.
  bool Find(std::string_view text, size_t start, Match& match) const;
  size_t group_count() const { return translated_->groups.size() - 1; }

 private:
  std::shared_ptr<const re2::RE2> regex_;
  std::shared_ptr<const TranslatedRegex> translated_;
};

}  // namespace trellis::eval
