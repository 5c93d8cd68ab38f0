#include "common/base/mailbox.h"

#include <catch2/catch.hpp>
#include <thread>

namespace trellis {

using Clock = std::chrono::steady_clock;

TEST_CASE("what is put is taken in order, all at once") {
  Mailbox<int> mailbox;
  int put = 0;
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) put += mailbox.Put(i) ? 1 : 0;
  });
  int next = 0;
  while (next < 100) {
    for (const int item : mailbox.Take(Clock::now() + std::chrono::seconds(20)))
      CHECK(item == next++);
  }
  writer.join();
  CHECK(put == 100);
  CHECK(mailbox.Take(Clock::now()).empty());
}

TEST_CASE("a closed mailbox hands out what is left and takes no more") {
  Mailbox<int> mailbox;
  CHECK(mailbox.Put(1));
  CHECK_FALSE(mailbox.closed());
  CHECK(mailbox.Close() == std::deque<int>{1});
  CHECK(mailbox.closed());
  CHECK_FALSE(mailbox.Put(2));
  CHECK(mailbox.Take(Clock::now()).empty());
}

}  // namespace trellis
