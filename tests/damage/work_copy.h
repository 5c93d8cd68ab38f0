#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace trellis::damage {

// One way to damage a file of a segment.
struct Mutation {
  std::string file;  // relative to the segment
  uint64_t offset = 0;
  std::string bytes;        // written at `offset`
  bool truncates = false;   // the file ends at `offset` instead
  std::string description;  // for people
};

// A copy of a segment directory that is damaged and mended again. Not thread-safe.
class WorkCopy {
 public:
  explicit WorkCopy(const std::filesystem::path& segment);
  ~WorkCopy();
  WorkCopy(const WorkCopy&) = delete;
  WorkCopy& operator=(const WorkCopy&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // The undamaged content of every file, by its path relative to the segment.
  const std::map<std::string, std::string>& files() const { return files_; }
  void Apply(const Mutation& mutation);
  void Mend(const Mutation& mutation);

 private:
  std::filesystem::path root_;
  std::filesystem::path path_;
  std::map<std::string, std::string> files_;
};

}  // namespace trellis::damage
