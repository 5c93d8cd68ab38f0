// Splitting text by whole delimiters, as Apache Commons' splitByWholeSeparator does: leading and
// repeated delimiters collapse, a trailing one leaves an empty last part.

#include <limits>

#include "common/eval/kernel.h"
#include "common/eval/operand.h"

namespace trellis::eval {
namespace {

bool IsJavaWhitespace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

void SplitAtBlanks(std::string_view text, int64_t parts_max, std::vector<std::string_view>& parts) {
  size_t at = 0;
  while (true) {
    while (at < text.size() && IsJavaWhitespace(text[at])) ++at;
    if (at == text.size()) return;
    if (parts_max > 0 && static_cast<int64_t>(parts.size()) + 1 == parts_max) {
      parts.push_back(text.substr(at));
      return;
    }
    const size_t begin = at;
    while (at < text.size() && !IsJavaWhitespace(text[at])) ++at;
    parts.push_back(text.substr(begin, at - begin));
  }
}

// Clears and fills `parts`. With parts_max > 0 the last part is the rest of the text.
void Split(std::string_view text, std::string_view delimiter, int64_t parts_max,
           std::vector<std::string_view>& parts) {
  parts.clear();
  if (text.empty()) return;
  if (delimiter.empty()) return SplitAtBlanks(text, parts_max, parts);
  size_t begin = 0;
  for (size_t at; (at = text.find(delimiter, begin)) != std::string_view::npos;
       begin = at + delimiter.size()) {
    if (at == begin) continue;
    if (parts_max > 0 && static_cast<int64_t>(parts.size()) + 1 == parts_max) break;
    parts.push_back(text.substr(begin, at - begin));
  }
  parts.push_back(text.substr(begin));
}

Status CheckTexts(const Call& call, size_t first_number) {
  TRELLIS_RETURN_IF_ERROR(call.CheckSingleValue());
  for (size_t i = first_number; i < call.size(); ++i) {
    if (!ConvertsToNumber(call.type(i))) return call.Unsuitable();
  }
  return Status::Ok();
}

Result<FunctionPtr> ResolveSplit(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 3));
  TRELLIS_RETURN_IF_ERROR(CheckTexts(call, 2));
  return MakeFunction(
      ValueType{DataType::kString, true},
      [](Vectors arguments, size_t rows, const EvaluationContext&, ColumnVector& out) {
        const Operand<std::string_view> text(*arguments[0]), delimiter(*arguments[1]);
        const ColumnVector zero = ColumnVector::Constant(Value::Int(0), rows);
        const Operand<int64_t> parts_max(arguments.size() > 2 ? *arguments[2] : zero);
        std::vector<std::string_view> parts;
        std::vector<std::string_view>& to = out.values<std::string_view>();
        for (size_t row = 0; row < rows; ++row) {
          Split(text[row], delimiter[row], parts_max[row], parts);
          for (const std::string_view part : parts) to.push_back(out.arena().Copy(part));
          out.offsets().push_back(static_cast<uint32_t>(to.size()));
        }
        out.SetSize(rows);
        return Status::Ok();
      });
}

// The part at `index`, negative ones from the end; Pinot answers the text "null" outside.
std::string_view PartAt(const std::vector<std::string_view>& parts, int32_t index) {
  const auto count = static_cast<int64_t>(parts.size());
  const int64_t at = index < 0 ? count + index : index;
  return at < 0 || at >= count ? std::string_view("null") : parts[static_cast<size_t>(at)];
}

Result<FunctionPtr> ResolveSplitPart(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(3, 4));
  TRELLIS_RETURN_IF_ERROR(CheckTexts(call, 2));
  return MakeFunction(DataType::kString, [](Vectors arguments, size_t rows,
                                            const EvaluationContext&, ColumnVector& out) {
    const Operand<std::string_view> text(*arguments[0]), delimiter(*arguments[1]);
    const Operand<int32_t> index(*arguments.back());
    const ColumnVector zero = ColumnVector::Constant(Value::Int(0), rows);
    const Operand<int64_t> parts_max(arguments.size() > 3 ? *arguments[2] : zero);
    std::vector<std::string_view> parts;
    for (size_t row = 0; row < rows; ++row) {
      Split(text[row], delimiter[row], parts_max[row], parts);
      out.values<std::string_view>()[row] = out.arena().Copy(PartAt(parts, index[row]));
    }
    return Status::Ok();
  });
}

}  // namespace

void RegisterSplits(Registry& registry) {
  // Arrays are not folded: Pinot's literals have no array type that a leaf could take.
  registry.Add({"split", "stringtoarray"}, Folding::kNever, ResolveSplit);
  registry.Add({"splitpart"}, Folding::kAllowed, ResolveSplitPart);
}

}  // namespace trellis::eval
