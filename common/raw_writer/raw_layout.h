#pragma once

#include <cstdint>

#include "common/base/status.h"
#include "common/codec/compression.h"
#include "common/types/value.h"

namespace trellis::raw_writer {

// What a config asks of a raw forward index.
struct RawSettings {
  codec::Compression compression = codec::Compression::kLz4;
  int32_t writer_version = 4;
  bool derive_docs_per_chunk = false;
  int32_t target_docs_per_chunk = 1000;
  int64_t target_max_chunk_size_bytes = int64_t{1} << 20;
};

// What must be known of the column before its first byte is written.
struct RawShape {
  ValueType type;
  uint32_t document_count = 0;
  // No stored row is longer, counts and lengths of multi-value rows included (format notes 5.5).
  // Pinot's bytes follow from Pinot's figure. Multi-value rows of fixed width: 4 + the most values
  // of a row x width, whatever the version. Of variable width: 4 + 4 x the most values of a row +
  // the most bytes that the values of a row have, which may be another row. Ignored for single
  // values of fixed width.
  uint32_t longest_row_bytes = 0;
};

enum class Container : uint8_t {
  kFixed,        // format notes 5.3, single values of fixed width
  kChunkedRows,  // format notes 5.3, rows
  kSizedRows,    // format notes 5.4 and 5.6, rows
};

// The file that will be written, decided as Pinot decides it (format notes 5.1 to 5.4).
struct RawLayout {
  Container container = Container::kSizedRows;
  int32_t version = 4;  // as in the file's header
  codec::Compression compression = codec::Compression::kLz4;
  uint32_t docs_per_chunk = 0;    // kFixed, kChunkedRows
  uint32_t chunk_size_bytes = 0;  // kSizedRows: no regular chunk is larger
  uint32_t entry_size_bytes = 0;  // kFixed, kChunkedRows: header's field
  uint32_t document_count = 0;
  bool rows_carry_count = true;  // multi-value rows of fixed width: i32 count in front
  // kSizedRows: how many chunks the rows will make, where the lengths of all of them are known
  // beforehand (ChunkCounter): chunks then go straight to their place. 0: not known; they are
  // written to an unnamed file beside first, behind a table that grows, and copied at the end.
  uint32_t chunk_count = 0;

  // No chunk is larger, but for a value that is a chunk of its own.
  uint64_t ChunkBytesMax() const;
};

// Counts the chunks that rows of these lengths make in a layout of kSizedRows.
class ChunkCounter {
 public:
  explicit ChunkCounter(uint32_t chunk_size_bytes) : chunk_size_bytes_(chunk_size_bytes) {}
  // The next row, in docId order, has `row_bytes` bytes as it is stored.
  void Add(uint64_t row_bytes);
  uint32_t count() const { return closed_ + (used_bytes_ > kHeadBytes ? 1 : 0); }

 private:
  static constexpr uint64_t kHeadBytes = 4;
  uint32_t chunk_size_bytes_;
  uint32_t closed_ = 0;
  uint64_t used_bytes_ = kHeadBytes;  // by the open chunk
};

// Errors: InvalidArgument for what no file can hold (a version below 2, DELTA of rows, ...).
Result<RawLayout> PlanRawLayout(const RawSettings& settings, const RawShape& shape);

}  // namespace trellis::raw_writer
