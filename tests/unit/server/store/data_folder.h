#pragma once

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "server/store/data_directory.h"

namespace trellis::server {

namespace fs = std::filesystem;
inline const fs::path kExamples = TRELLIS_EXAMPLE_DATA;
inline constexpr char kSegment[] = "rides_2026-06-01_2026-06-07";
inline constexpr char kOther[] = "rides_2026-06-08_2026-06-14";

// A data directory for one test, removed with the object.
class DataFolder {
 public:
  DataFolder() {
    static int count = 0;
    path_ = fs::temp_directory_path() / fmt::format("server_store_{}_{}", ::getpid(), count++);
    fs::create_directories(path_);
  }
  ~DataFolder() { fs::remove_all(path_); }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const fs::path& path() const { return path_; }
  DataFolder& Segment(const std::string& table, const std::string& segment) {
    fs::create_directories(path_ / table);
    fs::copy(kExamples / "rides" / segment, path_ / table / segment,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    return *this;
  }
  DataFolder& Archive(const std::string& table, const std::string& segment) {
    fs::create_directories(path_ / table);
    const std::string command =
        fmt::format("tar -czf '{}' -C '{}' '{}'", (path_ / table / (segment + ".tar.gz")).string(),
                    (kExamples / "rides").string(), segment);
    REQUIRE(std::system(command.c_str()) == 0);
    return *this;
  }
  DataFolder& File(const std::string& name, std::string_view text) {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this;
  }
  DataFolder& Remove(const std::string& name) {
    fs::remove_all(path_ / name);
    return *this;
  }
  std::unique_ptr<DataDirectory> Open() const {
    auto opened = DataDirectory::Open(path_, {.threads = 3});
    REQUIRE(opened.status().message() == "");
    return std::move(*opened);
  }

 private:
  fs::path path_;
};

inline std::string Slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Snapshot = std::shared_ptr<const InventorySnapshot>;

inline Snapshot TableOf(const DataDirectory& data, const std::string& name) {
  const auto table = data.inventory()->Find(name);
  REQUIRE(table != nullptr);
  return table->current();
}

inline std::vector<std::string> NamesOf(const Snapshot& table) {
  std::vector<std::string> names;
  for (const uint32_t ordinal : table->alive()) names.push_back(table->Find(ordinal)->facts.name);
  return names;
}

// A table of the example's directory, opened once a test binary.
inline Snapshot ExampleTable(const std::string& name) {
  static const auto examples = DataDirectory::Open(kExamples, {}).value();
  return TableOf(*examples, name);
}

}  // namespace trellis::server
