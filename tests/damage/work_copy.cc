#include "tests/damage/work_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "common/base/check.h"

namespace trellis::damage {
namespace {

namespace fs = std::filesystem;

// Memory where the system has a folder of it: every damage is a write.
fs::path ScratchFolder() {
  return fs::is_directory("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
}

void WriteAt(const fs::path& path, uint64_t offset, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  TRELLIS_CHECK(fd >= 0);
  const ssize_t written = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  TRELLIS_CHECK(written == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

}  // namespace

WorkCopy::WorkCopy(const fs::path& segment) {
  std::string name = (ScratchFolder() / "trellis-damage-XXXXXX").string();
  TRELLIS_CHECK(::mkdtemp(name.data()) != nullptr);
  root_ = name;
  path_ = root_ / segment.filename();
  fs::copy(segment, path_, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(path_)) {
    if (!entry.is_regular_file()) continue;
    fs::permissions(entry.path(), fs::perms::owner_read | fs::perms::owner_write);
    std::ifstream in(entry.path(), std::ios::binary);
    files_[fs::relative(entry.path(), path_).string()] =
        std::string(std::istreambuf_iterator<char>(in), {});
  }
}

WorkCopy::~WorkCopy() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void WorkCopy::Apply(const Mutation& mutation) {
  if (mutation.truncates) {
    fs::resize_file(path_ / mutation.file, mutation.offset);
  } else {
    WriteAt(path_ / mutation.file, mutation.offset, mutation.bytes);
  }
}

void WorkCopy::Mend(const Mutation& mutation) {
  const std::string& whole = files_.at(mutation.file);
  // What was written past the end goes, too.
  fs::resize_file(path_ / mutation.file, std::min<uint64_t>(mutation.offset, whole.size()));
  const uint64_t from = std::min<uint64_t>(mutation.offset, whole.size());
  WriteAt(path_ / mutation.file, from, std::string_view(whole).substr(from));
}

}  // namespace trellis::damage
