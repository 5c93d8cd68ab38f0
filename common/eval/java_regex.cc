#include "common/eval/java_regex.h"

#include <re2/re2.h>

#include <algorithm>

namespace trellis::eval {

Result<JavaRegex> JavaRegex::Compile(std::string_view pattern, bool ignore_case) {
  TRELLIS_ASSIGN_OR_RETURN(TranslatedRegex translated, TranslateJavaRegex(pattern, ignore_case));
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(
      re2::StringPiece(translated.re2.data(), translated.re2.size()), options);
  if (!regex->ok()) {
    return Status::Query(PinotCode::kQueryValidation, "Bad regular expression '{}': {}", pattern,
                         regex->error());
  }
  JavaRegex compiled;
  compiled.regex_ = std::move(regex);
  compiled.translated_ = std::make_shared<const TranslatedRegex>(std::move(translated));
  return compiled;
}

bool JavaRegex::Find(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *regex_);
}

bool JavaRegex::Find(std::string_view text, size_t start, Match& match) const {
  std::vector<re2::StringPiece> found(static_cast<size_t>(regex_->NumberOfCapturingGroups()) + 1);
  const re2::StringPiece whole(text.data() == nullptr ? "" : text.data(), text.size());
  if (!regex_->Match(whole, start, text.size(), RE2::UNANCHORED, found.data(),
                     static_cast<int>(found.size()))) {
    return false;
  }
  size_t end_max = text.size();
  for (const int terminator : translated_->terminators) {
    const re2::StringPiece& piece = found[static_cast<size_t>(terminator)];
    if (piece.data() != nullptr)
      end_max = std::min(end_max, static_cast<size_t>(piece.data() - whole.data()));
  }
  match.groups.clear();
  for (const int group : translated_->groups) {
    const re2::StringPiece& piece = found[static_cast<size_t>(group)];
    if (piece.data() == nullptr) {
      match.groups.emplace_back();
      continue;
    }
    const auto begin = static_cast<size_t>(piece.data() - whole.data());
    const size_t end = std::max(begin, std::min(begin + piece.size(), end_max));
    match.groups.push_back(std::string_view(whole.data(), whole.size()).substr(begin, end - begin));
  }
  match.begin = static_cast<size_t>(match.groups[0].data() - whole.data());
  match.end = match.begin + match.groups[0].size();
  return true;
}

}  // namespace trellis::eval
