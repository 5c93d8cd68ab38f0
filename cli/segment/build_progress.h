#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace trellis::cli {

// One line on a terminal that redraws itself, ten times a second at most, and is wiped at the end.
// Not thread-safe.
class BuildProgress {
 public:
  // Says nothing when `on` is false. `bytes` of input in all, 0 when that is not known.
  BuildProgress(std::ostream& out, bool on, uint64_t bytes);
  ~BuildProgress() { Wipe(); }

  void Read(uint64_t bytes, uint64_t rows);
  void Written(size_t columns, size_t of);
  // Makes room for a line of something else.
  void Wipe();

 private:
  using Clock = std::chrono::steady_clock;
  bool Due();
  void Draw(const std::string& line);

  std::ostream& out_;
  const bool on_;
  const uint64_t bytes_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_;
  bool visible_ = false;
};

// The line while rows are read: `reading  45% [#########           ] 1234567 rows, 85.0 MB/s,
// 0:12 left`. What is not known is left out.
std::string ReadingLine(uint64_t bytes, uint64_t of, uint64_t rows, double seconds);

}  // namespace trellis::cli
