#include "common/memory/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace trellis::memory {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

Status SystemError(std::string_view what, const std::filesystem::path& path, int error) {
  if (error == ENOENT || error == ENOTDIR)
    return Status::NotFound("{}: no such file", path.string());
  if (error == EACCES || error == EPERM) {
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(error)));
  }
  if (error == ENOMEM && what == "map") {
    return Status::ResourceExhausted(
        "{}: cannot map: {} files are mapped, the system allows a process {} mappings "
        "(vm.max_map_count)",
        path.string(), RegisteredMappings(), SystemMappingsMax());
  }
  return Status::Unavailable("{}: cannot {}: {}", path.string(), what, std::strerror(error));
}

// Opens a regular file and tells its size. O_NONBLOCK keeps a named pipe from blocking the caller.
Result<FileDescriptor> OpenRegular(const std::filesystem::path& path, struct stat& status) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return SystemError("open", path, errno);
  if (::fstat(fd.get(), &status) != 0) return SystemError("stat", path, errno);
  if (!S_ISREG(status.st_mode))
    return Status::InvalidArgument("{}: not a regular file", path.string());
  return fd;
}

FileIdentity IdentityIn(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

}  // namespace

FileIdentity IdentityOf(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? IdentityIn(status) : FileIdentity();
}

Result<FileIdentity> IdentityOfFile(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return SystemError("stat", path, errno);
  if (!S_ISREG(status.st_mode)) return Status::InvalidArgument("{}: not a regular file", path);
  return IdentityIn(status);
}

bool IsCutShort(const std::string& path, const FileIdentity& before) {
  const FileIdentity now = IdentityOf(path);
  return now.device == before.device && now.inode == before.inode &&
         now.size_bytes < before.size_bytes;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)),
      identity_(other.identity_),
      id_(std::exchange(other.id_, std::nullopt)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this == &other) return *this;
  Unmap();
  path_ = std::move(other.path_);
  data_ = std::exchange(other.data_, nullptr);
  size_bytes_ = std::exchange(other.size_bytes_, 0);
  identity_ = other.identity_;
  id_ = std::exchange(other.id_, std::nullopt);
  return *this;
}

MappedFile::~MappedFile() { Unmap(); }

void MappedFile::Unmap() {
  if (id_) UnregisterMapping(*id_);
  id_.reset();
  if (data_ != nullptr) ::munmap(const_cast<uint8_t*>(data_), size_bytes_);
  data_ = nullptr;
  size_bytes_ = 0;
}

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  struct stat status {};
  TRELLIS_ASSIGN_OR_RETURN(const FileDescriptor fd, OpenRegular(path, status));
  MappedFile file;
  file.path_ = path.string();
  file.identity_ = IdentityIn(status);
  if (status.st_size == 0) return file;  // mmap refuses a length of 0
  const auto size_bytes = static_cast<size_t>(status.st_size);
  void* data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) return SystemError("map", path, errno);
  file.data_ = static_cast<const uint8_t*>(data);
  file.size_bytes_ = size_bytes;
  file.id_ = RegisterMapping(data, size_bytes);
  if (!file.id_) {
    return Status::ResourceExhausted("{}: cannot map: {} files are mapped, which is the most",
                                     path.string(), kRegisteredMappingsMax);
  }
  return file;
}

Status MappedFile::Torn() const {
  return Status::Corrupt("{}: cut short while it was read: {} bytes were mapped, some are gone",
                         path_, size_bytes_);
}

Status MappedFile::CheckIntact() const {
  if (!id_) return {};
  if (AnyTorn() && IsTorn(*id_)) return Torn();
  if (!IsCutShort(path_, identity_)) return {};
  MarkTorn(*id_);
  return Torn();
}

Result<ByteView> MappedFile::Range(uint64_t offset, uint64_t size_bytes) const {
  if (offset > size_bytes_ || size_bytes > size_bytes_ - offset) {
    return Status::Corrupt("{}: {} bytes at offset {} leave the file of {} bytes", path_,
                           size_bytes, offset, size_bytes_);
  }
  return bytes().subspan(offset, size_bytes);
}

Result<std::string> ReadWholeFile(const std::filesystem::path& path, uint64_t size_bytes_max) {
  struct stat status {};
  TRELLIS_ASSIGN_OR_RETURN(const FileDescriptor fd, OpenRegular(path, status));
  const auto size_bytes = static_cast<uint64_t>(status.st_size);
  if (size_bytes > size_bytes_max) {
    return Status::ResourceExhausted("{}: {} bytes, at most {} are read", path.string(), size_bytes,
                                     size_bytes_max);
  }
  std::string text(size_bytes, '\0');
  size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(fd.get(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read", path, errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  text.resize(filled);
  return text;
}

}  // namespace trellis::memory
