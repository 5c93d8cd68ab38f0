#include "common/segment/temporary_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace trellis::segment {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "trellis-segments-";
// Between making a folder and locking it, it looks abandoned.
constexpr auto kAbandonedAge = std::chrono::seconds(60);

// The descriptor of a locked folder, or -1. The lock goes with the process.
int Lock(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
  if (descriptor >= 0) ::close(descriptor);
  return -1;
}

bool IsOldAndOurs(const fs::path& folder) {
  struct stat of {};
  if (::lstat(folder.c_str(), &of) != 0 || !S_ISDIR(of.st_mode) || of.st_uid != ::geteuid())
    return false;
  const auto modified = std::chrono::system_clock::from_time_t(of.st_mtime);
  return std::chrono::system_clock::now() - modified > kAbandonedAge;
}

void RemoveAbandoned(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    const fs::path& folder = at->path();
    if (!folder.filename().string().starts_with(kPrefix) || !IsOldAndOurs(folder)) continue;
    const int descriptor = Lock(folder);
    if (descriptor < 0) continue;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    ::close(descriptor);
  }
}

Result<fs::path> MakeFolder(const fs::path& parent, std::string_view prefix) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    return Status::Unavailable("{}: {}", name, std::strerror(errno));
  return fs::path(name);
}

}  // namespace

// The folder of this process below one parent; it goes with the last folder in it.
class TemporaryFolders {
 public:
  static Result<std::shared_ptr<TemporaryFolders>> In(const fs::path& parent) {
    static std::mutex mutex;
    static std::map<fs::path, std::weak_ptr<TemporaryFolders>> made;
    const std::lock_guard lock(mutex);
    auto all = made[parent].lock();
    if (all) return all;
    RemoveAbandoned(parent);
    TRELLIS_ASSIGN_OR_RETURN(fs::path path, MakeFolder(parent, kPrefix));
    all = std::make_shared<TemporaryFolders>(std::move(path));
    made[parent] = all;
    return all;
  }

  explicit TemporaryFolders(fs::path path) : path_(std::move(path)), lock_(Lock(path_)) {}
  TemporaryFolders(const TemporaryFolders&) = delete;
  TemporaryFolders& operator=(const TemporaryFolders&) = delete;
  ~TemporaryFolders() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  int lock_;
};

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::Make(const fs::path& parent) {
  std::error_code error;
  const fs::path base = parent.empty() ? fs::temp_directory_path(error) : parent;
  if (error) return Status::Unavailable("no folder for temporary files: {}", error.message());
  TRELLIS_ASSIGN_OR_RETURN(auto all, TemporaryFolders::In(base));
  TRELLIS_ASSIGN_OR_RETURN(fs::path path, MakeFolder(all->path(), "segment-"));
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(all), std::move(path)));
}

TemporaryFolder::TemporaryFolder(std::shared_ptr<TemporaryFolders> all, fs::path path)
    : all_(std::move(all)), path_(std::move(path)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace trellis::segment
