#include "server/store/segment_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "server/store/segment_files.h"

namespace trellis::server {
namespace {

constexpr size_t kFilesMax = 10'000;
constexpr int kDepthMax = 16;  // of folders: links may lead in circles

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

// Plain calls: a segment is opened in tens of microseconds, and path objects take as many.
class Walker {
 public:
  explicit Walker(std::string path) : path_(std::move(path)) {}

  SegmentWalk Walk() {
    struct stat itself;
    if (::lstat(path_.c_str(), &itself) != 0) return std::move(walk_);
    if (S_ISLNK(itself.st_mode)) {
      walk_.links.push_back(path_);
      if (::stat(path_.c_str(), &itself) != 0) return std::move(walk_);
    }
    const FileStamp stamp = Add(itself);
    if (S_ISDIR(itself.st_mode)) Folder(path_, "", 0);
    TakeGlance(stamp);
    std::vector<FileStamp>& files = walk_.stamp.files;
    std::sort(files.begin(), files.end(),
              [](const FileStamp& a, const FileStamp& b) { return a.inode < b.inode; });
    return std::move(walk_);
  }

 private:
  FileStamp Add(const struct stat& found) {
    const FileStamp stamp = StampOf(found);
    walk_.stamp.changed_ns = std::max(walk_.stamp.changed_ns, ChangedNs(found));
    if (walk_.stamp.files.size() < kFilesMax) walk_.stamp.files.push_back(stamp);
    return stamp;
  }

  // `within` is the folder's path within the segment, with a slash at its end unless it is empty.
  void Folder(const std::string& path, const std::string& within, int depth) {
    const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
    if (directory == nullptr || depth > kDepthMax) return;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == ".." || walk_.stamp.files.size() >= kFilesMax) continue;
      Entry(::dirfd(directory.get()), *entry, path, within, depth);
    }
  }

  void Entry(int folder, const dirent& entry, const std::string& path, const std::string& within,
             int depth) {
    const std::string name = entry.d_name;
    if (name == "validdocids.bitmap.snapshot" || name == "queryabledocids.bitmap.snapshot")
      walk_.upsert_snapshot = true;
    struct stat found;
    bool link = entry.d_type == DT_LNK;
    if (entry.d_type == DT_UNKNOWN) {
      link = ::fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
             S_ISLNK(found.st_mode);
    }
    if (link) walk_.links.push_back(path + '/' + name);
    if (::fstatat(folder, entry.d_name, &found, 0) != 0) return;
    const FileStamp stamp = Add(found);
    if (name == "v3" && within.empty()) folder_v3_ = stamp;
    if (name == "metadata.properties" && within == "v3/") metadata_v3_ = stamp;
    if (name == "creation.meta" && within == "v3/") creation_v3_ = stamp;
    if (name == "metadata.properties" && within.empty()) metadata_ = stamp;
    if (name == "creation.meta" && within.empty()) creation_ = stamp;
    if (!S_ISDIR(found.st_mode) || (link && depth > 0)) return;
    const std::string inner = path + '/' + name;
    if (depth == 0 && name != "v3" && (walk_.nested.empty() || name < walk_.nested) &&
        HoldsSegment(inner)) {
      walk_.nested = name;
    }
    if (!link) Folder(inner, within + name + '/', depth + 1);
    if (link && name == "v3") Folder(inner, "v3/", depth + 1);
  }

  // As GlanceHolds looks: at the folder that has the metadata, or at what stands in its place.
  void TakeGlance(const FileStamp& itself) {
    SegmentStamp& stamp = walk_.stamp;
    stamp.v3 = metadata_v3_ != FileStamp();
    stamp.glance[0] = stamp.v3 ? metadata_v3_ : metadata_;
    stamp.glance[1] = stamp.v3 ? creation_v3_ : creation_;
    stamp.glance[2] = stamp.v3 ? folder_v3_ : itself;
    if (stamp.glance[0] != FileStamp()) return;
    stamp.glance[0] = itself;
    stamp.glance[1] = {};
    stamp.glance[2] = {};
  }

  std::string path_;
  SegmentWalk walk_;
  FileStamp folder_v3_, metadata_v3_, creation_v3_, metadata_, creation_;
};

}  // namespace

SegmentWalk WalkSegment(const std::filesystem::path& path) { return Walker(path.native()).Walk(); }

}  // namespace trellis::server
