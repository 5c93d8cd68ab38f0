#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "common/base/status.h"
#include "common/memory/mapped_file.h"
#include "common/output/output_file.h"
#include "common/vector/column_vector.h"

namespace trellis::segment_writer {

// The one file that all columns of a segment are spilled to, block by block as they come. Removed
// with the object. Written by one thread, then mapped and read by many.
class SpillFile {
 public:
  // Makes `path`, which must not exist. Errors: those of output::OutputFile.
  static Result<std::unique_ptr<SpillFile>> Create(const std::filesystem::path& path);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  uint64_t size_bytes() const { return file_.size_bytes(); }
  Status Append(ByteView bytes) { return file_.Append(bytes); }
  // Ends the writing. Errors: those of the disk.
  Status Map();
  // Whether what was read was there: somebody may have cut the file. Errors: Corrupt.
  Status CheckIntact() const { return mapped_.CheckIntact(); }
  // REQUIRES: Map was called.
  const uint8_t* data() const { return mapped_.bytes().data(); }

 private:
  explicit SpillFile(output::OutputFile file) : file_(std::move(file)) {}
  output::OutputFile file_;
  memory::MappedFile mapped_;
};

// One column's values in a spill file, in the order in which they came. Nulls are not kept here.
// Memory: a block that is being filled, 24 bytes for each that was written. Not thread-safe while
// it grows.
class ColumnSpill {
 public:
  // `type` is what is spilled: dictionary columns spill INTs, the provisional ids.
  ColumnSpill(ValueType type, SpillFile& file) : type_(type), file_(file) {}

  // Appends all rows of `values`, of the column's type; no constant vector. Errors: those of the
  // disk; ResourceExhausted past 2^31 - 1 rows or entries.
  Status Append(const ColumnVector& values);
  // Writes what is still in memory. Once, before the file is mapped.
  Status Flush();

  ValueType type() const { return type_; }
  uint32_t rows() const { return rows_; }
  // Flat values; of a single-value column, its rows.
  uint64_t entries() const { return entries_; }
  uint32_t longest_row_entries() const { return longest_row_entries_; }

 private:
  friend class SpillReader;
  struct Block {
    uint64_t offset;
    uint32_t first_row;
    uint32_t rows;
    uint32_t entries;
  };
  template <class T>
  Status AppendTyped(const ColumnVector& values);

  ValueType type_;
  SpillFile& file_;
  uint32_t rows_ = 0;
  uint64_t entries_ = 0;
  uint32_t longest_row_entries_ = 0;
  std::vector<Block> blocks_;
  // The block that is being filled: ends of its rows (multi-value) in entries, ends of its values
  // (bytes) in `bytes_`, and the values.
  std::vector<uint32_t> row_ends_;
  std::vector<uint32_t> value_ends_;
  std::vector<uint8_t> bytes_;
  uint32_t block_rows_ = 0;
  uint32_t block_entries_ = 0;
};

// Reads a spilled column in the order of the segment, batch by batch. Several readers may read one
// column at the same time.
class SpillReader {
 public:
  // `order` gives for each document the row that came; empty: as they came. Both must outlive the
  // reader.
  SpillReader(const ColumnSpill& spill, std::span<const uint32_t> order)
      : spill_(spill), order_(order) {}
  // Fills `out` with the next rows; false behind the last. Texts are views into the spill file.
  bool Next(ColumnVector& out);

 private:
  struct View;
  template <class T>
  void NextTyped(ColumnVector& out);
  template <class T>
  void AppendRows(const View& view, uint32_t from, uint32_t count, ColumnVector& out) const;
  const ColumnSpill::Block& BlockOf(uint32_t row);

  const ColumnSpill& spill_;
  std::span<const uint32_t> order_;
  uint32_t next_ = 0;  // document, or block where there is no order
  size_t last_block_ = 0;
};

}  // namespace trellis::segment_writer
