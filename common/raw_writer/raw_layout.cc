#include "common/raw_writer/raw_layout.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace trellis::raw_writer {
namespace {

constexpr int64_t kIntMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kChunkSizeBytesMin = 4096;
// A row's count, or its start in a chunk.
constexpr int64_t kIntBytes = 4;

int64_t WidthOf(Physical physical) {
  return physical == Physical::kInt32 || physical == Physical::kFloat ? 4 : 8;
}

bool IsDelta(codec::Compression compression) {
  return compression == codec::Compression::kDelta ||
         compression == codec::Compression::kDeltaDelta;
}

Status PlanFixed(const RawSettings& settings, const RawShape& shape, RawLayout& layout) {
  int64_t docs = settings.target_docs_per_chunk;
  // "By size alone" says nothing here: Pinot's power of two of a negative number is 1.
  if (docs < 0 && settings.writer_version >= 4) docs = 1;
  if (docs <= 0) {
    return Status::InvalidArgument("chunks of {} documents; values of fixed width need at least 1",
                                   docs);
  }
  if (settings.writer_version >= 4)
    docs = static_cast<int64_t>(std::bit_ceil(static_cast<uint32_t>(docs)));
  layout.container = Container::kFixed;
  layout.version = settings.writer_version;
  layout.compression = settings.compression;
  layout.entry_size_bytes = static_cast<uint32_t>(WidthOf(PhysicalOf(shape.type.type)));
  if (docs * layout.entry_size_bytes > kIntMax) {
    return Status::InvalidArgument("chunks of {} values of {} bytes are larger than {} bytes", docs,
                                   layout.entry_size_bytes, kIntMax);
  }
  layout.docs_per_chunk = static_cast<uint32_t>(docs);
  return {};
}

// Versions 2 and 3.
Status PlanChunkedRows(const RawSettings& settings, const RawShape& shape, RawLayout& layout) {
  const int64_t longest = shape.longest_row_bytes;
  const bool variable_rows =
      shape.type.multi_value && PhysicalOf(shape.type.type) == Physical::kBytes;
  int64_t docs = settings.target_docs_per_chunk;
  if (settings.derive_docs_per_chunk || variable_rows) {
    docs = std::max<int64_t>(settings.target_max_chunk_size_bytes / (longest + kIntBytes), 1);
  }
  if (docs <= 0) return Status::InvalidArgument("chunks of {} documents", docs);
  if (docs > kIntMax / (longest + kIntBytes)) {
    return Status::InvalidArgument(
        "chunks of {} rows of up to {} bytes are larger than {} bytes: derive their number, or use "
        "raw index version 4",
        docs, longest, kIntMax);
  }
  layout.container = Container::kChunkedRows;
  layout.version = settings.writer_version;
  layout.compression = settings.compression;
  layout.entry_size_bytes = shape.longest_row_bytes;
  layout.docs_per_chunk = static_cast<uint32_t>(docs);
  return {};
}

// Version 4 and later.
void PlanSizedRows(const RawSettings& settings, const RawShape& shape, RawLayout& layout) {
  const bool fixed_rows = PhysicalOf(shape.type.type) != Physical::kBytes;
  layout.container = Container::kSizedRows;
  layout.version = settings.writer_version == 6 || (settings.writer_version == 5 && fixed_rows)
                       ? settings.writer_version
                       : 4;
  layout.rows_carry_count = !fixed_rows || layout.version == 4;
  int64_t longest = shape.longest_row_bytes;
  if (!layout.rows_carry_count) longest = std::max<int64_t>(longest - kIntBytes, 0);
  const int64_t target_docs = settings.target_docs_per_chunk;
  int64_t size = settings.target_max_chunk_size_bytes;
  if (target_docs >= 0 && longest * target_docs <= kIntMax)
    size = std::min(size, longest * target_docs);
  layout.chunk_size_bytes = static_cast<uint32_t>(std::max(size, kChunkSizeBytesMin));
  layout.compression = settings.compression == codec::Compression::kLz4
                           ? codec::Compression::kLz4LengthPrefixed
                           : settings.compression;
}

}  // namespace

uint64_t RawLayout::ChunkBytesMax() const {
  switch (container) {
    case Container::kFixed:
      return uint64_t{docs_per_chunk} * entry_size_bytes;
    case Container::kChunkedRows:
      return uint64_t{docs_per_chunk} * (uint64_t{entry_size_bytes} + kIntBytes);
    case Container::kSizedRows:
      break;
  }
  return chunk_size_bytes;
}

void ChunkCounter::Add(uint64_t row_bytes) {
  const uint64_t needed = row_bytes + kIntBytes;
  if (used_bytes_ + needed > chunk_size_bytes_) {
    closed_ += used_bytes_ > kHeadBytes ? 1 : 0;
    used_bytes_ = kHeadBytes;
    if (kHeadBytes + needed > chunk_size_bytes_) {
      ++closed_;  // a huge value is a chunk of its own
      return;
    }
  }
  used_bytes_ += needed;
}

Result<RawLayout> PlanRawLayout(const RawSettings& settings, const RawShape& shape) {
  if (settings.writer_version < 2) {
    return Status::InvalidArgument("raw index version {}, versions from 2 on are written",
                                   settings.writer_version);
  }
  if (shape.document_count > kIntMax || shape.longest_row_bytes > kIntMax) {
    return Status::InvalidArgument("{} documents of up to {} bytes, at most {} each",
                                   shape.document_count, shape.longest_row_bytes, kIntMax);
  }
  if (settings.target_max_chunk_size_bytes <= 0 || settings.target_max_chunk_size_bytes > kIntMax) {
    return Status::InvalidArgument("a target chunk size of {} bytes, 1 to {} are possible",
                                   settings.target_max_chunk_size_bytes, kIntMax);
  }
  RawLayout layout;
  layout.document_count = shape.document_count;
  const bool one_fixed_value =
      !shape.type.multi_value && PhysicalOf(shape.type.type) != Physical::kBytes;
  if (IsDelta(settings.compression) && !one_fixed_value) {
    return Status::InvalidArgument("{} holds single INT and LONG values, not {}",
                                   codec::CompressionName(settings.compression),
                                   ValueTypeName(shape.type));
  }
  if (one_fixed_value) {
    TRELLIS_RETURN_IF_ERROR(PlanFixed(settings, shape, layout));
  } else if (settings.writer_version < 4) {
    TRELLIS_RETURN_IF_ERROR(PlanChunkedRows(settings, shape, layout));
  } else {
    PlanSizedRows(settings, shape, layout);
  }
  return layout;
}

}  // namespace trellis::raw_writer
