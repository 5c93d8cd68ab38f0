#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/plan/filter.h"
#include "common/vector/column_vector.h"

namespace trellis {

// A predicate's test of single values, prepared once: a set, a range or a pattern over the
// subject's type. The test is positive: kNotEqual and kNotIn are prepared as their opposites with
// `negated` set, because over multi-value rows they mean "no element matches". Immutable, safe for
// many threads.
class ValueMatcher {
 public:
  // Errors: Query(700) for a pattern that is refused. REQUIRES: not a null test.
  static Result<std::shared_ptr<const ValueMatcher>> Create(const plan::Predicate& predicate);
  virtual ~ValueMatcher() = default;

  bool negated() const { return negated_; }
  // Writes 1 for each flat value that matches, ignoring `negated` and nulls.
  virtual void MatchFlat(const ColumnVector& vector, std::vector<uint8_t>& matches) const = 0;
  const plan::Predicate& predicate() const { return predicate_; }

 protected:
  explicit ValueMatcher(const plan::Predicate& predicate) : predicate_(predicate) {
    negated_ = predicate.kind == plan::Predicate::Kind::kNotEqual ||
               predicate.kind == plan::Predicate::Kind::kNotIn;
  }
  plan::Predicate predicate_;
  bool negated_;
};

}  // namespace trellis
