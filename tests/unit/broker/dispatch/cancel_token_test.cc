#include "broker/dispatch/cancel_token.h"

#include <catch2/catch.hpp>

namespace trellis::broker {

TEST_CASE("a cancel token runs its stop once, on Cancel or at once after it") {
  CancelToken token;
  int stops = 0;
  token.OnCancel([&] { ++stops; });
  CHECK(stops == 0);
  CHECK_FALSE(token.cancelled());
  token.Cancel();
  token.Cancel();
  CHECK(stops == 1);
  CHECK(token.cancelled());
  token.OnCancel([&] { stops += 10; });
  CHECK(stops == 11);
  CancelToken removed;
  removed.OnCancel([&] { stops += 100; });
  removed.OnCancel(nullptr);
  removed.Cancel();
  CHECK(stops == 11);
}

}  // namespace trellis::broker
