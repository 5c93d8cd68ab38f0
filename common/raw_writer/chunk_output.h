#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "common/base/bytes.h"
#include "common/base/status.h"
#include "common/output/output_file.h"
#include "common/raw_writer/raw_layout.h"

namespace trellis::raw_writer {

// Puts the chunks of one index behind its header and chunk table, and fills the table. Where the
// number of chunks is known they go straight to their place; otherwise (kSizedRows without
// chunk_count) to an unnamed file in the same folder, which Finish copies behind the table.
// Memory: a piece of the table. Not thread-safe.
class ChunkOutput {
 public:
  // `file` is empty, and outlives this.
  ChunkOutput(const RawLayout& layout, output::OutputFile& file);

  // Appends the next chunk. `doc_info` is its table entry's first field (kSizedRows). Errors: those
  // of the files; ResourceExhausted when its offset does not fit the table; InvalidArgument for
  // more chunks than the layout says.
  Status Append(uint32_t doc_info, ByteView chunk);
  // The same for a chunk that `fill` writes into a mapping of the file's end.
  Status AppendMapped(uint32_t doc_info, size_t size_max,
                      const std::function<Result<size_t>(std::span<uint8_t> to)>& fill);
  // Completes the table and writes the header. Errors: as above; InvalidArgument for fewer chunks.
  Status Finish();

 private:
  uint64_t table_end() const;
  output::OutputFile& data_file() { return spilled_ ? *spilled_ : file_; }
  Status Begin();
  Status AddEntry(uint32_t doc_info);
  Status FlushTable();
  std::vector<uint8_t> Header() const;

  RawLayout layout_;
  output::OutputFile& file_;
  std::optional<output::OutputFile> spilled_;
  size_t header_bytes_;
  size_t entry_bytes_;
  bool count_known_;
  bool begun_ = false;
  uint32_t expected_chunks_;
  uint32_t chunks_ = 0;
  uint64_t data_bytes_ = 0;
  uint64_t table_at_;  // where pending_table_ belongs
  std::vector<uint8_t> pending_table_;
};

}  // namespace trellis::raw_writer
