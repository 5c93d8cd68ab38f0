#include "common/raw_writer/chunk_pipeline.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "common/codec/compress.h"

namespace trellis::raw_writer {
namespace {

constexpr unsigned kThreadsMax = 64;

unsigned OtherThreads(const RawLayout& layout, const RawWriterOptions& options) {
  if (layout.compression == codec::Compression::kPassThrough ||
      options.buffer == ChunkBuffer::kMapped) {
    return 0;
  }
  return std::clamp(options.threads, 1U, kThreadsMax) - 1;
}

// Memory that goes back to the system at once: what a huge value takes once is not kept.
class Mapping {
 public:
  static Result<Mapping> Create(size_t size) {
    void* start = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return Status::ResourceExhausted("no memory of {} bytes", size);
    return Mapping(start, size);
  }
  Mapping(Mapping&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (start_ != nullptr) ::munmap(start_, size_);
  }
  std::span<uint8_t> bytes() { return {static_cast<uint8_t*>(start_), size_}; }

 private:
  Mapping(void* start, size_t size) : start_(start), size_(size) {}
  void* start_;
  size_t size_;
};

}  // namespace

void GrowingBytes::Reserve(size_t size, size_t keep, size_t most) {
  if (size <= capacity_) return;
  const size_t capacity = std::max(size, std::min(2 * capacity_, most));
  auto bytes = std::make_unique_for_overwrite<uint8_t[]>(capacity);
  if (keep > 0) std::memcpy(bytes.get(), bytes_.get(), keep);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

ChunkPipeline::ChunkPipeline(const RawLayout& layout, const RawWriterOptions& options,
                             ChunkOutput& output)
    : compression_(layout.compression),
      trailer_(layout.container == Container::kSizedRows ? codec::SizeTrailer::kLittleEndian
                                                         : codec::SizeTrailer::kBigEndian),
      buffer_(options.buffer),
      packed_bytes_max_(codec::CompressBound(
          layout.compression,
          std::min<size_t>(layout.ChunkBytesMax(), codec::kCompressInputBytesMax))),
      output_(output),
      other_threads_(OtherThreads(layout, options)) {
  const size_t threads = other_threads_ + 1;
  slots_ = std::vector<Slot>(threads + threads / 2);
}

ChunkPipeline::~ChunkPipeline() {
  {
    // What waits is not wanted any more; what is under way ends before its memory does.
    const std::lock_guard lock(mutex_);
    for (Slot& slot : slots_)
      if (slot.state == State::kQueued) slot.state = State::kFree;
  }
  pool_.reset();
}

Result<size_t> ChunkPipeline::CompressInto(ByteView chunk, std::span<uint8_t> to) const {
  return codec::Compress(compression_, chunk, trailer_, to);
}

void ChunkPipeline::Pack(Slot& slot) const {
  const size_t bound = codec::CompressBound(compression_, slot.chunk.size());
  slot.packed.Reserve(bound, 0, packed_bytes_max_);
  Result<size_t> size = CompressInto(slot.chunk, {slot.packed.data(), bound});
  slot.status = size.ok() ? Status() : size.status();
  slot.packed_size = size.ok() ? *size : 0;
}

Status ChunkPipeline::WriteNow(ByteView chunk, uint32_t doc_info) {
  if (compression_ == codec::Compression::kPassThrough) return output_.Append(doc_info, chunk);
  if (buffer_ == ChunkBuffer::kMapped) {
    return output_.AppendMapped(doc_info, codec::CompressBound(compression_, chunk.size()),
                                [&](std::span<uint8_t> to) { return CompressInto(chunk, to); });
  }
  Slot& slot = slots_[filling_];
  slot.chunk = chunk;
  Pack(slot);
  TRELLIS_RETURN_IF_ERROR(slot.status);
  return output_.Append(doc_info, {slot.packed.data(), slot.packed_size});
}

Status ChunkPipeline::Submit(ByteView chunk, uint32_t doc_info) {
  if (chunk.size() > codec::kCompressInputBytesMax) {
    return Status::InvalidArgument("a chunk of {} bytes, at most {} can be read again",
                                   chunk.size(), codec::kCompressInputBytesMax);
  }
  if (other_threads_ == 0) return WriteNow(chunk, doc_info);
  if (pool_ == nullptr) {
    try {
      pool_ = std::make_unique<TaskPool>(other_threads_, slots_.size());
    } catch (const std::system_error& error) {
      return Status::ResourceExhausted("no thread to compress on: {}", error.what());
    }
  }
  {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[filling_];
    slot.chunk = chunk;
    slot.doc_info = doc_info;
    slot.state = State::kQueued;
    filling_ = Next(filling_);
  }
  // When no thread is free to take it this one will.
  (void)pool_->Submit([this] { PackOldest(); });
  TRELLIS_RETURN_IF_ERROR(WriteFinished());
  while (IsBusy(filling_)) TRELLIS_RETURN_IF_ERROR(WriteOldest());
  return {};
}

bool ChunkPipeline::IsBusy(size_t slot) {
  const std::lock_guard lock(mutex_);
  return slots_[slot].state != State::kFree;
}

bool ChunkPipeline::PackOldest() {
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < slots_.size() && slots_[next_].state != State::kQueued; ++i)
      next_ = Next(next_);
    if (slots_[next_].state != State::kQueued) return false;
    slot = &slots_[next_];
    slot->state = State::kTaken;
    next_ = Next(next_);
  }
  Pack(*slot);
  {
    const std::lock_guard lock(mutex_);
    slot->state = State::kDone;
  }
  finished_.notify_one();
  return true;
}

Status ChunkPipeline::WriteFinished() {
  while (true) {
    Slot& slot = slots_[oldest_];
    {
      const std::lock_guard lock(mutex_);
      if (slot.state != State::kDone) return {};
    }
    TRELLIS_RETURN_IF_ERROR(slot.status);
    TRELLIS_RETURN_IF_ERROR(output_.Append(slot.doc_info, {slot.packed.data(), slot.packed_size}));
    const std::lock_guard lock(mutex_);
    slot.state = State::kFree;
    oldest_ = Next(oldest_);
  }
}

Status ChunkPipeline::WriteOldest() {
  if (!PackOldest()) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return slots_[oldest_].state == State::kDone; });
  }
  return WriteFinished();
}

Status ChunkPipeline::Drain() {
  if (other_threads_ == 0) return {};
  while (IsBusy(oldest_)) TRELLIS_RETURN_IF_ERROR(WriteOldest());
  return {};
}

Status ChunkPipeline::WriteHuge(ByteView value, uint32_t doc_info) {
  TRELLIS_RETURN_IF_ERROR(Drain());
  if (compression_ == codec::Compression::kPassThrough || buffer_ == ChunkBuffer::kMapped)
    return WriteNow(value, doc_info);
  if (value.size() > codec::kCompressInputBytesMax) {
    return Status::InvalidArgument("a value of {} bytes, at most {} can be read again",
                                   value.size(), codec::kCompressInputBytesMax);
  }
  TRELLIS_ASSIGN_OR_RETURN(Mapping mapping,
                           Mapping::Create(codec::CompressBound(compression_, value.size())));
  TRELLIS_ASSIGN_OR_RETURN(const size_t size, CompressInto(value, mapping.bytes()));
  return output_.Append(doc_info, mapping.bytes().first(size));
}

}  // namespace trellis::raw_writer
