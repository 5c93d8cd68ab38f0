#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "common/aggregate/families.h"
#include "common/base/nearest_name.h"

namespace trellis::aggregate {
namespace {

struct Entry {
  std::string_view name;
  Resolved (*resolve)(const AggregateSpec&);
  size_t row_arguments;
  size_t min_arguments;
  size_t max_arguments;           // as written, literals included
  bool multi_value_name = false;  // `name` + "mv" is the same function
};

// Row arguments of COUNT are what is written: none for COUNT(*).
constexpr Entry kEntries[] = {
    {"count", ResolveCounting, 1, 0, 1},
    {"countmv", ResolveCounting, 1, 1, 1},
    {"sum", ResolveSum, 1, 1, 1, true},
    {"avg", ResolveSum, 1, 1, 1, true},
    {"sumint", ResolveSum, 1, 1, 1},
    {"sumlong", ResolveSum, 1, 1, 1},
    {"min", ResolveExtreme, 1, 1, 1, true},
    {"max", ResolveExtreme, 1, 1, 1, true},
    {"minmaxrange", ResolveExtreme, 1, 1, 1, true},
    {"minlong", ResolveExtreme, 1, 1, 1},
    {"maxlong", ResolveExtreme, 1, 1, 1},
    {"distinctcount", ResolveDistinct, 1, 1, 1, true},
    {"distinctsum", ResolveDistinct, 1, 1, 1, true},
    {"distinctavg", ResolveDistinct, 1, 1, 1, true},
    {"sumprecision", ResolveSumPrecision, 1, 1, 3},
    {"minstring", ResolveExtremeString, 1, 1, 1},
    {"maxstring", ResolveExtremeString, 1, 1, 1},
    {"booland", ResolveLogical, 1, 1, 1},
    {"boolor", ResolveLogical, 1, 1, 1},
    {"mode", ResolveMode, 1, 1, 2},
    {"percentile", ResolvePercentile, 1, 2, 2, true},
    {"varpop", ResolveVariance, 1, 1, 1},
    {"varsamp", ResolveVariance, 1, 1, 1},
    {"stddevpop", ResolveVariance, 1, 1, 1},
    {"stddevsamp", ResolveVariance, 1, 1, 1},
    {"skewness", ResolveFourthMoment, 1, 1, 1},
    {"kurtosis", ResolveFourthMoment, 1, 1, 1},
    {"covarpop", ResolveCovariance, 2, 2, 2},
    {"covarsamp", ResolveCovariance, 2, 2, 2},
    {"distinctcounthll", ResolveHyperLogLog, 1, 1, 2, true},
    {"distinctcountrawhll", ResolveHyperLogLog, 1, 1, 2, true},
    {"anyvalue", ResolveAnyValue, 1, 1, 1},
    {"firstwithtime", ResolveWithTime, 2, 3, 3},
    {"lastwithtime", ResolveWithTime, 2, 3, 3},
    {"histogram", ResolveHistogram, 1, 2, 4},
    {"arrayagg", ResolveArrayAgg, 1, 2, 3},
};

// Pinot's aggregations that Trellis does not compute. Bare or followed by a percentile, with or
// without MV.
constexpr std::string_view kUnsupported[] = {
    "avgvalueintegersumtuplesketch",
    "distinctcountbitmap",
    "distinctcountcpcsketch",
    "distinctcounthllplus",
    "distinctcountoffheap",
    "distinctcountrawcpcsketch",
    "distinctcountrawhllplus",
    "distinctcountrawintegersumtuplesketch",
    "distinctcountrawthetasketch",
    "distinctcountrawull",
    "distinctcountsmarthll",
    "distinctcountsmarthllplus",
    "distinctcountsmartull",
    "distinctcountthetasketch",
    "distinctcounttuplesketch",
    "distinctcountull",
    "exprmax",
    "exprmin",
    "fasthll",
    "fourthmoment",
    "frequentlongssketch",
    "frequentstringssketch",
    "funnelcompletecount",
    "funnelcount",
    "funneleventsfunctioneval",
    "funnelmatchstep",
    "funnelmaxstep",
    "funnelstepdurationstats",
    "idset",
    "listagg",
    "percentileest",
    "percentilekll",
    "percentilerawest",
    "percentilerawkll",
    "percentilerawtdigest",
    "percentilesmarttdigest",
    "percentiletdigest",
    "segmentpartitioneddistinctcount",
    "stunion",
    "sumarraydouble",
    "sumarraylong",
    "sumvaluesintegersumtuplesketch",
    "timeseriesaggregate",
};

std::string_view WithoutSuffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

const Entry* FindEntry(std::string_view name) {
  const std::string_view base = WithoutSuffix(name, "mv");
  for (const Entry& entry : kEntries) {
    if (entry.name == name || (entry.multi_value_name && entry.name == base)) return &entry;
  }
  return nullptr;
}

// The 90 of `percentile90` and `percentile90mv`.
std::optional<double> ImpliedPercentile(std::string_view name) {
  constexpr std::string_view kPrefix = "percentile";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view digits = WithoutSuffix(name, "mv").substr(kPrefix.size());
  if (digits.empty() || digits.size() > 3) return std::nullopt;
  int percentile = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), percentile);
  if (end.ec != std::errc() || end.ptr != digits.data() + digits.size() || digits[0] == '-')
    return std::nullopt;
  return percentile;
}

