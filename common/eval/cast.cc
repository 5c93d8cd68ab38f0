#include "common/eval/cast.h"

#include <algorithm>
#include <cmath>

#include "common/base/nearest_name.h"
#include "common/eval/decimal_math.h"
#include "common/eval/operand.h"
#include "common/types/java_text.h"
#include "common/types/timestamp_text.h"

namespace trellis::eval {
namespace {

Status BadText(std::string_view text) {
  return Status::Query(PinotCode::kQueryExecution, "For input string: \"{}\"", text.substr(0, 256));
}

std::optional<int32_t> TextToInt(std::string_view text, bool lenient) {
  if (const auto exact = ParseJavaInt(text)) return exact;
  if (!lenient) return std::nullopt;
  const auto number = ParseJavaDouble(text);
  return number ? std::optional(JavaDoubleToInt(*number)) : std::nullopt;
}

std::optional<int64_t> TextToLong(std::string_view text, bool lenient) {
  if (const auto exact = ParseJavaLong(text)) return exact;
  if (!lenient) return std::nullopt;
  const auto decimal = BigDecimal::FromText(text);
  if (!decimal.ok()) return std::nullopt;
  // BigDecimal.longValue: the low 64 bits of the whole part in two's complement.
  const BigDecimal whole = RoundToScale(*decimal, 0, Rounding::kTowardZero);
  const BigDecimal::Integer magnitude = boost::multiprecision::abs(whole.unscaled());
  const auto low = static_cast<uint64_t>(magnitude & BigDecimal::Integer(~uint64_t{0}));
  return static_cast<int64_t>(whole.unscaled() < 0 ? ~low + 1 : low);
}

// Fills fixed-width values from text by `parse`, which answers nullopt for bad text.
template <class T, class Parse>
Status ParseAll(const ColumnVector& in, const CastRules& rules, std::vector<T>& to, Parse parse) {
  const auto& from = in.values<std::string_view>();
  for (size_t i = 0; i < from.size(); ++i) {
    const auto value = parse(from[i]);
    if (!value && rules.is_fault(i)) return BadText(from[i]);
    to[i] = value.value_or(T{});
  }
  return Status::Ok();
}

template <class To>
void NumbersTo(const ColumnVector& in, std::vector<To>& to) {
  const Operand<To> from(in);
  for (size_t i = 0; i < to.size(); ++i) to[i] = from[i];
}

Status ToBoolean(const ColumnVector& in, std::vector<int32_t>& to) {
  WithPhysical(in.physical(), [&](auto tag) {
    using T = decltype(tag);
    const auto& from = in.values<T>();
    for (size_t i = 0; i < from.size(); ++i) {
      if constexpr (!std::is_same_v<T, std::string_view>) {
        to[i] = from[i] != 0;
      } else if (in.type() == DataType::kBigDecimal) {
        const auto decimal = BigDecimal::FromBytes(from[i]);
        // Pinot asks BigDecimal.equals(ZERO), which a zero of another scale is not.
        to[i] = decimal.ok() && !(decimal->unscaled() == 0 && decimal->scale() == 0);
      } else {
        to[i] = from[i] == "1" || EqualsIgnoreCase(from[i], "true");
      }
    }
  });
  return Status::Ok();
}

Status ToText(const ColumnVector& in, ColumnVector& out) {
  std::vector<std::string_view>& to = out.values<std::string_view>();
  if (IsText(in.type())) {
    to = in.values<std::string_view>();
    out.KeepAllOf(in);
    return Status::Ok();
  }
  for (size_t i = 0; i < to.size(); ++i) {
    if (in.type() == DataType::kBoolean) {
      to[i] = in.values<int32_t>()[i] != 0 ? "true" : "false";
    } else if (in.type() == DataType::kTimestamp) {
      to[i] = out.arena().Copy(TimestampText(in.values<int64_t>()[i]));
    } else {
      to[i] = out.arena().Copy(StoredText(in, i));
    }
  }
  return Status::Ok();
}

Status ToDecimal(const ColumnVector& in, const CastRules& rules, ColumnVector& out) {
  std::vector<std::string_view>& to = out.values<std::string_view>();
  const DecimalOperand from(in);
  for (size_t i = 0; i < to.size(); ++i) {
    const Result<BigDecimal> value = from[i];
    if (!value.ok() && rules.is_fault(i)) {
      return Status::Query(PinotCode::kQueryExecution, "{}", value.status().message());
    }
    to[i] = out.arena().Copy((value.ok() ? *value : BigDecimal()).ToBytes());
  }
  return Status::Ok();
}

Status ToBytes(const ColumnVector& in, const CastRules& rules, ColumnVector& out) {
  std::vector<std::string_view>& to = out.values<std::string_view>();
  const auto& from = in.values<std::string_view>();
  for (size_t i = 0; i < to.size(); ++i) {
    if (out.type() != DataType::kUuid) {
      to[i] = from[i];
      continue;
    }
    std::string bytes(from[i]);
    if (IsText(in.type())) {
      const Result<Value> parsed = ParseValue(from[i], DataType::kUuid);
      bytes = parsed.ok() ? parsed->bytes() : "";
    }
    if (bytes.size() != 16) {
      if (rules.is_fault(i)) return BadText(from[i]);
      bytes.assign(16, '\0');
    }
    to[i] = out.arena().Copy(bytes);
  }
  out.KeepAllOf(in);
  return Status::Ok();
}

Result<FunctionPtr> ResolveCast(const Call& call) {
  TRELLIS_RETURN_IF_ERROR(call.CheckCount(2, 2));
  TRELLIS_ASSIGN_OR_RETURN(const std::string name, call.LiteralText(1));
  const std::optional<ValueType> target = ParseCastTarget(name);
  if (!target)
    return Status::Query(PinotCode::kQueryValidation, "Unable to cast expression to type: {}",
                         name);
  const bool multi_value = call.multi_value(0);
  if (target->multi_value && !multi_value) return call.Unsuitable();
  if (!IsCastable(call.type(0), target->type)) return call.Unsuitable();
  const Argument& source = call.arguments[0];
  const bool lenient =
      call.layer == Layer::kTransform && !source.is_column && source.literal == nullptr;
  return MakeFunction(
      ValueType{target->type, multi_value},
      [lenient](Vectors arguments, size_t, const EvaluationContext& context, ColumnVector& out) {
        const ColumnVector& in = *arguments[0];
        CastRules rules{.lenient_text = lenient};
        if (context.null_handling && in.has_nulls()) {
          rules.is_fault = [&in](size_t i) {
            if (!in.is_multi_value()) return !in.is_null(i);
            const auto after = std::upper_bound(in.offsets().begin(), in.offsets().end(), i);
            return !in.is_null(static_cast<size_t>(after - in.offsets().begin()) - 1);
          };
        }
        if (in.is_multi_value()) {
          out.offsets() = in.offsets();
          out.SetSize(in.size());
        }
        return CastValues(in, rules, out);
      });
}

}  // namespace

std::optional<ValueType> ParseCastTarget(std::string_view name) {
  static const std::unordered_map<std::string, DataType> kTargets = {
      {"INT", DataType::kInt},
      {"INTEGER", DataType::kInt},
      {"LONG", DataType::kLong},
      {"BIGINT", DataType::kLong},
      {"FLOAT", DataType::kFloat},
      {"DOUBLE", DataType::kDouble},
      {"DECIMAL", DataType::kBigDecimal},
      {"BIG_DECIMAL", DataType::kBigDecimal},
      {"BIGDECIMAL", DataType::kBigDecimal},
      {"BOOLEAN", DataType::kBoolean},
      {"BOOL", DataType::kBoolean},
      {"TIMESTAMP", DataType::kTimestamp},
      {"STRING", DataType::kString},
      {"VARCHAR", DataType::kString},
      {"JSON", DataType::kJson},
      {"BYTES", DataType::kBytes},
      {"VARBINARY", DataType::kBytes},
      {"UUID", DataType::kUuid},
  };
  std::string upper(name);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  bool multi_value = false;
  if (upper.ends_with("_ARRAY")) {
    upper.resize(upper.size() - 6);
    multi_value = true;
  }
  const auto found = kTargets.find(upper);
  if (found == kTargets.end()) return std::nullopt;
  return ValueType{found->second, multi_value};
}

bool IsCastable(DataType from, DataType to) {
  if (from == to || from == DataType::kUnknown) return true;
  const bool bytes = from == DataType::kBytes || from == DataType::kUuid;
  switch (to) {
    case DataType::kBytes:
    case DataType::kUuid:
      return bytes || IsText(from);
    case DataType::kString:
    case DataType::kJson:
      return bytes || IsText(from) || ConvertsToNumber(from);
    case DataType::kMap:
    case DataType::kOpenStruct:
    case DataType::kUnknown:
      return false;
    default:
      return IsText(from) || ConvertsToNumber(from);
  }
}

Status CastValues(const ColumnVector& in, const CastRules& rules, ColumnVector& out) {
  WithPhysical(out.physical(),
               [&](auto tag) { out.values<decltype(tag)>().resize(in.flat_size()); });
  if (in.type() == DataType::kUnknown) return Status::Ok();
  const bool text = IsText(in.type());
  switch (out.type()) {
    case DataType::kInt:
      if (!text) return NumbersTo(in, out.values<int32_t>()), Status::Ok();
      return ParseAll(in, rules, out.values<int32_t>(),
                      [&](auto t) { return TextToInt(t, rules.lenient_text); });
    case DataType::kLong:
      if (!text) return NumbersTo(in, out.values<int64_t>()), Status::Ok();
      return ParseAll(in, rules, out.values<int64_t>(),
                      [&](auto t) { return TextToLong(t, rules.lenient_text); });
    case DataType::kTimestamp:
      if (!text) return NumbersTo(in, out.values<int64_t>()), Status::Ok();
      return ParseAll(in, rules, out.values<int64_t>(),
                      [](auto t) { return ParseTimestampText(t); });
    case DataType::kFloat:
      if (!text) return NumbersTo(in, out.values<float>()), Status::Ok();
      return ParseAll(in, rules, out.values<float>(), [](auto t) { return ParseJavaFloat(t); });
    case DataType::kDouble:
      if (!text) return NumbersTo(in, out.values<double>()), Status::Ok();
      return ParseAll(in, rules, out.values<double>(), [](auto t) { return ParseJavaDouble(t); });
    case DataType::kBoolean:
      return ToBoolean(in, out.values<int32_t>());
    case DataType::kBigDecimal:
      return ToDecimal(in, rules, out);
    case DataType::kString:
    case DataType::kJson:
      return ToText(in, out);
    default:
      return ToBytes(in, rules, out);
  }
}

const ColumnVector& ConvertTo(const ColumnVector& in, DataType to, ColumnVector& scratch) {
  if (in.type() == to) return in;
  scratch.Reset({to, false});
  const CastRules rules{.is_fault = [](size_t) { return false; }};
  const Status status = CastValues(in, rules, scratch);
  TRELLIS_CHECK(status.ok());
  if (in.is_constant()) {
    scratch.SetSize(1);
    scratch = ColumnVector::Constant(in.is_null(0) ? Value::Null(to) : scratch.Get(0), in.size());
    return scratch;
  }
  scratch.SetSize(in.size());
  if (in.has_nulls()) scratch.mutable_nulls() = in.nulls();
  return scratch;
}

void RegisterCast(Registry& registry) { registry.Add({"cast"}, Folding::kAllowed, ResolveCast); }

}  // namespace trellis::eval
