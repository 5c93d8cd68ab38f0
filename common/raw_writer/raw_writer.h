#pragma once

#include <memory>
#include <span>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/raw_writer/raw_layout.h"
#include "common/raw_writer/stored_row.h"
#include "common/vector/column_vector.h"

namespace trellis::raw_writer {

// Where compressed chunks are made.
enum class ChunkBuffer : uint8_t {
  kHeap,    // one reused buffer a thread, a mapping for huge chunks alone
  kMapped,  // a mapping of the file a chunk, as Pinot did before its change 7931, on one thread:
            // for comparison only
};

struct RawWriterOptions {
  // Chunks are compressed on so many threads, the caller's among them; their order in the file and
  // every byte of it are the same for any number. 0 is taken as 1.
  unsigned threads = 1;
  ChunkBuffer buffer = ChunkBuffer::kHeap;
};

// Writes one raw forward index, documents in docId order. Memory: at most 4 chunks a thread and the
// codec's own state, whatever the size of the column; a value too large for a chunk is compressed
// by the caller's thread into memory that is mapped for it alone. After an error every later call
// gives that error. Not thread-safe.
class RawForwardIndexWriter {
 public:
  virtual ~RawForwardIndexWriter() = default;
  // Appends the rows of `values` (of the column's type; nulls are written as the values under
  // them). Errors: those of the file; ResourceExhausted when an offset no longer fits its field;
  // InvalidArgument for more documents, or longer rows, than the layout was planned for.
  virtual Status Append(const ColumnVector& values) = 0;
  // Appends one document's stored row (format notes 5.5). Containers of rows only.
  virtual Status AppendRow(ByteView row) = 0;
  // Writes what is left, then header and tables. Errors: as Append; InvalidArgument when documents
  // are missing or layout.chunk_count was wrong.
  virtual Status Finish() = 0;
};

// `file` must be new, and outlive the writer; it is not closed. One file holds one index.
Result<std::unique_ptr<RawForwardIndexWriter>> NewRawForwardIndexWriter(
    const RawLayout& layout, ValueType type, const RawWriterOptions& options,
    output::OutputFile& file);

}  // namespace trellis::raw_writer
