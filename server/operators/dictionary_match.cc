#include "server/operators/dictionary_match.h"

#include <algorithm>
#include <numeric>

namespace trellis::server {

Result<size_t> MatchDictionary(const ValueMatcher& matcher, const column::Dictionary& dictionary,
                               std::vector<uint8_t>& matches) {
  using Kind = plan::Predicate::Kind;
  const plan::Predicate& predicate = matcher.predicate();
  const size_t size = dictionary.size();
  matches.assign(size, 0);
  if (predicate.kind == Kind::kRange) {
    uint32_t first = 0;
    auto last = static_cast<uint32_t>(size);  // one past
    const auto bound = [&](const Value& value, bool past_equal) {
      uint32_t at = dictionary.LowerBound(value);
      if (past_equal && dictionary.Find(value)) ++at;
      return at;
    };
    if (predicate.lower) first = bound(*predicate.lower, !predicate.lower_inclusive);
    if (predicate.upper) last = bound(*predicate.upper, predicate.upper_inclusive);
    if (first >= last) return size_t{0};
    std::fill(matches.begin() + first, matches.begin() + last, 1);
    return size_t{last - first};
  }
  if (predicate.kind != Kind::kLike && predicate.kind != Kind::kRegexpLike) {
    size_t count = 0;
    for (const Value& value : predicate.values) {
      const auto id = dictionary.Find(value);
      if (id && !matches[*id]) {
        matches[*id] = 1;
        ++count;
      }
    }
    return count;
  }
  // Patterns look at every value, in batches.
  constexpr size_t kBatch = 4096;
  ColumnVector values;
  std::vector<uint32_t> ids;
  std::vector<uint8_t> some;
  size_t count = 0;
  for (size_t from = 0; from < size; from += kBatch) {
    ids.resize(std::min(kBatch, size - from));
    std::iota(ids.begin(), ids.end(), static_cast<uint32_t>(from));
    TRELLIS_RETURN_IF_ERROR(dictionary.Gather(ids, values));
    matcher.MatchFlat(values, some);
    for (size_t i = 0; i < some.size(); ++i) {
      matches[from + i] = some[i];
      count += some[i];
    }
  }
  return count;
}

}  // namespace trellis::server
