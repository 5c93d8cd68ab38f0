#include <charconv>

#include "common/eval/java_regex.h"
#include "common/eval/kernel.h"
#include "common/eval/operand.h"
#include "common/eval/text_pattern.h"
#include "common/eval/utf16.h"

namespace trellis::eval {
namespace {

// REGEXP_LIKE's third argument: one of i, I, c, C, or nothing.
Result<bool> IgnoresCase(const Call& call, size_t position) {
  if (call.size() <= position) return false;
  TRELLIS_ASSIGN_OR_RETURN(const std::string flag, call.LiteralText(position));
  if (flag.size() == 1 && (flag[0] | 0x20) == 'i') return true;
  if (flag.empty() || (flag.size() == 1 && (flag[0] | 0x20) == 'c')) return false;
  return Status::Query(PinotCode::kQueryValidation, "Unknown flag of {}: '{}', expected 'i' or 'c'",
                       call.name, flag);
}

Resolver MatchResolver(bool like) {
  return [like](const Call& call) -> Result<FunctionPtr> {
    TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 3));
    TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
    if (!IsText(call.type(0)) && call.type(0) != DataType::kUnknown) return call.Unsuitable();
    TRELLIS_ASSIGN_OR_RETURN(const std::string pattern, call.LiteralText(1));
    bool ignore_case = true;
    if (!like) {
      TRELLIS_ASSIGN_OR_RETURN(ignore_case, IgnoresCase(call, 2));
    }
    TRELLIS_ASSIGN_OR_RETURN(
        const TextPattern compiled,
        like ? TextPattern::Like(pattern) : TextPattern::Regexp(pattern, ignore_case));
    return MakeFunction(
        DataType::kBoolean,
        [compiled](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
          const Operand<std::string_view> text(*arguments[0]);
          for (size_t row = 0; row < rows; ++row)
            out.values<int32_t>()[row] = compiled.Matches(text[row]);
          return Status::Ok();
        });
  };
}

// The first match's group; `otherwise` where nothing matches, the group does not exist or took no
// part.
Result<FunctionPtr> ResolveExtract(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 4));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  TRELLIS_ASSIGN_OR_RETURN(const std::string pattern, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(const JavaRegex regex, JavaRegex::Compile(pattern, false));
  int64_t group = 0;
  std::string otherwise;
  if (call.size() > 2) {
    TRELLIS_ASSIGN_OR_RETURN(group, call.LiteralInteger(2));
    if (group < 0) return call.Unsuitable();
  }
  if (call.size() > 3) {
    TRELLIS_ASSIGN_OR_RETURN(otherwise, call.LiteralText(3));
  }
  return MakeFunction(DataType::kString,
                      [regex, group, otherwise](Vectors arguments, size_t rows,
                                                const EvaluationContext&, ColumnVector& out) {
                        const Operand<std::string_view> text(*arguments[0]);
                        const bool exists = static_cast<size_t>(group) <= regex.group_count();
                        JavaRegex::Match match;
                        for (size_t row = 0; row < rows; ++row) {
                          std::string_view found = otherwise;
                          if (exists && regex.Find(text[row], 0, match) &&
                              match.groups[static_cast<size_t>(group)].data() != nullptr) {
                            found = match.groups[static_cast<size_t>(group)];
                          }
                          out.values<std::string_view>()[row] = out.arena().Copy(found);
                        }
                        return Status::Ok();
                      });
}

// A Java replacement text in pieces: literal text, and numbers of groups.
struct Replacement {
  struct Piece {
    std::string text;
    int group = -1;
  };
  std::vector<Piece> pieces;

  void Append(const JavaRegex::Match& match, std::string& out) const {
    for (const Piece& piece : pieces) {
      out += piece.group < 0 ? std::string_view(piece.text)
                             : match.groups[static_cast<size_t>(piece.group)];
    }
  }
};

Status BadReplacement(std::string_view text) {
  return Status::Query(PinotCode::kQueryValidation, "Unsupported replacement text: '{}'", text);
}

// `$n` takes as many digits as still name a group; `\` makes the next character literal.
Result<Replacement> ParseReplacement(std::string_view text, size_t group_count) {
  Replacement replacement;
  std::string literal;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      if (++i == text.size()) return BadReplacement(text);
      literal += text[i];
      continue;
    }
    if (text[i] != '$') {
      literal += text[i];
      continue;
    }
    size_t group = 0;
    size_t digits = 0;
    for (; i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9'; ++i, ++digits) {
      const size_t longer = group * 10 + static_cast<size_t>(text[i + 1] - '0');
      if (digits > 0 && longer > group_count) break;
      group = longer;
    }
    if (digits == 0 || group > group_count) return BadReplacement(text);  // ${name} too
    replacement.pieces.push_back({std::move(literal), -1});
    literal.clear();
    replacement.pieces.push_back({"", static_cast<int>(group)});
  }
  replacement.pieces.push_back({std::move(literal), -1});
  return replacement;
}

