#include "common/segment_writer/segment_tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <vector>

#include "common/base/utf8.h"
#include "common/memory/mapped_file.h"
#include "common/output/output_file.h"

namespace trellis::segment_writer {
namespace {

namespace fs = std::filesystem;

struct ArchiveCloser {
  void operator()(archive* a) const { archive_write_free(a); }
};
using ArchivePointer = std::unique_ptr<archive, ArchiveCloser>;
struct EntryCloser {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};
using EntryPointer = std::unique_ptr<archive_entry, EntryCloser>;

// Where the library's bytes go; what went wrong there is kept, as the library has only numbers.
struct Sink {
  output::OutputFile file;
  Status status;

  static la_ssize_t Write(archive* a, void* data, const void* bytes, size_t size) {
    Sink& sink = *static_cast<Sink*>(data);
    sink.status = sink.file.Append({static_cast<const uint8_t*>(bytes), size});
    if (sink.status.ok()) return static_cast<la_ssize_t>(size);
    archive_set_error(a, EIO, "%s", sink.status.message().c_str());
    return -1;
  }
};

// The library turns names into the locale's encoding and back, and crashes on one that has no place
// in it: the "C" locale has none but ASCII's. While this lives, the calling thread speaks UTF-8.
class Utf8Locale {
 public:
  Utf8Locale() : utf8_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (utf8_ != nullptr) before_ = ::uselocale(utf8_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (utf8_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(utf8_);
  }
  bool ok() const { return utf8_ != nullptr; }

 private:
  locale_t utf8_;
  locale_t before_ = nullptr;
};

class TarWriter {
 public:
  TarWriter(Sink& sink, int64_t time_ms)
      : sink_(sink), time_s_(time_ms / 1000), archive_(archive_write_new()) {}

  Status Open() {
    archive* a = archive_.get();
    TRELLIS_RETURN_IF_ERROR(Check(archive_write_set_format_pax_restricted(a)));
    TRELLIS_RETURN_IF_ERROR(Check(archive_write_add_filter_gzip(a)));
    // Behind the last byte of gzip nothing: zeros up to a block's end are for tapes.
    TRELLIS_RETURN_IF_ERROR(Check(archive_write_set_bytes_in_last_block(a, 1)));
    TRELLIS_RETURN_IF_ERROR(
        Check(archive_write_set_filter_option(a, "gzip", "timestamp", nullptr)));
    return Check(archive_write_open(a, &sink_, nullptr, Sink::Write, nullptr));
  }
  Status AddFolder(const std::string& name) { return AddHeader(name + "/", AE_IFDIR, 0755, 0); }
  Status AddFile(const std::string& name, const fs::path& path) {
    TRELLIS_ASSIGN_OR_RETURN(const memory::MappedFile file, memory::MappedFile::Open(path));
    TRELLIS_RETURN_IF_ERROR(AddHeader(name, AE_IFREG, 0644, file.size_bytes()));
    const ByteView bytes = file.bytes();
    constexpr size_t kStepBytes = size_t{1} << 20;
    for (size_t at = 0; at < bytes.size(); at += kStepBytes) {
      const size_t size = std::min(kStepBytes, bytes.size() - at);
      if (archive_write_data(archive_.get(), bytes.data() + at, size) < 0) return Failure();
    }
    return file.CheckIntact();
  }
  Status Close() { return Check(archive_write_close(archive_.get())); }

 private:
  Status Failure() {
    if (!sink_.status.ok()) return sink_.status;
    const char* text = archive_error_string(archive_.get());
    return Status::Unavailable("cannot pack: {}", text == nullptr ? "unknown error" : text);
  }
  Status Check(int outcome) {
    return outcome == ARCHIVE_OK || outcome == ARCHIVE_WARN ? Status() : Failure();
  }
  Status AddHeader(const std::string& name, unsigned type, unsigned mode, uint64_t size) {
    if (!locale_.ok() && !IsAscii(name)) {
      return Status::Unimplemented("'{}' cannot be packed: the system has no locale C.UTF-8", name);
    }
    const EntryPointer entry(archive_entry_new());
    archive_entry_set_pathname_utf8(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), type);
    archive_entry_set_perm(entry.get(), mode);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    archive_entry_set_mtime(entry.get(), time_s_, 0);
    return Check(archive_write_header(archive_.get(), entry.get()));
  }

  Utf8Locale locale_;
  Sink& sink_;
  int64_t time_s_;
  ArchivePointer archive_;
};

}  // namespace

Status WriteSegmentTar(const fs::path& folder, const std::string& name, int64_t time_ms,
                       const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    paths.push_back(at->path());
  if (error) return Status::Unavailable("{}: {}", folder.string(), error.message());
  std::sort(paths.begin(), paths.end());
  TRELLIS_ASSIGN_OR_RETURN(output::OutputFile file, output::OutputFile::Create(path));
  Sink sink{std::move(file), {}};
  {
    TarWriter tar(sink, time_ms);
    TRELLIS_RETURN_IF_ERROR(tar.Open());
    TRELLIS_RETURN_IF_ERROR(tar.AddFolder(name));
    for (const fs::path& entry : paths) {
      const std::string inside = name + "/" + entry.lexically_relative(folder).string();
      TRELLIS_RETURN_IF_ERROR(fs::is_directory(entry) ? tar.AddFolder(inside)
                                                      : tar.AddFile(inside, entry));
    }
    TRELLIS_RETURN_IF_ERROR(tar.Close());
  }
  return sink.file.Close();
}

}  // namespace trellis::segment_writer
