#include "common/predicate/value_matcher.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <optional>

#include "common/base/string_hash.h"
#include "common/eval/text_pattern.h"
#include "common/types/big_decimal.h"
#include "common/types/text_order.h"
#include "common/types/value_payload.h"

namespace trellis {
namespace {

using Kind = plan::Predicate::Kind;

bool IsRange(Kind kind) { return kind == Kind::kRange; }

// Numbers: comparisons are the machine's own, so that NaN never matches a raw range.
template <class T>
class NumberMatcher : public ValueMatcher {
 public:
  explicit NumberMatcher(const plan::Predicate& predicate) : ValueMatcher(predicate) {
    for (const Value& value : predicate.values) values_.push_back(PayloadAs<T>(value));
    if (values_.size() > kLinearMax) set_.insert(values_.begin(), values_.end());
  }

  void MatchFlat(const ColumnVector& vector, std::vector<uint8_t>& matches) const override {
    const auto& flat = vector.values<T>();
    matches.resize(flat.size());
    if (IsRange(predicate_.kind)) return MatchRange(flat, matches);
    if (values_.size() == 1) {
      const T wanted = values_[0];
      for (size_t i = 0; i < flat.size(); ++i) matches[i] = flat[i] == wanted;
      return;
    }
    for (size_t i = 0; i < flat.size(); ++i) {
      matches[i] = set_.empty()
                       ? std::find(values_.begin(), values_.end(), flat[i]) != values_.end()
                       : set_.contains(flat[i]);
    }
  }

 private:
  static constexpr size_t kLinearMax = 8;

  void MatchRange(const std::vector<T>& flat, std::vector<uint8_t>& matches) const {
    std::fill(matches.begin(), matches.end(), 1);
    if (predicate_.lower) {
      const T bound = PayloadAs<T>(*predicate_.lower);
      if (predicate_.lower_inclusive) {
        for (size_t i = 0; i < flat.size(); ++i) matches[i] &= flat[i] >= bound;
      } else {
        for (size_t i = 0; i < flat.size(); ++i) matches[i] &= flat[i] > bound;
      }
    }
    if (!predicate_.upper) return;
    const T bound = PayloadAs<T>(*predicate_.upper);
    if (predicate_.upper_inclusive) {
      for (size_t i = 0; i < flat.size(); ++i) matches[i] &= flat[i] <= bound;
    } else {
      for (size_t i = 0; i < flat.size(); ++i) matches[i] &= flat[i] < bound;
    }
  }
  std::vector<T> values_;
  absl::flat_hash_set<T> set_;
};

// STRING, JSON, BYTES, UUID.
class BytesMatcher : public ValueMatcher {
 public:
  BytesMatcher(const plan::Predicate& predicate, std::optional<eval::TextPattern> pattern)
      : ValueMatcher(predicate), pattern_(std::move(pattern)) {
    for (const Value& value : predicate_.values) values_.insert(value.bytes());
  }

  void MatchFlat(const ColumnVector& vector, std::vector<uint8_t>& matches) const override {
    const auto& flat = vector.values<std::string_view>();
    matches.resize(flat.size());
    if (pattern_) {
      for (size_t i = 0; i < flat.size(); ++i) matches[i] = pattern_->Matches(flat[i]);
    } else if (IsRange(predicate_.kind)) {
      const bool text = IsText(vector.type());
      for (size_t i = 0; i < flat.size(); ++i) matches[i] = InRange(flat[i], text);
    } else {
      for (size_t i = 0; i < flat.size(); ++i) matches[i] = values_.contains(flat[i]);
    }
  }

 private:
  bool InRange(std::string_view value, bool text) const {
    const auto compare = [&](const std::string& bound) {
      return text ? CompareUtf16(value, bound) : value.compare(bound);
    };
    if (predicate_.lower) {
      const int order = compare(predicate_.lower->bytes());
      if (order < 0 || (order == 0 && !predicate_.lower_inclusive)) return false;
    }
    if (predicate_.upper) {
      const int order = compare(predicate_.upper->bytes());
      if (order > 0 || (order == 0 && !predicate_.upper_inclusive)) return false;
    }
    return true;
  }
  std::optional<eval::TextPattern> pattern_;
  absl::flat_hash_set<std::string, StringHash, StringEqual> values_;
};

class DecimalMatcher : public ValueMatcher {
 public:
  explicit DecimalMatcher(const plan::Predicate& predicate) : ValueMatcher(predicate) {}

  void MatchFlat(const ColumnVector& vector, std::vector<uint8_t>& matches) const override {
    const auto& flat = vector.values<std::string_view>();
    matches.resize(flat.size());
    for (size_t i = 0; i < flat.size(); ++i)
      matches[i] = Matches(Value::Bytes(DataType::kBigDecimal, std::string(flat[i])));
  }

 private:
  bool Matches(const Value& value) const {
    if (!IsRange(predicate_.kind)) {
      return std::any_of(predicate_.values.begin(), predicate_.values.end(),
                         [&](const Value& wanted) { return CompareValues(value, wanted) == 0; });
    }
    if (predicate_.lower) {
      const int order = CompareValues(value, *predicate_.lower);
      if (order < 0 || (order == 0 && !predicate_.lower_inclusive)) return false;
    }
    if (predicate_.upper) {
      const int order = CompareValues(value, *predicate_.upper);
      if (order > 0 || (order == 0 && !predicate_.upper_inclusive)) return false;
    }
    return true;
  }
};

}  // namespace

Result<std::shared_ptr<const ValueMatcher>> ValueMatcher::Create(const plan::Predicate& predicate) {
  const DataType type = predicate.subject.type.type;
  std::optional<eval::TextPattern> pattern;
  if (predicate.kind == Kind::kLike || predicate.kind == Kind::kRegexpLike) {
    if (!IsText(type)) {
      return Status::Query(PinotCode::kQueryValidation,
                           "LIKE and REGEXP_LIKE need a STRING, not {}", DataTypeName(type));
    }
    auto compiled = predicate.kind == Kind::kLike
                        ? eval::TextPattern::Like(predicate.pattern)
                        : eval::TextPattern::Regexp(predicate.pattern, predicate.ignore_case);
    TRELLIS_RETURN_IF_ERROR(compiled.status());
    pattern = *compiled;
  }
  if (type == DataType::kBigDecimal)
    return std::shared_ptr<const ValueMatcher>(std::make_shared<DecimalMatcher>(predicate));
  return WithPhysical(PhysicalOf(type), [&](auto tag) -> std::shared_ptr<const ValueMatcher> {
    using T = decltype(tag);
    if constexpr (std::is_same_v<T, std::string_view>) {
      return std::make_shared<BytesMatcher>(predicate, std::move(pattern));
    } else {
      return std::make_shared<NumberMatcher<T>>(predicate);
    }
  });
}

}  // namespace trellis
