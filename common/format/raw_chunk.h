#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/bytes.h"
#include "common/codec/compression.h"

namespace trellis::format {

// The raw container with a fixed number of documents a chunk (pinot-segment-format.md 5.3):
// versions 1 to 3 for every raw column, 4 and later for single-value columns of fixed width. All
// big-endian:
//
//   0  i32 version      12 i32 entry size (fixed: bytes of a value; else of the longest entry)
//   4  i32 chunks       16 i32 documents
//   8  i32 docs/chunk   20 i32 compression     24 i32 start of the chunk offsets
//   then an offset a chunk (i32 in versions 1 and 2, i64 later), then the chunks back to back
//
// Version 1 has no fields from 16 on: its offsets follow, every chunk is SNAPPY, and only what is
// in the last chunk tells whether the segment's number of documents is right. Readers check that.
//
// A view: the bytes must outlive it. Safe for many threads.
class RawChunkFile {
 public:
  // Checks the header against the size and against `document_count` of the segment.
  // Errors: Corrupt.
  static Result<RawChunkFile> Open(ByteView bytes, uint32_t document_count);

  int32_t version() const { return version_; }
  codec::Compression compression() const { return compression_; }
  uint32_t chunk_count() const { return chunk_count_; }
  uint32_t docs_per_chunk() const { return docs_per_chunk_; }
  uint32_t entry_size_bytes() const { return entry_size_bytes_; }
  // Documents of one chunk: docs_per_chunk() but for the last. REQUIRES: chunk < chunk_count().
  uint32_t DocsIn(uint32_t chunk) const;
  // The stored bytes of one chunk. Errors: Corrupt. REQUIRES: chunk < chunk_count().
  Result<ByteView> Chunk(uint32_t chunk) const;
  // The stored bytes of one chunk and of all later ones, nothing if its offset is bad. REQUIRES:
  // chunk < chunk_count().
  ByteView ChunksFrom(uint32_t chunk) const {
    return bytes_.subspan(std::min<uint64_t>(OffsetAt(chunk), bytes_.size()));
  }
  // Everything behind the chunk offsets; with PASS_THROUGH and fixed width this is one plain array.
  ByteView chunk_area() const { return bytes_.subspan(chunks_start_); }

 private:
  RawChunkFile() = default;
  uint64_t OffsetAt(uint32_t chunk) const;

  ByteView bytes_;
  int32_t version_ = 0;
  codec::Compression compression_ = codec::Compression::kPassThrough;
  uint32_t chunk_count_ = 0;
  uint32_t docs_per_chunk_ = 1;
  uint32_t entry_size_bytes_ = 0;
  uint32_t document_count_ = 0;
  uint64_t offsets_start_ = 0;
  uint64_t chunks_start_ = 0;
};

// The rows of one inflated chunk of a variable-width column in that container: one i32 BE start a
// slot (docs_per_chunk slots, zero where the last chunk has no document), then the rows.
class RawChunkRows {
 public:
  RawChunkRows() = default;
  // Errors: Corrupt when the chunk is shorter than its slots, the first row does not follow them or
  // there are more than `docs` rows.
  static Result<RawChunkRows> Open(ByteView chunk, uint32_t docs_per_chunk, uint32_t docs);
  // Errors: Corrupt. REQUIRES: row < docs.
  Result<ByteView> Row(uint32_t row) const;
  // Writes to.size() consecutive rows as Row would give them; false when one of them is not as it
  // should be (Row then says which). REQUIRES: first + to.size() <= docs.
  bool Slice(uint32_t first, std::span<std::string_view> to) const;

 private:
  RawChunkRows(ByteView chunk, uint32_t docs, uint64_t rows_start)
      : chunk_(chunk), docs_(docs), rows_start_(rows_start) {}
  ByteView chunk_;
  uint32_t docs_ = 0;
  uint64_t rows_start_ = 0;
};

}  // namespace trellis::format
