#pragma once

namespace trellis::config {

// Turns SIGTERM and SIGINT into something main can wait for. Create it before any thread, so that
// every thread inherits the blocked signals. Also ignores SIGPIPE: a peer that left is an error of
// its connection.
class StopSignal {
 public:
  StopSignal();
  // Returns at the first of the two signals.
  void Wait();
};

}  // namespace trellis::config
