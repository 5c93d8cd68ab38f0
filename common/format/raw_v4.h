#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/base/bytes.h"
#include "common/codec/compression.h"

namespace trellis::format {

// The raw container with a variable number of documents a chunk, for payloads of variable length
// (pinot-segment-format.md 5.4): version 4, with which 5 and 6 share the file.
//
//   0  i32 BE version     8  i32 BE compression
//   4  i32 BE target      12 i32 BE K = start of the chunks
//   16 a chunk: u32 LE first docId (bit 31: the chunk is one huge value), u32 LE offset from K
//   K  the chunks back to back
//
// A view: the bytes must outlive it. Safe for many threads.
class RawV4File {
 public:
  struct Chunk {
    uint32_t number = 0;
    uint32_t first_doc = 0;
    uint32_t end_doc = 0;
    bool huge = false;  // the inflated bytes are the value of the one document
    ByteView bytes;
  };

  // Checks the header and the whole chunk table, so that chunks tile the documents and the data.
  // Errors: Corrupt.
  static Result<RawV4File> Open(ByteView bytes, uint32_t document_count);

  int32_t version() const { return version_; }
  codec::Compression compression() const { return compression_; }
  // The inflated size that no regular chunk exceeds.
  uint32_t target_size_bytes() const { return target_size_bytes_; }
  uint32_t chunk_count() const { return chunk_count_; }
  // The chunk that holds `doc`. Cost: a binary search. The table is checked again where it is used:
  // files may be written over while they are mapped. Errors: Corrupt when it is no longer what it
  // was. REQUIRES: doc < document_count.
  Result<Chunk> ChunkOf(uint32_t doc) const;
  // The number of that chunk, or of any other one when the table is no longer what it was.
  uint32_t ChunkNumberOf(uint32_t doc) const;
  // The stored bytes of that chunk and of all later ones. REQUIRES: doc < document_count.
  ByteView ChunksFrom(uint32_t doc) const {
    return data_.subspan(std::min<size_t>(Offset(ChunkNumberOf(doc)), data_.size()));
  }

 private:
  RawV4File() = default;
  uint32_t DocInfo(uint32_t chunk) const;
  uint32_t Offset(uint32_t chunk) const;
  Status CheckTable() const;

  ByteView bytes_;
  ByteView table_;
  ByteView data_;
  int32_t version_ = 0;
  codec::Compression compression_ = codec::Compression::kPassThrough;
  uint32_t target_size_bytes_ = 0;
  uint32_t chunk_count_ = 0;
  uint32_t document_count_ = 0;
};

// Turns the row sizes that version 6 keeps in inflated regular chunks into version 4's row starts,
// in place. Errors: Corrupt when the rows do not end with the chunk.
Status SizesToStarts(std::span<uint8_t> chunk, uint32_t docs);

// The rows of one inflated regular chunk, all little-endian: i32 n, n starts from the chunk's
// start, the rows; the last row ends with the chunk.
class RawV4Rows {
 public:
  RawV4Rows() = default;
  // Errors: Corrupt when the chunk does not hold `docs` documents.
  static Result<RawV4Rows> Open(ByteView chunk, uint32_t docs);
  // Errors: Corrupt. REQUIRES: row < docs.
  Result<ByteView> Row(uint32_t row) const;
  // Writes to.size() consecutive rows as Row would give them; false when one of them is not as it
  // should be (Row then says which). REQUIRES: first + to.size() <= docs.
  bool Slice(uint32_t first, std::span<std::string_view> to) const;

 private:
  RawV4Rows(ByteView chunk, uint32_t docs) : chunk_(chunk), docs_(docs) {}
  ByteView chunk_;
  uint32_t docs_ = 0;
};

}  // namespace trellis::format
