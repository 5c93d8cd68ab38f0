#include "broker/cluster/publish_pace.h"

#include <catch2/catch.hpp>

namespace trellis::broker {

using std::chrono::milliseconds;
using Clock = PublishPace::Clock;

TEST_CASE("nothing is due while nothing has changed, and the first change is due at once") {
  PublishPace pace;
  CHECK(pace.due() == Clock::time_point::max());
  pace.Changed(false);
  CHECK(pace.due() <= Clock::now());
  const auto end = Clock::now();
  pace.Published(end - milliseconds(5), end);
  CHECK(pace.due() == Clock::time_point::max());
}

TEST_CASE("building takes a tenth of the time, or half of it where a server came or went") {
  PublishPace pace;
  const auto end = Clock::now();
  pace.Published(end - milliseconds(200), end);
  pace.Changed(false);
  CHECK(pace.due() == end + milliseconds(1'800));
  pace.Changed(true);
  CHECK(pace.due() == end + milliseconds(200));
  pace.Changed(false);  // what is due is not put off
  CHECK(pace.due() == end + milliseconds(200));
}

}  // namespace trellis::broker
