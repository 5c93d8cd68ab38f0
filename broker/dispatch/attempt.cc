#include "broker/dispatch/attempt.h"

#include <set>
#include <string_view>

namespace trellis::broker {

Roaring MissingOf(const Attempt& attempt, const wire::LeafAccepted& accepted) {
  const RoutedShare& share = attempt.replica.share;
  Roaring missing;
  if (!accepted.missing.empty() || !accepted.broken.empty()) {
    std::set<std::string_view> names(accepted.missing.begin(), accepted.missing.end());
    for (const wire::BrokenSegment& broken : accepted.broken) names.insert(broken.name);
    for (const uint32_t id : *share.ids) {
      if (names.contains(attempt.replica.table->segments->name(id))) missing.add(id);
    }
  }
  if (!accepted.missing_ordinals.isEmpty()) {
    const ServerPart& part = *share.part;
    for (size_t i = 0; i < part.ordinals.size(); ++i) {
      if (accepted.missing_ordinals.contains(part.ordinals[i]) && share.ids->contains(part.ids[i]))
        missing.add(part.ids[i]);
    }
  }
  return attempt.replica.ToRouted(missing);
}

bool IsFaultOfQuery(const Status& done) {
  return done.code() == StatusCode::kInvalidArgument || done.code() == StatusCode::kUnimplemented ||
         done.code() == StatusCode::kOutOfRange || done.code() == StatusCode::kResourceExhausted;
}

}  // namespace trellis::broker
