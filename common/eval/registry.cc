#include <algorithm>
#include <limits>

#include "common/base/nearest_name.h"
#include "common/eval/kernel.h"

namespace trellis::eval {
namespace {

std::string CanonicalName(std::string_view name) {
  std::string canonical = ToLowerAscii(name);
  std::erase(canonical, '_');
  return canonical;
}

const Registry& Functions() {
  static const Registry kRegistry = [] {
    Registry registry;
    RegisterArithmetic(registry);
    RegisterMath(registry);
    RegisterRounding(registry);
    RegisterComparison(registry);
    RegisterMembership(registry);
    RegisterLogic(registry);
    RegisterConditional(registry);
    RegisterCast(registry);
    RegisterStrings(registry);
    RegisterSplits(registry);
    RegisterRegexps(registry);
    RegisterBytes(registry);
    RegisterDateTimes(registry);
    RegisterDateTimeFormats(registry);
    RegisterArrays(registry);
    RegisterJson(registry);
    RegisterRefusals(registry);
    return registry;
  }();
  return kRegistry;
}

}  // namespace

bool Call::any_multi_value() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& a) { return a.type.multi_value; });
}

const Value* Call::literal(size_t i) const {
  const Value* value = arguments[i].literal;
  return value != nullptr && !value->is_null() ? value : nullptr;
}

Status Call::Unsuitable() const {
  std::string types;
  for (const Argument& argument : arguments) {
    if (!types.empty()) types += ", ";
    types += ValueTypeName(argument.type);
  }
  return Status::Query(PinotCode::kQueryValidation,
                       "Unsupported function: {} with arguments of type: [{}]", name, types);
}

Status Call::CheckCount(size_t least, size_t most) const {
  if (size() >= least && size() <= most) return Status::Ok();
  return Status::Query(PinotCode::kQueryValidation, "Unsupported function: {} with {} arguments",
                       name, size());
}

Status Call::CheckSingleValue() const { return any_multi_value() ? Unsuitable() : Status::Ok(); }

Result<std::string> Call::LiteralText(size_t i) const {
  const Value* value = literal(i);
  if (value == nullptr || value->is_array()) {
    return Status::Query(PinotCode::kQueryValidation, "Argument {} of {} must be a literal", i + 1,
                         name);
  }
  return ValueToText(*value);
}

Result<int64_t> Call::LiteralInteger(size_t i) const {
  const Value* value = literal(i);
  if (value == nullptr || !IsIntegral(value->type()) || value->is_array()) {
    return Status::Query(PinotCode::kQueryValidation,
                         "Argument {} of {} must be an integer literal", i + 1, name);
  }
  return value->AsLong();
}

void Registry::Add(std::initializer_list<const char*> names, Folding folding, Resolver resolver) {
  const auto entry = std::make_shared<const Entry>(Entry{std::move(resolver), folding});
  for (const char* name : names) {
    const bool added = entries_.emplace(CanonicalName(name), entry).second;
    TRELLIS_CHECK(added);
  }
}

const Registry::Entry* Registry::Find(std::string_view name) const {
  const auto found = entries_.find(CanonicalName(name));
  return found == entries_.end() ? nullptr : found->second.get();
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool IsNullRow(Vectors arguments, size_t row, const EvaluationContext& context) {
  if (!context.null_handling) return false;
  return std::any_of(arguments.begin(), arguments.end(),
                     [row](const ColumnVector* v) { return v->is_null(row); });
}

bool IsIntegral(DataType type) {
  return type == DataType::kInt || type == DataType::kLong || type == DataType::kBoolean ||
         type == DataType::kTimestamp;
}

bool ConvertsToNumber(DataType type) {
  return IsNumeric(type) || IsIntegral(type) || type == DataType::kUnknown;
}

bool IsFloating(DataType type) { return type == DataType::kFloat || type == DataType::kDouble; }

DataType WiderNumeric(DataType a, DataType b) {
  const auto plain = [](DataType type) {
    if (type == DataType::kBoolean) return DataType::kInt;
    return type == DataType::kTimestamp ? DataType::kLong : type;
  };
  return std::max(plain(a), plain(b));  // the numbers of DataType are in widening order
}

Result<FunctionPtr> ResolveFunction(std::string_view name, std::span<const Argument> arguments,
                                    Layer layer) {
  const Registry::Entry* entry = Functions().Find(name);
  if (entry == nullptr) {
    return Status::Query(PinotCode::kQueryValidation, "Unsupported function: {}{}", name,
                         DidYouMean(name, Functions().names()));
  }
  return entry->resolver(Call{name, arguments, layer});
}

bool IsKnownFunction(std::string_view name) { return Functions().Find(name) != nullptr; }

bool IsFoldable(std::string_view name) {
  const Registry::Entry* entry = Functions().Find(name);
  return entry != nullptr && entry->folding == Folding::kAllowed;
}

std::vector<std::string> FunctionNames() { return Functions().names(); }

}  // namespace trellis::eval
