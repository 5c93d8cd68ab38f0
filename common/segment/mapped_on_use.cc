#include "common/segment/mapped_on_use.h"

#include "common/memory/mapping_bound.h"

namespace trellis::segment {

Result<std::shared_ptr<const memory::MappedFile>> MappedOnUse::Map() {
  const std::lock_guard lock(mutex_);
  if (auto mapped = mapped_.lock()) return mapped;
  TRELLIS_RETURN_IF_ERROR(memory::MakeRoomForMapping());
  auto opened = memory::MappedFile::Open(path_);
  if (!opened.ok() && opened.status().code() != StatusCode::kNotFound) return opened.status();
  // The segment may have been written anew since it was opened: its metadata speak of other bytes.
  if (!opened.ok() || opened->identity() != identity_)
    return Status::Unavailable("{} was replaced after the segment was opened", path_);
  std::shared_ptr<const memory::MappedFile> mapped(
      new memory::MappedFile(std::move(opened).value()),
      [torn = torn_](const memory::MappedFile* file) {
        if (file->torn()) torn->store(true, std::memory_order_release);
        delete file;
      });
  mapped_ = mapped;
  used_ = true;
  return mapped;
}

Result<std::shared_ptr<const memory::MappedFile>> MappedOnUse::MapToStay() {
  TRELLIS_ASSIGN_OR_RETURN(auto mapped, Map());
  const std::lock_guard lock(mutex_);
  stays_ = mapped;
  return mapped;
}

bool MappedOnUse::torn() const {
  if (torn_->load(std::memory_order_acquire)) return true;
  const std::lock_guard lock(mutex_);
  const auto mapped = mapped_.lock();
  return mapped != nullptr && mapped->torn();
}

Status MappedOnUse::CheckIntact() const {
  const std::lock_guard lock(mutex_);
  if (!used_) return {};
  if (!torn_->load(std::memory_order_acquire)) {
    if (const auto mapped = mapped_.lock()) return mapped->CheckIntact();
    if (!memory::IsCutShort(path_, identity_)) return {};
    torn_->store(true, std::memory_order_release);
  }
  return Status::Corrupt("{}: cut short while it was read: {} bytes were mapped, some are gone",
                         path_, identity_.size_bytes);
}

}  // namespace trellis::segment
