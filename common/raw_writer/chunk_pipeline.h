#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/base/task_pool.h"
#include "common/codec/compression.h"
#include "common/raw_writer/chunk_output.h"
#include "common/raw_writer/raw_writer.h"

namespace trellis::raw_writer {

// Memory that grows and is not initialised. Movable; not thread-safe.
class GrowingBytes {
 public:
  // Makes room for `size` bytes in all; the first `keep` stay. Doubles, but not beyond `most`.
  void Reserve(size_t size, size_t keep, size_t most);
  uint8_t* data() { return bytes_.get(); }
  size_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<uint8_t[]> bytes_;
  size_t capacity_ = 0;
};

// Compresses chunks, on the caller's thread and on a bounded number of others, and hands them to a
// ChunkOutput in the order they came. Memory: a chunk as it is and one compressed, for one and a
// half times as many chunks as there are threads. PASS_THROUGH and ChunkBuffer::kMapped use the
// caller's thread alone. Only compression happens on other threads; calls come from one.
class ChunkPipeline {
 public:
  // `output` outlives this.
  ChunkPipeline(const RawLayout& layout, const RawWriterOptions& options, ChunkOutput& output);
  // Waits for chunks that are being compressed; what was not drained is lost.
  ~ChunkPipeline();

  // The memory in which the caller makes the next chunk, as some former chunk left it.
  GrowingBytes& filling() { return slots_[filling_].raw; }
  // Takes the chunk that lies in filling(), which from now on is other memory. Errors: those of
  // this chunk or of an earlier one.
  Status Submit(ByteView chunk, uint32_t doc_info);
  // Writes a chunk that lies in the caller's memory, after all others: a value of its own.
  Status WriteHuge(ByteView value, uint32_t doc_info);
  // Writes everything that was submitted.
  Status Drain();

 private:
  enum class State : uint8_t { kFree, kQueued, kTaken, kDone };
  struct Slot {
    GrowingBytes raw;
    ByteView chunk;
    uint32_t doc_info = 0;
    GrowingBytes packed;
    size_t packed_size = 0;
    Status status;
    State state = State::kFree;
  };

  bool IsBusy(size_t slot);
  size_t Next(size_t slot) const { return slot + 1 == slots_.size() ? 0 : slot + 1; }
  Result<size_t> CompressInto(ByteView chunk, std::span<uint8_t> to) const;
  void Pack(Slot& slot) const;
  Status WriteNow(ByteView chunk, uint32_t doc_info);
  // Compresses the oldest waiting chunk; false when none waits.
  bool PackOldest();
  // Writes finished chunks, in order, until one is not finished.
  Status WriteFinished();
  // Helps, or waits, until the oldest chunk is finished; then writes.
  Status WriteOldest();

  const codec::Compression compression_;
  const codec::SizeTrailer trailer_;
  const ChunkBuffer buffer_;
  const size_t packed_bytes_max_;
  ChunkOutput& output_;
  std::vector<Slot> slots_;  // a ring: [oldest_, filling_) are submitted
  size_t oldest_ = 0;
  size_t filling_ = 0;
  std::mutex mutex_;  // of the slots' states and of next_
  std::condition_variable finished_;
  size_t next_ = 0;  // the oldest that may still wait
  const unsigned other_threads_;
  std::unique_ptr<TaskPool> pool_;  // made when a second chunk comes
};

}  // namespace trellis::raw_writer