bool IsUnsupported(std::string_view name) {
  name = WithoutSuffix(name, "mv");
  const std::string_view bare = name.substr(0, name.find_last_not_of("0123456789") + 1);
  const auto is = [](std::string_view wanted) {
    return std::find(std::begin(kUnsupported), std::end(kUnsupported), wanted) !=
           std::end(kUnsupported);
  };
  return is(name) || (bare.starts_with("percentile") && is(bare));
}

Status WrongCount(std::string_view name, const Entry& entry, size_t count) {
  if (entry.min_arguments == entry.max_arguments) {
    return Status::Query(PinotCode::kQueryValidation, "{} takes {} arguments, got {}", name,
                         entry.min_arguments, count);
  }
  return Status::Query(PinotCode::kQueryValidation, "{} takes {} to {} arguments, got {}", name,
                       entry.min_arguments, entry.max_arguments, count);
}

}  // namespace

Result<AggregateSyntax> FindAggregate(std::string_view name, size_t argument_count) {
  AggregateSyntax syntax;
  syntax.print_name = name;
  const std::optional<double> percentile = ImpliedPercentile(name);
  const Entry* entry = FindEntry(percentile ? "percentile" : name == "$sum0" ? "sum" : name);
  if (entry == nullptr) {
    if (IsUnsupported(name)) {
      return Status::Query(PinotCode::kQueryValidation,
                           "aggregation {} is not supported yet by Trellis", name);
    }
    return Status::NotFound("{} is no aggregation", name);
  }
  if (percentile) {
    syntax.implied.push_back(Value::Double(*percentile));
    if (argument_count != 1) {
      return Status::Query(PinotCode::kQueryValidation, "{} takes 1 argument, got {}", name,
                           argument_count);
    }
  } else if (argument_count < entry->min_arguments || argument_count > entry->max_arguments) {
    return WrongCount(name, *entry, argument_count);
  }
  syntax.function = entry->name;
  syntax.row_arguments = std::min(entry->row_arguments, argument_count);
  return syntax;
}

bool IsAggregate(std::string_view name) {
  return FindEntry(name) != nullptr || ImpliedPercentile(name) || name == "$sum0" ||
         IsUnsupported(name);
}

std::vector<std::string> AggregateNames() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    names.emplace_back(entry.name);
    if (entry.multi_value_name) names.push_back(fmt::format("{}mv", entry.name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::shared_ptr<const AggregateFunction>> ResolveAggregate(const AggregateSpec& spec) {
  const auto* entry = std::find_if(std::begin(kEntries), std::end(kEntries),
                                   [&](const Entry& e) { return e.name == spec.function; });
  if (entry == std::end(kEntries)) {
    return Status::Query(PinotCode::kQueryValidation, "Unsupported function: {}{}", spec.function,
                         DidYouMean(spec.function, AggregateNames()));
  }
  const size_t rows = spec.argument_types.size();
  if (rows != entry->row_arguments && !(entry->min_arguments == 0 && rows == 0)) {
    return Status::Query(PinotCode::kQueryValidation, "{} reads {} columns, got {}", spec.function,
                         entry->row_arguments, rows);
  }
  return entry->resolve(spec);
}

}  // namespace trellis::aggregate
