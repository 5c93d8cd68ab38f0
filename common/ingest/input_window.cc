#include "common/ingest/input_window.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace trellis::ingest {
namespace {

constexpr size_t kWindowSizeBytes = size_t{1} << 20;
constexpr unsigned kUnpackBufferBytes = 1 << 18;

}  // namespace

Result<std::unique_ptr<InputWindow>> InputWindow::Open(const std::filesystem::path& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path.string();
  const int descriptor =
      standard ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return Status::NotFound("{}: no such file", name);
    return Status::Unavailable("{}: cannot be opened: {}", name, std::strerror(errno));
  }
  struct stat about {};
  if (::fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode)) {
    ::close(descriptor);
    return Status::InvalidArgument("{}: is a folder, expected a file of rows", name);
  }
  std::unique_ptr<InputWindow> window(new InputWindow());
  window->path_ = name;
  window->size_bytes_ = S_ISREG(about.st_mode) ? static_cast<uint64_t>(about.st_size) : 0;
  window->file_.reset(::gzdopen(descriptor, "rb"));
  if (window->file_ == nullptr) {
    ::close(descriptor);
    return Status::ResourceExhausted("{}: not enough memory to read it", name);
  }
  gzbuffer(window->file_.get(), kUnpackBufferBytes);
  window->buffer_.resize(kWindowSizeBytes + kPaddingBytes);
  return window;
}

Status InputWindow::Fill() {
  if (at_end_) return {};
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > (buffer_.size() - kPaddingBytes) / 2)
    buffer_.resize(2 * (buffer_.size() - kPaddingBytes) + kPaddingBytes);
  const size_t room = std::min(buffer_.size() - kPaddingBytes - end_, size_t{1} << 30);
  const int read = gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(room));
  if (read > 0) end_ += static_cast<size_t>(read);
  if (read == static_cast<int>(room)) return {};
  int code = Z_OK;
  const char* message = gzerror(file_.get(), &code);
  if (code == Z_ERRNO)
    return Status::Unavailable("{}: cannot be read: {}", path_, std::strerror(errno));
  // A cut file is told by Z_BUF_ERROR, after what could be read of it.
  if (code != Z_OK && code != Z_STREAM_END)
    return Status::Corrupt("{}: damaged gzip: {}", path_, message);
  at_end_ = true;
  return {};
}

uint64_t InputWindow::bytes_read() const {
  const auto offset = gzoffset(file_.get());
  return offset < 0 ? 0 : static_cast<uint64_t>(offset);
}

}  // namespace trellis::ingest