size_t NextCodePoint(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && (text[at] & 0xC0) == 0x80) ++at;
  return at;
}

// Replaces the match of that number (0 = first), or every match when it is negative.
void ReplaceMatches(const JavaRegex& regex, const Replacement& replacement, std::string_view text,
                    int64_t occurrence, std::string& out) {
  JavaRegex::Match match;
  size_t copied = 0;
  size_t from = 0;
  for (int64_t n = 0; from <= text.size() && regex.Find(text, from, match); ++n) {
    if (occurrence < 0 || n == occurrence) {
      out += text.substr(copied, match.begin - copied);
      replacement.Append(match, out);
      copied = match.end;
      if (n == occurrence) break;
    }
    from = match.end > match.begin ? match.end : NextCodePoint(text, match.end);
  }
  out += text.substr(std::min(copied, text.size()));
}

struct ReplaceOptions {
  int64_t start = 0;
  int64_t occurrence = -1;
  bool ignore_case = false;
};

Result<ReplaceOptions> ParseReplaceOptions(const Call& call) {
  ReplaceOptions options;
  if (call.size() > 3) {
    TRELLIS_ASSIGN_OR_RETURN(options.start, call.LiteralInteger(3));
    if (options.start < 0) return call.Unsuitable();
  }
  if (call.size() > 4) {
    TRELLIS_ASSIGN_OR_RETURN(options.occurrence, call.LiteralInteger(4));
  }
  if (call.size() > 5) {
    TRELLIS_ASSIGN_OR_RETURN(const std::string flag, call.LiteralText(5));
    options.ignore_case = flag.size() == 1 && flag[0] == 'i';
  }
  return options;
}

Result<FunctionPtr> ResolveReplace(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 6));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  TRELLIS_ASSIGN_OR_RETURN(std::string pattern, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(const std::string with, call.LiteralText(2));
  TRELLIS_ASSIGN_OR_RETURN(const ReplaceOptions options, ParseReplaceOptions(call));
  // The flag folds ASCII only in Java: as (?i) does, which is refused beside other letters.
  if (options.ignore_case) pattern.insert(0, "(?i)");
  TRELLIS_ASSIGN_OR_RETURN(const JavaRegex regex, JavaRegex::Compile(pattern, false));
  Replacement replacement;
  replacement.pieces.push_back({with, -1});  // of one occurrence: literal
  if (options.occurrence < 0) {
    TRELLIS_ASSIGN_OR_RETURN(replacement, ParseReplacement(with, regex.group_count()));
  }
  return MakeFunction(
      DataType::kString,
      [regex, replacement, options](Vectors arguments, size_t rows,
                                    const EvaluationContext& context, ColumnVector& out) -> Status {
        const Operand<std::string_view> text(*arguments[0]);
        std::string replaced;
        for (size_t row = 0; row < rows; ++row) {
          replaced.clear();
          std::string head;
          std::string tail(text[row]);
          if (options.start > 0) {
            const int64_t length = Utf16Length(text[row]);
            if (options.start > length && !IsNullRow(arguments, row, context)) {
              return Status::Query(PinotCode::kQueryExecution, "regexpReplace starts at {} of {}",
                                   options.start, length);
            }
            AppendSlice(text[row], 0, std::min(options.start, length), head);
            tail.clear();
            AppendSlice(text[row], std::min(options.start, length), length, tail);
          }
          ReplaceMatches(regex, replacement, tail, options.occurrence, replaced);
          out.values<std::string_view>()[row] = out.arena().Copy(head + replaced);
        }
        return Status::Ok();
      });
}

Result<FunctionPtr> ResolveCount(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  TRELLIS_ASSIGN_OR_RETURN(const std::string pattern, call.LiteralText(1));
  TRELLIS_ASSIGN_OR_RETURN(const JavaRegex regex, JavaRegex::Compile(pattern, false));
  return MakeFunction(DataType::kInt, [regex](Vectors arguments, size_t rows,
                                              const EvaluationContext&, ColumnVector& out) {
    const Operand<std::string_view> text(*arguments[0]);
    JavaRegex::Match match;
    for (size_t row = 0; row < rows; ++row) {
      int32_t count = 0;
      for (size_t from = 0; from <= text[row].size() && regex.Find(text[row], from, match);
           ++count) {
        from = match.end > match.begin ? match.end : NextCodePoint(text[row], match.end);
      }
      out.values<int32_t>()[row] = count;
    }
    return Status::Ok();
  });
}

}  // namespace

void RegisterRegexps(Registry& registry) {
  registry.Add({"like"}, Folding::kAllowed, MatchResolver(true));
  registry.Add({"regexp_like"}, Folding::kAllowed, MatchResolver(false));
  registry.Add({"regexp_extract"}, Folding::kAllowed, ResolveExtract);
  registry.Add({"regexp_replace"}, Folding::kAllowed, ResolveReplace);
  registry.Add({"regexp_count"}, Folding::kAllowed, ResolveCount);
}

}  // namespace trellis::eval
