#include "common/output/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace trellis::output {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

}  // namespace

Result<OutputFile> OutputFile::Create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) return OutputFile(path.string(), descriptor);
  if (errno == EEXIST) return Status::InvalidArgument("{} exists already", path.string());
  return Status::Unavailable("{}: {}", path.string(), std::strerror(errno));
}

Result<OutputFile> OutputFile::CreateUnnamed(const std::filesystem::path& folder) {
  const std::filesystem::path where = folder.empty() ? "." : folder;
  std::string path = (where / ".unnamed.XXXXXX").string();
  int descriptor = ::open(where.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    // Not every file system has such files: make one and take its name away.
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor >= 0) ::unlink(path.c_str());
  }
  if (descriptor >= 0) return OutputFile(path, descriptor);
  return Status::Unavailable("{}: {}", path, std::strerror(errno));
}

OutputFile::OutputFile(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor) {
  buffer_.reserve(kBufferBytes);
}

OutputFile::OutputFile(OutputFile&& other) noexcept { *this = std::move(other); }

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(flushed_bytes_, other.flushed_bytes_);
  std::swap(over_long_, other.over_long_);
  std::swap(buffer_, other.buffer_);
  std::swap(error_, other.error_);
  return *this;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status OutputFile::Fail(const char* what) {
  const int reason = errno;
  const bool full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
  error_ = full ? Status::ResourceExhausted("{}: {} at byte {}: {}", path_, what, flushed_bytes_,
                                            std::strerror(reason))
                : Status::Unavailable("{}: {}: {}", path_, what, std::strerror(reason));
  return error_;
}

Status OutputFile::Write(uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t done =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return Fail("cannot write");
    offset += static_cast<uint64_t>(done);
    bytes = bytes.subspan(static_cast<size_t>(done));
  }
  return {};
}

Status OutputFile::Flush() {
  TRELLIS_RETURN_IF_ERROR(error_);
  TRELLIS_RETURN_IF_ERROR(Write(flushed_bytes_, buffer_));
  flushed_bytes_ += buffer_.size();
  buffer_.clear();
  return {};
}

Status OutputFile::Append(ByteView bytes) {
  TRELLIS_RETURN_IF_ERROR(error_);
  if (bytes.size() > kBufferBytes - buffer_.size()) {
    TRELLIS_RETURN_IF_ERROR(Flush());
    // What fills the buffer by itself is not worth a copy.
    if (bytes.size() >= kBufferBytes) {
      TRELLIS_RETURN_IF_ERROR(Write(flushed_bytes_, bytes));
      flushed_bytes_ += bytes.size();
      size_bytes_ = flushed_bytes_;
      return {};
    }
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  size_bytes_ += bytes.size();
  return {};
}

Status OutputFile::WriteAt(uint64_t offset, ByteView bytes) {
  TRELLIS_CHECK(offset <= size_bytes_ && bytes.size() <= size_bytes_ - offset);
  TRELLIS_RETURN_IF_ERROR(Flush());
  return Write(offset, bytes);
}

// Copies by way of the buffer, as much of it as one read gives.
Result<size_t> OutputFile::CopyThrough(OutputFile& from, uint64_t offset, uint64_t size) {
  buffer_.resize(std::min<uint64_t>(size, kBufferBytes));
  ssize_t done = 0;
  do {
    done = ::pread(from.descriptor_, buffer_.data(), buffer_.size(), static_cast<off_t>(offset));
  } while (done < 0 && errno == EINTR);
  if (done == 0) errno = EIO;  // somebody cut the file
  if (done <= 0) return from.Fail("cannot read");
  buffer_.resize(static_cast<size_t>(done));
  TRELLIS_RETURN_IF_ERROR(Write(flushed_bytes_, buffer_));
  buffer_.clear();
  return static_cast<size_t>(done);
}

Status OutputFile::AppendFile(OutputFile& other) {
  TRELLIS_RETURN_IF_ERROR(other.Flush());
  TRELLIS_RETURN_IF_ERROR(Flush());
  for (uint64_t from = 0; from < other.size_bytes_;) {
    const uint64_t left = other.size_bytes_ - from;
    auto in = static_cast<off_t>(from), out = static_cast<off_t>(flushed_bytes_);
    ssize_t done = ::copy_file_range(other.descriptor_, &in, descriptor_, &out, left, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == ENOSPC || errno == EDQUOT)) return Fail("cannot write");
    if (done <= 0) {  // not between these file systems
      TRELLIS_ASSIGN_OR_RETURN(const size_t copied, CopyThrough(other, from, left));
      done = static_cast<ssize_t>(copied);
    }
    from += static_cast<uint64_t>(done);
    flushed_bytes_ += static_cast<uint64_t>(done);
    size_bytes_ = flushed_bytes_;
  }
  return {};
}

Status OutputFile::AppendMapped(size_t size_max,
                                const std::function<Result<size_t>(std::span<uint8_t> to)>& fill) {
  TRELLIS_RETURN_IF_ERROR(Flush());
  if (size_max == 0) return {};
  // Reserved, because a full disk would otherwise be a signal where the mapping is written.
  over_long_ = true;
  errno = ::posix_fallocate(descriptor_, static_cast<off_t>(flushed_bytes_),
                            static_cast<off_t>(size_max));
  if (errno != 0) return Fail("cannot reserve room");
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const size_t before = flushed_bytes_ % page;
  void* start = ::mmap(nullptr, before + size_max, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                       static_cast<off_t>(flushed_bytes_ - before));
  if (start == MAP_FAILED) return Fail("cannot map");
  const Result<size_t> filled = fill({static_cast<uint8_t*>(start) + before, size_max});
  ::munmap(start, before + size_max);
  if (!filled.ok()) return error_ = filled.status();
  TRELLIS_CHECK(*filled <= size_max);
  flushed_bytes_ += *filled;
  size_bytes_ = flushed_bytes_;
  return {};
}

Status OutputFile::Close() {
  TRELLIS_RETURN_IF_ERROR(Flush());
  if (over_long_ && ::ftruncate(descriptor_, static_cast<off_t>(size_bytes_)) != 0) {
    return Fail("cannot cut");
  }
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) return Fail("cannot close");
  return {};
}

}  // namespace trellis::output
