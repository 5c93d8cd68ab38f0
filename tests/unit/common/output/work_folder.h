#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace trellis {

// A folder of a test's own, removed with all in it. Any number may live at a time.
struct WorkFolder {
  static inline std::atomic<int> made = 0;
  std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("trellis-test-" + std::to_string(::getpid()) + "-" + std::to_string(++made));

  WorkFolder() { std::filesystem::create_directories(path); }
  ~WorkFolder() { std::filesystem::remove_all(path); }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  size_t entries() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path), {}));
  }
};

inline std::string ContentOf(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace trellis
