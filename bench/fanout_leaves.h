#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trellis::bench {

// A query with this id is answered with the number of segments in its list, as segments_queried;
// others are answered without a look at it.
inline constexpr char kCountingQuery[] = "count";

// Leaf servers in a process of their own, this program run again, so that what they cost is not
// taken for the broker's. Ends with the object, and with this process.
class LeafProcess {
 public:
  explicit LeafProcess(size_t servers);
  ~LeafProcess();
  LeafProcess(const LeafProcess&) = delete;
  LeafProcess& operator=(const LeafProcess&) = delete;
  const std::vector<std::string>& targets() const { return targets_; }

 private:
  pid_t process_ = -1;
  std::vector<std::string> targets_;
};

// The other end: when the program was started as such a process, serves until it is told to end
// and returns its exit code.
std::optional<int> RunAsLeafProcess(int argc, char** argv);

}  // namespace trellis::bench
