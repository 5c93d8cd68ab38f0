#include "broker/dispatch/attempt.h"

#include <catch2/catch.hpp>

#include "tests/unit/broker/dispatch/made_catalog.h"

namespace trellis::broker {
namespace {

// An attempt for ids 2, 4 and 6 of a server with ordinals 100, 101, ...
Attempt Three() {
  const auto catalog = MakeCatalog({{"a", SegmentNames(0, 10), {"known"}, true}});
  const Route route = RouteOf(catalog);
  Attempt attempt;
  attempt.replica.table = route.table;
  attempt.replica.share.part = route.shares[0].part;
  attempt.replica.share.ids = std::make_shared<const Roaring>(Roaring::bitmapOf(3, 2, 4, 6));
  attempt.replica.share.count = 3;
  return attempt;
}

}  // namespace

TEST_CASE("missing names, broken ones and ordinals are ids, where the list has them") {
  const Attempt attempt = Three();
  wire::LeafAccepted accepted;
  CHECK(MissingOf(attempt, accepted).isEmpty());
  accepted.missing = {"segment_000004", "segment_000005", "no such", ""};
  CHECK(MissingOf(attempt, accepted) == Roaring::bitmapOf(1, 4));
  accepted.broken = {{"segment_000002", "cut"}};
  CHECK(MissingOf(attempt, accepted) == Roaring::bitmapOf(2, 2, 4));
  accepted.missing_ordinals = Roaring::bitmapOf(4, 0, 103, 106, 4'000'000'000);
  CHECK(MissingOf(attempt, accepted) == Roaring::bitmapOf(3, 2, 4, 6));
}

TEST_CASE("what is missing of a later catalog's list is told in the route's ids") {
  Attempt attempt = Three();
  attempt.replica.translation = {{2, 20}, {4, 41}, {6, 60}};
  wire::LeafAccepted accepted;
  accepted.missing = {"segment_000004"};
  accepted.missing_ordinals = Roaring::bitmapOf(1, 106);
  CHECK(MissingOf(attempt, accepted) == Roaring::bitmapOf(2, 41, 60));
}

TEST_CASE("a wrong query is wrong everywhere, a bad disk is not") {
  CHECK(IsFaultOfQuery(Status::InvalidArgument("no such function")));
  CHECK(IsFaultOfQuery(Status::Unimplemented("no such operator")));
  CHECK(IsFaultOfQuery(Status::ResourceExhausted("too many groups")));
  CHECK_FALSE(IsFaultOfQuery(Status::Corrupt("bad checksum")));
  CHECK_FALSE(IsFaultOfQuery(Status::Unavailable("shutting down")));
  CHECK_FALSE(IsFaultOfQuery(Status::Internal("a bug")));
}

}  // namespace trellis::broker
