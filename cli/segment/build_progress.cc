#include "cli/segment/build_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace trellis::cli {
namespace {

constexpr auto kRedrawEvery = std::chrono::milliseconds(100);
constexpr size_t kBarWidth = 20;
constexpr char kWipeLine[] = "\r\033[K";

std::string Bar(double share) {
  const auto full = static_cast<size_t>(share * kBarWidth);
  return fmt::format("{:3.0f}% [{}{}]", share * 100, std::string(full, '#'),
                     std::string(kBarWidth - full, ' '));
}

}  // namespace

std::string ReadingLine(uint64_t bytes, uint64_t of, uint64_t rows, double seconds) {
  std::string line = "reading ";
  const double share =
      of == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(of));
  if (of > 0) line += Bar(share) + " ";
  line += fmt::format("{} rows", rows);
  if (seconds <= 0) return line;
  line += fmt::format(", {:.1f} MB/s", static_cast<double>(bytes) / seconds / 1e6);
  if (share <= 0) return line;
  const auto left = static_cast<uint64_t>(seconds * (1 - share) / share);
  return line + fmt::format(", {}:{:02} left", left / 60, left % 60);
}

BuildProgress::BuildProgress(std::ostream& out, bool on, uint64_t bytes)
    : out_(out), on_(on), bytes_(bytes) {}

bool BuildProgress::Due() { return on_ && Clock::now() - drawn_ >= kRedrawEvery; }

void BuildProgress::Draw(const std::string& line) {
  out_ << kWipeLine << line << std::flush;
  drawn_ = Clock::now();
  visible_ = true;
}

void BuildProgress::Read(uint64_t bytes, uint64_t rows) {
  if (!Due()) return;
  const std::chrono::duration<double> taken = Clock::now() - start_;
  Draw(ReadingLine(bytes, bytes_, rows, taken.count()));
}

void BuildProgress::Written(size_t columns, size_t of) {
  if (!Due() && (!on_ || columns != of)) return;
  Draw("writing " + Bar(of == 0 ? 1 : static_cast<double>(columns) / static_cast<double>(of)) +
       fmt::format(" {} of {} columns", columns, of));
}

void BuildProgress::Wipe() {
  if (visible_) out_ << kWipeLine << std::flush;
  visible_ = false;
}

}  // namespace trellis::cli
