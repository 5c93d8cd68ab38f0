#include "common/wire/list_assembler.h"

#include <algorithm>

namespace trellis::wire {

ListAssembler::ListAssembler(const LeafRequest& first) : first_(first.segments) {
  if (first.list_bytes == 0) return;
  first_ = first.list_chunk;
  arrived_bytes_ = first.list_chunk.size_bytes();
  announced_bytes_ = first.list_bytes;
}

Status ListAssembler::Add(const SharedBytes& chunk) {
  const size_t chunk_bytes = chunk.size_bytes();
  if (chunk_bytes == 0) return Status::InvalidArgument("a piece of a segment list is empty");
  if (chunk_bytes > announced_bytes_ - arrived_bytes_) {
    return Status::InvalidArgument("a segment list has {} bytes and {} more, announced were {}",
                                   arrived_bytes_, chunk_bytes, announced_bytes_);
  }
  arrived_bytes_ += chunk_bytes;
  if (joined_.capacity() < arrived_bytes_)
    joined_.reserve(std::min(announced_bytes_, 2 * arrived_bytes_));
  if (first_) joined_ += AsText(first_->view);
  first_.reset();
  joined_ += AsText(chunk.view);
  return Status::Ok();
}

Status ListAssembler::Unfinished() const {
  return Status::InvalidArgument("a segment list of {} bytes ended after {}", announced_bytes_,
                                 arrived_bytes_);
}

std::optional<SharedBytes> ListAssembler::Take() {
  TRELLIS_CHECK(complete());
  if (joined_.empty()) return std::move(first_);
  return SharedBytes::Own(std::move(joined_));
}

}  // namespace trellis::wire
