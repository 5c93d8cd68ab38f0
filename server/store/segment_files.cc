#include "server/store/segment_files.h"

#include <algorithm>
#include <set>

namespace trellis::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchiveEndings[] = {".tar.gz", ".tgz", ".tar.zst", ".tar.lz4"};

std::string_view ArchiveEnding(std::string_view file) {
  for (const std::string_view ending : kArchiveEndings) {
    if (file.size() > ending.size() && file.ends_with(ending)) return ending;
  }
  return {};
}

// Whether `path`, all links followed, lies in `root`, all links followed.
bool LiesIn(const fs::path& path, const fs::path& root) {
  const auto [in_root, in_path] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return in_root == root.end();
}

}  // namespace

bool IsArchiveName(std::string_view file) { return !ArchiveEnding(file).empty(); }

std::string WithoutArchiveEnding(std::string file) {
  file.resize(file.size() - ArchiveEnding(file).size());
  return file;
}

Result<std::vector<std::string>> SegmentFiles(const fs::path& table) {
  std::set<std::string> directories;
  std::vector<std::string> archives;
  std::error_code error;
  fs::directory_iterator entry(table, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(".") || name.ends_with(".json")) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored) || (entry->is_symlink(ignored) && !entry->exists(ignored))) {
      directories.insert(std::move(name));
    } else if (IsArchiveName(name)) {
      archives.push_back(std::move(name));
    }
  }
  if (error) return CannotReadDirectory(table, error);
  std::vector<std::string> files(directories.begin(), directories.end());
  for (std::string& archive : archives) {
    if (!directories.contains(WithoutArchiveEnding(archive))) files.push_back(std::move(archive));
  }
  std::sort(files.begin(), files.end());
  return files;
}

Status CheckLink(const fs::path& path, const OpenPolicy& policy) {
  std::error_code error;
  if (policy.follow_links || !fs::is_symlink(fs::symlink_status(path, error))) return {};
  const fs::path target = fs::canonical(path, error);
  if (error || LiesIn(target, policy.root)) return {};
  return Status(
      StatusCode::kPermissionDenied,
      fmt::format("{} is a link out of the data directory, to {}: such links are followed "
                  "with --follow-links only",
                  path.string(), target.string()));
}

bool HoldsSegment(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "v3" / "metadata.properties", ignored) ||
         fs::exists(folder / "metadata.properties", ignored);
}

Status CannotReadDirectory(const fs::path& path, const std::error_code& error) {
  if (error == std::errc::permission_denied) {
    return Status(StatusCode::kPermissionDenied,
                  fmt::format("directory {} cannot be read: {}", path.string(), error.message()));
  }
  return Status::NotFound("directory {} cannot be read: {}", path.string(), error.message());
}

}  // namespace trellis::server
