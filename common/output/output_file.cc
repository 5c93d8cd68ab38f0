#include "common/output/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace trellis::output {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;

}  // namespace

Result<OutputFile> OutputFile::Create(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor >= 0) return OutputFile(path.string(), descriptor);
  if (errno == EEXIST) return Status::InvalidArgument("{} exists already", path.string());
  return Status::Unavailable("{}: {}", path.string(), std::strerror(errno));
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

Status OutputFile::Close() {
  TRELLIS_RETURN_IF_ERROR(Flush());
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) return Fail("cannot close");
  return {};
}

}  // namespace trellis::output
