#include "common/segment/segment_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "common/base/printable_text.h"

namespace trellis::segment {
namespace {

struct ArchiveCloser {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchivePointer = std::unique_ptr<archive, ArchiveCloser>;

std::string ArchiveMessage(archive* a) {
  const char* text = archive_error_string(a);
  return text == nullptr ? "unknown error" : text;
}

// The entry's path below the target folder, or nullopt when it could lead elsewhere.
std::optional<std::filesystem::path> SafePath(const char* name) {
  if (name == nullptr || *name == '\0' || *name == '/') return std::nullopt;
  std::filesystem::path safe;
  for (const std::filesystem::path& part : std::filesystem::path(name)) {
    if (part == "..") return std::nullopt;
    if (part != "." && !part.empty()) safe /= part;
  }
  return safe;
}

Status WriteAll(int fd, const char* data, size_t size_bytes) {
  while (size_bytes > 0) {
    const ssize_t written = ::write(fd, data, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Status::Unavailable("cannot write: {}", std::strerror(errno));
    data += written;
    size_bytes -= static_cast<size_t>(written);
  }
  return {};
}

// Copies the data of the current entry to `fd`. `budget` is what may still be unpacked.
Status CopyEntry(archive* a, int fd, uint64_t& budget) {
  char buffer[64 * 1024];
  for (;;) {
    const la_ssize_t got = archive_read_data(a, buffer, sizeof buffer);
    if (got == 0) return {};
    if (got < 0) return Status::Corrupt("broken archive: {}", ArchiveMessage(a));
    if (static_cast<uint64_t>(got) > budget)
      return Status::ResourceExhausted("unpacks to more than the limit");
    budget -= static_cast<uint64_t>(got);
    TRELLIS_RETURN_IF_ERROR(WriteAll(fd, buffer, static_cast<size_t>(got)));
  }
}

Status UnpackFile(archive* a, const std::filesystem::path& path, uint64_t& budget) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return Status::Unavailable("cannot create its folder: {}", error.message());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 && errno == EEXIST) return Status::Corrupt("the archive holds this file twice");
  if (fd < 0) return Status::Unavailable("cannot create: {}", std::strerror(errno));
  Status status = CopyEntry(a, fd, budget);
  if (::close(fd) != 0 && status.ok())
    status = Status::Unavailable("cannot write: {}", std::strerror(errno));
  return status;
}

constexpr size_t kShownNameBytesMax = 200;  // of an entry, in messages

Status UnpackEntry(archive* a, archive_entry* entry, const std::filesystem::path& target,
                   uint64_t& budget) {
  const char* name = archive_entry_pathname(entry);  // null when the C locale cannot say it
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  const auto path = SafePath(name);
  const std::string shown = PrintableText(name == nullptr ? "" : name, kShownNameBytesMax);
  if (!path) return Status::Corrupt("entry '{}' leads out of the archive", shown);
  const auto type = archive_entry_filetype(entry);
  const bool link =
      archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
  if (link || (type != AE_IFREG && type != AE_IFDIR)) {
    return Status::Corrupt("entry '{}' is neither a file nor a folder", shown);
  }
  if (path->empty()) return {};
  if (type == AE_IFREG)
    return UnpackFile(a, target / *path, budget).WithContext(fmt::format("entry '{}'", shown));
  std::error_code error;
  std::filesystem::create_directories(target / *path, error);
  if (error) return Status::Unavailable("entry '{}': {}", shown, error.message());
  return {};
}

Result<std::filesystem::path> OnlyFolderIn(const std::filesystem::path& target) {
  std::error_code error;
  std::optional<std::filesystem::path> folder;
  std::filesystem::directory_iterator at(target, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (folder || !at->is_directory(ignored)) {
      return Status::Corrupt("more than one folder at its top: '{}'",
                             at->path().filename().string());
    }
    folder = at->path();
  }
  if (error) return Status::Unavailable("{}: {}", target.string(), error.message());
  if (!folder) return Status::Corrupt("no folder in it");
  return *folder;
}

Status UnpackAll(archive* a, const std::filesystem::path& target, const UnpackLimits& limits) {
  uint64_t budget = limits.size_bytes_max;
  for (uint64_t entries = 0;; ++entries) {
    archive_entry* entry = nullptr;
    const int outcome = archive_read_next_header(a, &entry);
    if (outcome == ARCHIVE_EOF) return {};
    if (outcome != ARCHIVE_OK && outcome != ARCHIVE_WARN) {
      return Status::Corrupt("broken archive: {}", ArchiveMessage(a));
    }
    if (entries == limits.entry_count_max) {
      return Status::ResourceExhausted("more than {} entries", limits.entry_count_max);
    }
    TRELLIS_RETURN_IF_ERROR(UnpackEntry(a, entry, target, budget));
  }
}

}  // namespace

Result<std::filesystem::path> UnpackSegment(const std::filesystem::path& archive_path,
                                            const std::filesystem::path& target,
                                            const UnpackLimits& limits) {
  std::error_code missing;
  if (!std::filesystem::is_regular_file(archive_path, missing)) {
    if (std::filesystem::exists(archive_path, missing))
      return Status::InvalidArgument("{}: not a regular file or folder", archive_path.string());
    return Status::NotFound("{}: no such file", archive_path.string());
  }
  const ArchivePointer a(archive_read_new());
  if (!a)
    return Status::ResourceExhausted("{}: no memory for the archive reader", archive_path.string());
  archive_read_support_format_tar(a.get());
  archive_read_support_filter_gzip(a.get());
  archive_read_support_filter_lz4(a.get());
  archive_read_support_filter_zstd(a.get());
  constexpr size_t kBlockSizeBytes = 256 * 1024;
  if (archive_read_open_filename(a.get(), archive_path.c_str(), kBlockSizeBytes) != ARCHIVE_OK) {
    return Status::Corrupt("{}: {}", archive_path.string(), ArchiveMessage(a.get()));
  }
  const Status status = UnpackAll(a.get(), target, limits);
  if (!status.ok()) return status.WithContext(archive_path.string());
  auto folder = OnlyFolderIn(target);
  if (!folder.ok()) return folder.status().WithContext(archive_path.string());
  return folder;
}

}  // namespace trellis::segment
