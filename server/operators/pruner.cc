#include <algorithm>

#include "server/operators/document_filter.h"

namespace trellis::server {
namespace {

using plan::Filter;
using plan::Predicate;

// IN lists longer than this are not tested against min/max (Pinot's inPredicatePruningThreshold).
constexpr size_t kInValuesMax = 10;

class ColumnPruner {
 public:
  ColumnPruner(const segment::Segment& segment, const segment::ColumnMetadata& column)
      : segment_(segment), column_(column) {}

  Result<bool> Prunes(const Predicate& predicate) {
    switch (predicate.kind) {
      case Predicate::Kind::kEqual:
      case Predicate::Kind::kIn: {
        if (predicate.values.size() > kInValuesMax) return false;
        FindBounds();
        for (const Value& value : predicate.values) {
          TRELLIS_ASSIGN_OR_RETURN(const bool absent, Absent(value));
          if (!absent) return false;
        }
        return true;
      }
      case Predicate::Kind::kRange:
        FindBounds();
        return OutOfRange(predicate);
      default:
        return false;
    }
  }

 private:
  void FindBounds() {
    if (column_.min_certain) min_ = column_.min_value;
    if (column_.max_certain) max_ = column_.max_value;
    if ((!column_.min_certain || !column_.max_certain) && column_.has_dictionary) TakeEnds();
  }

  // The ends of the dictionary, which are exact. A column that cannot be opened prunes nothing: the
  // scan tells why.
  void TakeEnds() {
    // The entries of old ones, without their padding, need not be in order (DictionaryPadding).
    if (segment_.metadata().padding_character != std::string_view("\0", 1)) return;
    const auto column = segment_.OpenColumn(column_.field.name);
    if (!column.ok() || (*column)->dictionary() == nullptr) return;
    const column::Dictionary& dictionary = *(*column)->dictionary();
    if (dictionary.size() == 0) return;
    auto first = dictionary.At(0);
    auto last = dictionary.At(static_cast<uint32_t>(dictionary.size() - 1));
    if (!first.ok() || !last.ok()) return;
    min_ = std::move(*first);
    max_ = std::move(*last);
  }

  // Min and max of a floating column say nothing of its NaNs, which no range and no equality
  // matches, so they may be used unless they are NaN themselves.
  static bool Usable(const std::optional<Value>& bound, DataType type) {
    if (!bound || bound->is_null() || bound->type() != type) return false;
    if (type != DataType::kFloat && type != DataType::kDouble) return true;
    const double v = bound->AsDouble();
    return v == v;
  }

  Result<bool> Absent(const Value& value) {
    const DataType type = column_.field.type;
    if (value.type() != type) return false;
    if (Usable(min_, type) && CompareValues(value, *min_) < 0) return true;
    if (Usable(max_, type) && CompareValues(value, *max_) > 0) return true;
    if (!segment_.directory().Has(column_.field.name, "bloom_filter")) return false;
    TRELLIS_ASSIGN_OR_RETURN(const segment::ColumnPointer column,
                             segment_.OpenColumn(column_.field.name));
    return column->bloom() && !column->bloom()->MayContain(value);
  }

  bool OutOfRange(const Predicate& predicate) const {
    const DataType type = column_.field.type;
    if (predicate.lower && predicate.upper && predicate.lower->type() == predicate.upper->type()) {
      const int order = CompareValues(*predicate.lower, *predicate.upper);
      if (order > 0 || (order == 0 && !(predicate.lower_inclusive && predicate.upper_inclusive)))
        return true;
    }
    if (predicate.lower && predicate.lower->type() == type && Usable(max_, type)) {
      const int order = CompareValues(*predicate.lower, *max_);
      if (order > 0 || (order == 0 && !predicate.lower_inclusive)) return true;
    }
    if (predicate.upper && predicate.upper->type() == type && Usable(min_, type)) {
      const int order = CompareValues(*predicate.upper, *min_);
      if (order < 0 || (order == 0 && !predicate.upper_inclusive)) return true;
    }
    return false;
  }

  const segment::Segment& segment_;
  const segment::ColumnMetadata& column_;
  std::optional<Value> min_, max_;  // what may be believed
};

}  // namespace

Result<bool> PrunedByValue(const Filter& filter, const segment::Segment& segment) {
  if (segment.document_count() == 0) return true;
  switch (filter.kind) {
    case Filter::Kind::kFalse:
      return true;
    case Filter::Kind::kAnd:
      for (const Filter& child : filter.children) {
        TRELLIS_ASSIGN_OR_RETURN(const bool pruned, PrunedByValue(child, segment));
        if (pruned) return true;
      }
      return false;
    case Filter::Kind::kOr:
      for (const Filter& child : filter.children) {
        TRELLIS_ASSIGN_OR_RETURN(const bool pruned, PrunedByValue(child, segment));
        if (!pruned) return false;
      }
      return !filter.children.empty();
    case Filter::Kind::kPredicate: {
      if (!filter.predicate.subject.is_column()) return false;
      const segment::ColumnMetadata* column =
          segment.metadata().Find(filter.predicate.subject.name);
      return column ? ColumnPruner(segment, *column).Prunes(filter.predicate) : Result<bool>(false);
    }
    case Filter::Kind::kTrue:
    case Filter::Kind::kNot:
      break;
  }
  return false;
}

}  // namespace trellis::server
