#include "common/config/stop_signal.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

namespace trellis::config {
namespace {

// Signal masks are the process's own, so each case runs in a child: its exit status is the answer.
template <class Body>
int ExitStatusOf(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGTERM, SIG_DFL);  // Catch has handlers of its own
    std::signal(SIGINT, SIG_DFL);
    alarm(10);  // a Wait that never returns ends the child by SIGALRM
    _exit(body());
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("Wait returns at SIGTERM and at SIGINT, also one sent before it") {
  for (const int signal : {SIGTERM, SIGINT}) {
    const int status = ExitStatusOf([signal] {
      StopSignal stop;
      kill(getpid(), signal);
      stop.Wait();
      return 7;
    });
    CHECK(status == 7);
  }
}

TEST_CASE("without a StopSignal the same signal ends the process") {
  const int status = ExitStatusOf([] {
    kill(getpid(), SIGTERM);
    return 7;
  });
  CHECK(status == 1000 + SIGTERM);
}

TEST_CASE("a signal is not lost on a thread that was started after it") {
  const int status = ExitStatusOf([] {
    StopSignal stop;
    pthread_t thread;
    const auto sender = [](void*) -> void* {
      kill(getpid(), SIGTERM);
      return nullptr;
    };
    if (pthread_create(&thread, nullptr, sender, nullptr) != 0) return 1;
    stop.Wait();
    pthread_join(thread, nullptr);
    return 7;
  });
  CHECK(status == 7);
}

TEST_CASE("a write to a peer that left is an error, not a signal") {
  const int status = ExitStatusOf([] {
    StopSignal stop;
    int ends[2];
    if (pipe(ends) != 0) return 1;
    close(ends[0]);
    return write(ends[1], "x", 1) == -1 ? 7 : 2;
  });
  CHECK(status == 7);
}

}  // namespace trellis::config
