#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "common/base/status.h"
#include "common/encode/bit_packer.h"
#include "common/output/output_file.h"

namespace trellis::encode {

// The least number of bits that dictIds below `cardinality` fit in; at least 1.
int BitsPerElement(uint32_t cardinality);

// A bit stream of dictIds (format notes 4.1, 4.2): single-value forward indexes. Not thread-safe.
class BitStreamWriter {
 public:
  // REQUIRES: 1 <= bits <= 31; `file` outlives the writer.
  BitStreamWriter(int bits, output::OutputFile& file) : bits_(bits), file_(file) {}
  // Errors: InvalidArgument for an id of more bits; those of the file.
  Status Append(std::span<const uint32_t> ids);
  // Pads the last byte with zeros. Once, last.
  Status Finish();

 private:
  Status AppendGroups(std::span<const uint32_t> ids);

  int bits_;
  output::OutputFile& file_;
  std::array<uint32_t, kPackGroup> pending_ = {};  // ids that make no group yet
  size_t pending_count_ = 0;
};

// The document ranges of a sorted column (format notes 4.3), out of ids in docId order, which must
// not descend and must name every dictId. Not thread-safe.
class SortedIndexWriter {
 public:
  SortedIndexWriter(uint32_t cardinality, output::OutputFile& file)
      : cardinality_(cardinality), file_(file) {}
  // Errors: InvalidArgument when the ids are not as above; ResourceExhausted past 2^31 - 1
  // documents; those of the file.
  Status Append(std::span<const uint32_t> ids);
  Status Finish();

 private:
  Status AppendPair();

  uint32_t cardinality_;
  output::OutputFile& file_;
  uint32_t documents_ = 0;
  uint32_t first_doc_ = 0;
  int64_t current_ = -1;
};

// A multi-value forward index of dictIds. Append takes rows in docId order: `offsets` has a row's
// start and, last, the end, into `ids`. Not thread-safe. The file must be empty and outlives the
// writer. Errors of both calls: those of the file; InvalidArgument for an id of more bits.
class MultiValueWriter {
 public:
  virtual ~MultiValueWriter() = default;
  virtual Status Append(std::span<const uint32_t> ids, std::span<const uint32_t> offsets) = 0;
  // Writes the rest of the file. Once, last.
  virtual Status Finish() = 0;
};
// Format notes 4.4. Every row has one value at least. Errors: ResourceExhausted when the file would
// pass 2 GiB; InvalidArgument for an empty row, or when the numbers given here are not met or
// cannot be. Memory: some ten KiB.
std::unique_ptr<MultiValueWriter> NewBitPackedMultiValueWriter(uint32_t documents,
                                                               uint64_t total_entries, int bits,
                                                               output::OutputFile& file);
// Format notes 4.5: MV_ENTRY_DICT; rows may be empty. Errors: ResourceExhausted past 2^31 - 1
// values in distinct rows or a file of 2 GiB; InvalidArgument when `documents` is not met. Memory:
// the distinct rows, and 4 bytes a document.
std::unique_ptr<MultiValueWriter> NewEntryDictionaryWriter(uint32_t documents, int bits,
                                                           output::OutputFile& file);

}  // namespace trellis::encode
