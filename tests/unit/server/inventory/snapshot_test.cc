#include "server/inventory/snapshot.h"

#include <thread>

#include "tests/unit/server/inventory/inventory_maker.h"

namespace trellis::server {
namespace {

TEST_CASE("everything is the open segments in ordinal order, made once for all who ask") {
  Snapshot snapshot;
  for (uint64_t i = 0; i < 600; ++i)
    snapshot.slots.Append(i % 3 == 0 ? Announced("s", i) : Opened("s", i));
  Roaring dropped;
  dropped.add(1);
  dropped.add(3);
  snapshot.slots.Drop(dropped);
  snapshot.alive_ordinals.addRange(0, 600);
  snapshot.alive_ordinals -= dropped;
  CHECK_FALSE(snapshot.everything_made());
  std::vector<const segment::Segment*> expected;
  for (uint64_t i = 0; i < 600; ++i)
    if (i % 3 != 0 && i != 1) expected.push_back(OpenSegments()[i % OpenSegments().size()].get());
  std::vector<std::thread> threads;
  std::atomic<int> same{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto segments = snapshot.segments();
      same += std::equal(segments.begin(), segments.end(), expected.begin(), expected.end());
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == 4);
  CHECK(snapshot.everything_made());
  CHECK(snapshot.everything().count == 598);
  CHECK(snapshot.everything().without_files.cardinality() == 199);
  CHECK(snapshot.everything().documents_total == 1'000 * 399);
  CHECK(snapshot.segments().data() == snapshot.segments().data());
}

TEST_CASE("a choice has the open segments of its ordinals and names the others") {
  Snapshot snapshot;
  for (uint64_t i = 0; i < 300; ++i)
    snapshot.slots.Append(i == 280 ? Announced("s", i) : Opened("s", i));
  Roaring ordinals;
  for (const uint32_t ordinal : {2u, 280u, 299u}) ordinals.add(ordinal);
  Resolution resolution;
  snapshot.Choose(ordinals, resolution);
  CHECK(resolution.selection.chosen ==
        std::vector<const segment::Segment*>{OpenSegments()[2].get(),
                                             OpenSegments()[299 % OpenSegments().size()].get()});
  CHECK(resolution.selection.documents_total == 2'000);
  CHECK(resolution.missing_ordinals == Roaring::bitmapOf(1, 280));
}

TEST_CASE("a description finds its broken segments by name") {
  TableInfo info = InfoOf("t_OFFLINE");
  info.broken = {{"a", "cut short"}, {"b", "empty"}};
  const Description description(info);
  CHECK(description.broken.at(std::string_view("b"))->reason == "empty");
  CHECK_FALSE(description.broken.contains(std::string_view("c")));
}

}  // namespace
}  // namespace trellis::server
